"""The owner's policy as one object: the broker, the host's gate and the explanations ask it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elicit_tui.elicitation.finding import Review
from elicit_tui.elicitation.outcome import Outcome
from elicit_tui.elicitation.request import ElicitationRequest
from elicit_tui.elicitation.settings import Rule, ServerSettings, Settings
from elicit_tui.policy import surfacing
from elicit_tui.policy.explanation import Explanation, explain
from elicit_tui.policy.rules import RuleAnswer, Rules
from elicit_tui.policy.tools import Allowance, ToolGate, ToolGates

if TYPE_CHECKING:
    from elicit_tui.form import Form


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
        self._settings = settings
        self._person_present = person_present and answers is None
        self._rules = Rules(settings, answers)
        nobody = None
        if answers is not None:
            nobody = "with answers nobody is asked"
        elif not person_present:
            nobody = "nobody is there to ask"
        self._gates = ToolGates(settings, nobody=nobody)

    def surfaces(self, request: ElicitationRequest) -> Outcome | None:
        """Step 3: the outcome that policy alone decides, or None: the question may surface."""
        return surfacing.surfaces(self._settings, request)

    def weigh(self, request: ElicitationRequest, review: Review) -> Outcome | None:
        """After step 5: the guardian's decline of a block, or None: the question goes on."""
        return surfacing.weigh(self._settings, review)

    def answer(self, request: ElicitationRequest, review: Review, form: Form | None) -> RuleAnswer:
        """Step 6: what a rule or the answers file says.

        With answers there is always an outcome; one whose `key` is None says that the file had no
        valid answer. `form` is None in url mode.
        """
        return self._rules.answer(request, review, form)

    def tool_gate(
        self,
        server: ServerSettings,
        tool: str,
        annotations: Mapping[str, Any] | None,
        definition_digest: str,
        process: str,
    ) -> ToolGate:
        """Whether this tool may be called, must be confirmed, or must not be called."""
        wanted = Allowance(server.name, tool, definition_digest, process)
        return self._gates.gate(server, wanted, annotations)

    def allow_for_session(
        self, server: str, tool: str, definition_digest: str, process: str
    ) -> Allowance:
        """Let a tool be called without asking while its process and definition stay the same."""
        allowance = Allowance(server, tool, definition_digest, process)
        self._gates.allow(allowance)
        return allowance

    @property
    def allowances(self) -> tuple[Allowance, ...]:
        """What was allowed for the session, oldest first."""
        return self._gates.allowances

    def revoke(self, server: str, tool: str | None = None) -> None:
        """Ask again before calling this tool, or any tool of this server."""
        self._gates.drop(server, tool)

    def explain(
        self,
        server: str,
        tool: str | None = None,
        mode: str = "form",
        message: str | None = None,
        review: Review | None = None,
    ) -> Explanation:
        """What would happen to a question of this server, and which key would change it.

        `review`: what the guardian finds in the message, where one was given.
        """
        return explain(
            self._settings,
            server,
            tool,
            mode,
            message,
            person_present=self._person_present,
            review=review,
        )
