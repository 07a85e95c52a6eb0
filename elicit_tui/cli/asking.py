"""Who answers the questions of `call`: an inline form, plain prompts, or nobody."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from elicit_tui.broker import Notice
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import (
    forget_extra_sends,
    person_present,
    wants_plain_prompts,
)
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    Queue,
    Responder,
)
from elicit_tui.elicitation.settings import Settings
from elicit_tui.host.events import UrlCompleted
from elicit_tui.responders import NobodyResponder
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.broker import BrokerEvent
    from elicit_tui.host.events import HostEvent
    from elicit_tui.runtime import Runtime
    from elicit_tui.tui.inline import InlineResponder


class InlineForms:
    """The inline form under the shell prompt, loaded when the first question needs it.

    While a form is open nothing else is written to the terminal it is on.
    """

    def __init__(
        self,
        settings: Settings,
        queue: Queue,
        narration: Narration,
        output: Output,
        ledger: Callable[[], Any],
    ) -> None:
        """`ledger`: what earlier runs have recorded, None where that is not asked."""
        self._settings = settings
        self._ledger = ledger
        self._queue = queue
        self._narration = narration
        self._output = output
        self._inner: InlineResponder | None = None
        self._open = 0

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Ask the person with a form."""
        if self._inner is None:
            from elicit_tui.tui.inline import InlineResponder

            self._inner = InlineResponder(
                self._settings.elicitation,
                self._queue,
                console=self._settings.console,
                sent_before=self._sent_before,
            )
        # Data that goes to this terminal would be written across the form.
        self._output.hold()
        # Several questions may be open at once; the data is let go when the last form is closed.
        self._open += 1
        try:
            with self._narration.behind_form():
                return await self._inner.respond(question, deadline)
        finally:
            self._open -= 1
            if self._open == 0:
                forget_extra_sends()
                self._output.let_go()

    def _sent_before(self, request: ElicitationRequest) -> Mapping[str, Any]:
        from elicit_tui.tui.console.earlier_answers import sent_before

        return sent_before(self._ledger(), request)

    def completed(self, server: str, elicitation_id: str) -> None:
        """A server reported that the page of one of its url questions is done."""
        if self._inner is not None:
            self._inner.completed(server, elicitation_id)


class PlainPrompts:
    """Line prompts, with nothing of a server's between one and its answer."""

    def __init__(self, inner: Responder, narration: Narration) -> None:
        self._inner = inner
        self._narration = narration

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Ask the person line by line."""
        with self._narration.prompting():
            return await self._inner.respond(question, deadline)


class Person:
    """The person at the terminal, if one is there: how questions and confirmations reach them."""

    def __init__(self, *, present: bool, plain: bool, narration: Narration, output: Output) -> None:
        self.present = present
        self._plain = plain
        self._narration = narration
        self._output = output
        self._forms: InlineForms | None = None
        self.ledger: Any = None
        """Of this run, once it is open: what was sent before is found in it."""

    def responder(self, settings: Settings, queue: Queue) -> Responder:
        """Whoever answers this run's questions."""
        if not self.present:
            return NobodyResponder()
        if self._plain:
            from elicit_tui.responders.browser import open_in_browser
            from elicit_tui.responders.plain import PlainResponder
            from elicit_tui.responders.typed_lines import Lines

            prompts = PlainResponder(
                Lines(sys.stdin), self._narration.write, opener=open_in_browser
            )
            return PlainPrompts(prompts, self._narration)
        self._forms = InlineForms(
            settings, queue, self._narration, self._output, lambda: self.ledger
        )
        return self._forms

    def completed(self, server: str, elicitation_id: str) -> None:
        """A server reported that the page of one of its url questions is done."""
        if self._forms is not None:
            self._forms.completed(server, elicitation_id)


class PersonForLogins(Person):
    """The person at the terminal, asked for logins: a server's own questions are for a call."""

    def __init__(self, narration: Narration, output: Output, *, plain: bool = False) -> None:
        super().__init__(
            present=person_present(),
            plain=plain or wants_plain_prompts(),
            narration=narration,
            output=output,
        )

    def responder(self, settings: Settings, queue: Queue) -> Responder:
        """Whoever answers this run's questions."""
        return LoginsOnly(super().responder(settings, queue))

    def follow(self, runtime: Runtime) -> None:
        """Tell what is noticed, and let the question know whose page has led back."""
        runtime.broker.subscribe(self._tell)
        runtime.host.subscribe(self._led_back)

    def _tell(self, event: BrokerEvent) -> None:
        if isinstance(event, Notice):
            self._narration.say(f"{event.server}: {neutral_line(event.sentence, 400)}")

    def _led_back(self, event: HostEvent) -> None:
        if isinstance(event, UrlCompleted):
            self.completed(event.server, event.elicitation_id)


class LoginsOnly:
    """Asks nobody what a server asks, and the person whether they log in."""

    def __init__(self, inner: Responder) -> None:
        self._inner = inner

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """The person's answer, or nobody's."""
        # A login and the like are questions of ours; what a server itself asks is not for this
        # command.
        asked = NobodyResponder() if question.request.traits.from_server else self._inner
        return await asked.respond(question, deadline)
