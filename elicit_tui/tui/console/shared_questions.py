"""Questions of other processes in the console's one queue: whose they are, what came of answers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Presence, Question
from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.outcome import SIGNS
from elicit_tui.errors import StoreError, StoreMissing
from elicit_tui.text import neutral_line
from elicit_tui.tui.console.outcome_words import ACTIONS, ROLES, asked
from elicit_tui.tui.console.waiting_in_consoles import WaitingInConsoles

if TYPE_CHECKING:
    from elicit_tui.broker.inbox import Inbox
    from elicit_tui.broker.inbox_events import Delivery
    from elicit_tui.elicitation import Responder
    from elicit_tui.elicitation.outcome import Via
    from elicit_tui.form.field import Entry
    from elicit_tui.form.form import Form
    from elicit_tui.store.store import Grant, Waiting
    from elicit_tui.tui.console.controller import Controller

LOOK_AGAIN_SECONDS: Final = 5.0
"""A store that nobody has made yet is looked for this often."""


@dataclass(frozen=True)
class Unsent:
    """An answer that did not go out from here, with what was typed for it."""

    question: Question
    sentence: str
    typed: tuple[tuple[str, str], ...]
    """Field titles and what stood in them."""


class SharedQuestions:
    """Watches the store, and tells the console what it has to know beyond the question."""

    def __init__(self, app: Controller) -> None:
        self._app = app
        self._state = app.state
        self._inbox: Inbox | None = None
        self.in_consoles = WaitingInConsoles(app)
        self.presence = Presence()
        """Who opens a console or inbox is there, before any key."""
        self.presence.key_pressed()
        self.unsent: deque[Unsent] = deque(maxlen=20)
        """Not shown yet."""
        self._trouble: str | None = None

    async def watch(self, responder: Responder, via: Via) -> None:
        """Put what waits in the store to the console, until cancelled."""
        from elicit_tui.broker.inbox_questions import InboxQuestions
        from elicit_tui.runtime.opening import open_inbox

        while True:
            try:
                opened = open_inbox(self._state.settings, via, create=False, presence=self.presence)
                async with opened as inbox:
                    inbox.subscribe(self._heard)
                    self._inbox = inbox
                    for waiting in inbox.waiting:
                        self._tell_sealed(waiting)
                    listed, tell = self._state.questions, self._tell_delivery
                    await InboxQuestions(inbox, responder, listed, tell).ask_all()
            except StoreMissing:
                await asyncio.sleep(LOOK_AGAIN_SECONDS)
            except StoreError as error:
                self._tell_trouble(str(error))
                await asyncio.sleep(LOOK_AGAIN_SECONDS)
            finally:
                self._inbox = None

    def key_pressed(self) -> None:
        """Somebody is there."""
        self.presence.key_pressed()

    def put_off(self, question: Question) -> None:
        """The others may have it, with what was typed."""
        if self._waiting(question) is not None and self._inbox is not None:
            self._app.run_worker(self._release(self._inbox, question.id), exit_on_error=False)

    @staticmethod
    async def _release(inbox: Inbox, question_id: str) -> None:
        try:
            await inbox.release(question_id)
        except StoreError:
            return  # Its lease ends by itself.

    # What a person has to know of one

    def _waiting(self, question: Question) -> Waiting | None:
        return None if self._inbox is None else self._inbox.get(question.id)

    def is_shared(self, question: Question) -> bool:
        """Whether another process asks it: it goes on waiting when this one ends."""
        return self._waiting(question) is not None

    def origin(self, question: Question) -> str:
        """For whom it is asked: the agent and where it works; empty for the console's own."""
        from elicit_tui.broker.inbox_events import elsewhere

        waiting = self._waiting(question)
        if waiting is None:
            return ""
        asker = waiting.asker
        agent = waiting.agent or "another process"
        version = f" {asker.agent_version}" if asker is not None and asker.agent_version else ""
        place = f" in {asker.directory}" if asker is not None and asker.directory else ""
        machine = elsewhere(asker)
        return f"{neutral_line(agent + version, 60)}{machine}{neutral_line(place, 200)}"

    def held(self, question: Question) -> str:
        """Who else has it in front of them, in words; empty when nobody has."""
        waiting = self._waiting(question)
        if waiting is None or self._inbox is None:
            return ""
        from elicit_tui.broker.inbox_events import where

        by = self._inbox.held_elsewhere(waiting)
        return f"being answered on {where(by)}" if by is not None else ""

    def agent_away(self, question: Question) -> str:
        """Where the agent is that waits no longer for it, in words; empty while it waits."""
        from elicit_tui.broker.inbox_events import agent_away

        waiting = self._waiting(question)
        return "" if waiting is None else agent_away(waiting)

    # What was allowed for the sessions of agents

    async def grants(self) -> tuple[Grant, ...]:
        """What is allowed for agents; nothing where the store cannot be read."""
        if self._inbox is None:
            return ()
        try:
            return await self._inbox.grants()
        except StoreError:
            return ()

    async def revoke(self, grant: Grant) -> None:
        """Take one back: its agent's next call is asked for again."""
        if self._inbox is None:
            return
        try:
            await self._inbox.revoke(grant.server, grant.tool, grant.session)
        except StoreError as error:
            self._state.say("", f"▲ {neutral_line(str(error), 400)}", "warn")

    # What happens to them

    def _heard(self, event: object) -> None:
        from elicit_tui.broker.inbox_events import QuestionCame, StoreTrouble

        self._state.changed()
        if isinstance(event, StoreTrouble):
            self._tell_trouble(event.sentence)
        elif isinstance(event, QuestionCame):
            self._tell_sealed(event.waiting)
        self._app.look_for_questions()

    def _tell_trouble(self, sentence: str | None) -> None:
        """Why questions of others cannot be seen: once, however often it is tried again."""
        if sentence is not None and sentence != self._trouble:
            self._tell("", sentence)
        self._trouble = sentence

    def _tell_sealed(self, waiting: Waiting) -> None:
        if waiting.unreadable is not None:
            sentence = f"A question waits that cannot be shown. {waiting.unreadable}"
            self._tell(waiting.server, sentence)

    def _tell(self, server: str, sentence: str) -> None:
        words = neutral_line(sentence, 400)
        self._state.say(server, f"▲ {words}", "warn")
        self._app.notify(words, title=server, severity="warning", markup=False, timeout=12)

    def _tell_delivery(self, question: Question, reply: Delivery) -> None:
        """What became of an answer that was given here, or of a question that left."""
        server = question.request.server.name
        sent = reply.kind == "sent"
        sign = SIGNS[reply.action] if sent else "▲"
        sentence = neutral_line(reply.sentence, 300)
        words = f"{sign} {sentence.rstrip('.')}: {asked(question.request)}"
        self._state.say(server, words, ROLES[reply.action] if sent else "warn")
        if sent:
            ended = f"{ACTIONS[reply.action]} by you"
            self._state.note_last(question.request, reply.action, ended)
        typed = typed_in(question.form, question.draft.typed_here)
        if typed and not sent:
            self.unsent.append(Unsent(question, sentence, typed))
        elif not sent:
            self._app.notify(sentence, title=server, severity="warning", markup=False, timeout=8)
        elif not tuple(self._state.questions):  # Else the next question is what is looked at.
            self._app.notify(sentence, title=server, markup=False, timeout=3)


def typed_in(form: Form | None, entries: Mapping[str, Entry]) -> tuple[tuple[str, str], ...]:
    """What stands in these entries that is not unset, with the titles of the fields.

    A secret is masked: it stands on no screen, and is copied from none.
    """
    from elicit_tui.tui.secret_arguments import is_secret_field

    if form is None:
        return ()
    pairs = []
    for field in form.fields:
        text = _text(entries.get(field.name))
        if text is not None:
            pairs.append((field.title, MASK if text and is_secret_field(field) else text))
    return tuple(pairs)


def _text(entry: Entry | None) -> str | None:
    from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Ticked, Typed

    if isinstance(entry, Typed):
        return entry.text
    if isinstance(entry, Chosen):
        return str(entry.value)
    if isinstance(entry, ChosenMany):
        return ", ".join(map(str, entry.values))
    if isinstance(entry, Ticked):
        return "yes" if entry.value else "no"
    return "(empty on purpose)" if isinstance(entry, EmptyOnPurpose) else None
