"""What would happen to a question or a call: the trace of the real walk, taken beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker.broker import Broker
from elicit_tui.broker.contracts import BrokerEvent, Guardian, Resolved
from elicit_tui.broker.hook_steps import shown_to
from elicit_tui.broker.options import BrokerOptions
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    Call,
    Deadline,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    ServerIdentity,
    cancel,
)
from elicit_tui.elicitation.settings import Hook, Rule, Settings
from elicit_tui.hooks import Hooks, Reply
from elicit_tui.policy import Decision, Policy
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.form.form import Form

ANY_ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
}
"""A form of one field: what a server will ask for is not known beforehand."""
A_PAGE: Final = "https://example.com/"
DESTRUCTIVE: Final[dict[str, Any]] = {"annotations": {"destructiveHint": True}}


@dataclass(frozen=True)
class PossibleQuestion:
    """What could come of one server; without a tool or a message, whatever they were."""

    server: str
    tool: str | None = None
    mode: str = "form"
    message: str | None = None


@dataclass(frozen=True)
class Explanation:
    """The steps that such a question would take."""

    question: PossibleQuestion
    result: str
    """What comes out: `error`, `decline`, `cancel`, `accept`, `ask`, or `not called`."""
    steps: tuple[Decision, ...]

    def as_json(self) -> dict[str, Any]:
        """The whole for `config explain --output json`."""
        return {
            "server": self.question.server,
            "tool": self.question.tool,
            "mode": self.question.mode,
            "message": self.question.message,
            "result": self.result,
            "steps": [step.as_json() for step in self.steps],
        }


class _Unwritten:
    """A ledger for a question that nobody asks: nothing is written."""

    def _nothing(self, *told: object, **named: object) -> None:
        pass

    asked = decided = sent = withdrawn = flood = _nothing


class _WouldBeAsked:
    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        return cancel("nobody", "This was only asked to see what would happen.")


class _LooksAtTheMessage:
    """A guardian that finds nothing in a form that is made up here."""

    def __init__(self, guardian: Guardian) -> None:
        self._guardian = guardian

    def review(self, request: ElicitationRequest) -> Review:
        """The findings about the request as if it asked for one harmless field."""
        if request.mode == "form":
            request = replace(request, params={**request.params, "requestedSchema": ANY_ANSWER})
        return self._guardian.review(request)

    def outgoing(self, content: Mapping[str, Any], form: Form | None) -> tuple[Finding, ...]:
        """What the guardian finds in the content."""
        return self._guardian.outgoing(content, form)


def _any_content(entries: Sequence[Rule]) -> dict[str, Any]:
    """A form that the content of every entry satisfies, whatever it names."""
    named: dict[str, Any] = {name: {} for rule in entries for name in rule.content or ()}
    return {**ANY_ANSWER, "properties": {**ANY_ANSWER["properties"], **named}}


def _request(policy: Policy, question: PossibleQuestion) -> ElicitationRequest:
    params: dict[str, Any] = {"mode": question.mode, "message": question.message or ""}
    if question.mode == "url":
        params |= {"url": A_PAGE, "elicitationId": "explained"}
    else:
        params["requestedSchema"] = _any_content(policy.entries)
    calls = (Call("tools/call", question.tool),) if question.tool is not None else ()
    server = ServerIdentity(question.server, "stdio", "")
    return ElicitationRequest(server, params, calls=calls, wire_id=1)


async def explain(
    settings: Settings, policy: Policy, guardian: Guardian, question: PossibleQuestion
) -> Explanation:
    """Take a question that could come through the broker; nobody is asked, nothing written.

    Its form takes any content. Hooks are named where they stand, and are not run.
    """
    steps = [policy.may_run(question.server)]
    if steps[-1].outcome is None and question.tool is not None:
        steps.append(_called(policy, question.server, question.tool))
    if steps[-1].outcome is not None:
        return Explanation(question, "not called", tuple(steps))
    hooks = _not_run(settings)
    looks = _LooksAtTheMessage(guardian)
    broker = Broker(policy, looks, _Unwritten(), _WouldBeAsked(), BrokerOptions(hooks=hooks))
    ended: list[Resolved] = []

    def heard(event: BrokerEvent) -> None:
        if isinstance(event, Resolved):
            ended.append(event)

    broker.subscribe(heard)
    request = _request(policy, question)
    await broker.resolve(request)
    steps += [_with_unknowns(step, settings, question) for step in ended[0].trace]
    last = steps[-1]
    result = "ask" if last.outcome is None else last.outcome.action or "error"
    seen = hooks.chosen("ElicitationResult", request) if hooks else ()
    if seen and result in ("ask", "accept"):
        steps.append(shown_to(seen))
    return Explanation(question, result, tuple(steps))


def _not_run(settings: Settings) -> Hooks | None:
    """The owner's hooks as they are chosen; what each would say is not known beforehand."""
    if not settings.hooks:
        return None

    class NotRun(Hooks):
        async def ask(self, hook: Hook, request: ElicitationRequest, review: Review) -> Reply:
            return Reply()

        def asked(self, request: ElicitationRequest, review: Review) -> None:
            pass

        def resolved(
            self, request: ElicitationRequest, review: Review, outcome: Outcome, waited_ms: int
        ) -> None:
            pass

    return NotRun(settings.hooks, "none")


def _called(policy: Policy, server: str, tool: str) -> Decision:
    """The tool gate's step; what the tool will say of itself is not known."""
    silent = policy.judge_call(server, tool, {}, allowed=False)
    alarming = policy.judge_call(server, tool, DESTRUCTIVE, allowed=False)
    # Both come out alike: what the tool says of itself changes nothing.
    if silent.outcome is not None or alarming.sentence == silent.sentence:
        return silent
    may = f"{neutral_line(tool, 80)} may be called"
    sentence = f"{may}. If the tool says that it is destructive: {alarming.sentence}"
    return silent._replace(sentence=sentence, change=alarming.change)


def _with_unknowns(step: Decision, settings: Settings, question: PossibleQuestion) -> Decision:
    """The step of the rules, with those that may match once tool and message are known."""
    if step.step != "rules":
        return step

    def depends(rule: Rule) -> bool:
        return (question.message is None and rule.message is not None) or (
            question.tool is None and rule.tool is not None
        )

    perhaps = [f"rule {rule.position} ({rule.layer})" for rule in settings.rules if depends(rule)]
    if not perhaps:
        return step
    more = f"It depends on the tool or the message: {', '.join(perhaps)} may match."
    return step._replace(sentence=f"{step.sentence} {more}")
