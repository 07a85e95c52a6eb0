"""The owner's policy as one object: the broker and the explanations ask it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from elicit_tui.elicitation.finding import Review
from elicit_tui.elicitation.outcome import cancel
from elicit_tui.elicitation.question import Question
from elicit_tui.elicitation.request import ElicitationRequest
from elicit_tui.elicitation.settings import Rule, Settings
from elicit_tui.policy import surfacing
from elicit_tui.policy.decision import Decision, ends, layer_of, setting_text, who_can_change
from elicit_tui.policy.rules import Rules, why_not
from elicit_tui.policy.surfacing import judge_login, server_settings
from elicit_tui.policy.tools import judge_call, judge_prompt, may_run, needs_definition


class Policy:
    """Answers for the owner where no person is needed; holds no clock and does no input or output.

    `answers`: the entries of an answers file; with them nobody is asked. `person_present`: whether
    a tool call can be confirmed.
    """

    def __init__(
        self,
        settings: Settings,
        answers: Sequence[Rule] | None = None,
        person_present: bool = True,
    ) -> None:
        self.settings = settings
        self.has_answers = answers is not None
        """Whether an answers file was given, and nobody is asked."""
        self._rules = Rules(settings, answers)
        self._nobody: str | None = None
        """Why nobody can be asked in this run, in a clause."""
        if answers is not None:
            self._nobody = "with answers nobody is asked"
        elif not person_present:
            self._nobody = "nobody is there to ask"

    def surfaces(self, request: ElicitationRequest) -> Decision:
        """Step 3: an end that policy alone decides, or the question may surface."""
        # `or`: policy that says nothing lets it surface.
        return surfacing.surfaces(self.settings, request) or self._may_surface

    @cached_property
    def _may_surface(self) -> Decision:
        return surfacing.may_surface(self.settings)

    @cached_property
    def within_limits(self) -> Decision:
        """What step 4 says of a question that is within its server's limits."""
        return surfacing.within_limits(self.settings)

    def weigh(self, review: Review) -> Decision:
        """Step 5: what the guardian's verdict does: a decline, or the question goes on."""
        return surfacing.weigh(self.settings, review)

    def answer(self, question: Question) -> Decision:
        """Step 6: what a rule or the answers file says.

        With answers there is always an outcome; one whose `key` is None says that the file had no
        valid answer.
        """
        return self._rules.answer(question)

    @property
    def entries(self) -> tuple[Rule, ...]:
        """Every rule of the owner, and every entry of the answers file."""
        return self._rules.entries

    @cached_property
    def asking(self) -> Decision:
        """Step 7: whether anybody is there to ask, and for how long."""
        # An answers file, or a run without a person: the time that is set means nothing then.
        if self._nobody is not None:
            return ends("ask", cancel("nobody", "Nobody is there to ask, so it is cancelled."))
        key, seconds = "elicitation.timeout_sec", self.settings.elicitation.timeout_sec
        layer = layer_of(self.settings, key)
        promise = "You are asked, for as long as you like"
        if seconds:
            promise = "You are asked, and without an answer in time it is cancelled"
        change = who_can_change(self.settings, key, f"{key} sets the time; 0 means none.")
        sentence = f"{promise}: {setting_text(key, seconds, layer)}."
        return Decision("ask", sentence, key, layer, change, asks=True)

    def may_run(self, server: str) -> Decision:
        """Whether a server is started at all."""
        return may_run(self.settings, server_settings(self.settings, server))

    def why_not(self, rule: Rule, question: Question) -> str | None:
        """Why a prepared accept, such as a hook's, may not answer this question; None: it may."""
        # A hook's answer is judged as a rule of the owner is, and not as an entry of an answers
        # file.
        return why_not(rule, question, rule.content, from_answers=False)

    def judge_login(self, server: str) -> Decision:
        """Whether a person may be asked to log in to this server."""
        known = server_settings(self.settings, server)
        return judge_login(self.settings, known, nobody=self._nobody)

    def judge_prompt(self) -> Decision:
        """Whether a person is asked about what an agent itself wants to do."""
        return judge_prompt(self.settings)

    def needs_definition(self, server: str, tool: str) -> bool:
        """Whether what a tool says of itself has a part in `judge_call`."""
        return needs_definition(server_settings(self.settings, server), tool)

    def judge_call(
        self, server: str, tool: str, definition: Mapping[str, Any] | None, *, allowed: bool
    ) -> Decision:
        """Whether a tool call goes out, asks a person first, or ends here.

        `definition` is its entry of tools/list, None when its server does not list it; `allowed`
        whether a person allowed it for the session.
        """
        known = server_settings(self.settings, server)
        return judge_call(
            self.settings, known, tool, definition, allowed=allowed, nobody=self._nobody
        )
