"""Tells what would happen to a question or a call: takes it through a broker that asks nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker.broker import Broker
from elicit_tui.broker.contracts import BrokerEvent, BrokerOptions, Resolved
from elicit_tui.broker.hook_steps import shown_to
from elicit_tui.broker.reviewing import Guardian
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

_ANY_ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
}
"""A form of one field: what a server will ask for is not known beforehand."""
_ANY_PAGE: Final = "https://example.com/"
_DESTRUCTIVE: Final[dict[str, Any]] = {"annotations": {"destructiveHint": True}}


@dataclass(frozen=True)
class PossibleQuestion:
    """A question that a server could ask; None for a tool or a message stands for any."""

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


class _NoLedger:
    """A ledger for a question that nobody asks: nothing is written."""

    def _write_nothing(self, *values: object, **named: object) -> None:
        pass

    asked = decided = sent = withdrawn = flood = _write_nothing


class _NoResponder:
    """A responder for a question that nobody asks: nobody is shown anything."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        return cancel("nobody", "This was only asked to see what would happen.")


class _UnrunHooks(Hooks):
    """The owner's hooks as they are chosen; what each would say is not known beforehand."""

    async def ask(self, hook: Hook, request: ElicitationRequest, review: Review) -> Reply:
        return Reply()

    def asked(self, request: ElicitationRequest, review: Review) -> None:
        pass

    def resolved(self, request: ElicitationRequest, review: Review, outcome: Outcome) -> None:
        pass


class _MessageGuardian:
    """The guardian for a form that is made up here: it looks at the rest of the request alone."""

    def __init__(self, guardian: Guardian) -> None:
        self._guardian = guardian

    def review(self, request: ElicitationRequest) -> Review:
        """The findings about the request as if it asked for one harmless field."""
        if request.mode == "form":
            request = replace(request, params={**request.params, "requestedSchema": _ANY_ANSWER})
        return self._guardian.review(request)

    def outgoing(self, content: Mapping[str, Any], form: Form | None) -> tuple[Finding, ...]:
        """What the guardian finds in the content."""
        return self._guardian.outgoing(content, form)


def _any_content(entries: Sequence[Rule]) -> dict[str, Any]:
    """A form that the content of every entry satisfies, whatever it names."""
    named: dict[str, Any] = {name: {} for rule in entries for name in rule.content or ()}
    return {**_ANY_ANSWER, "properties": {**_ANY_ANSWER["properties"], **named}}


def _request(policy: Policy, question: PossibleQuestion) -> ElicitationRequest:
    params: dict[str, Any] = {"mode": question.mode, "message": question.message or ""}
    if question.mode == "url":
        params |= {"url": _ANY_PAGE, "elicitationId": "explained"}
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
    steps = _steps_of_call(policy, question)
    if steps[-1].outcome is not None:
        return Explanation(question, "not called", tuple(steps))
    hooks = _UnrunHooks(settings.hooks, "none") if settings.hooks else None
    request = _request(policy, question)
    trace = await _trace(policy, guardian, hooks, request)
    steps += [_with_unknowns(step, settings, question) for step in trace]
    last = steps[-1]
    result = "ask" if last.outcome is None else last.outcome.action or "error"
    told_of_answer = hooks.chosen("ElicitationResult", request) if hooks else ()
    if told_of_answer and result in ("ask", "accept"):
        steps.append(shown_to(told_of_answer))
    return Explanation(question, result, tuple(steps))


async def _trace(
    policy: Policy, guardian: Guardian, hooks: Hooks | None, request: ElicitationRequest
) -> tuple[Decision, ...]:
    """The steps that a real broker takes with the request."""
    options = BrokerOptions(hooks=hooks)
    broker = Broker(policy, _MessageGuardian(guardian), _NoLedger(), _NoResponder(), options)
    resolved: list[Resolved] = []

    def listen(event: BrokerEvent) -> None:
        if isinstance(event, Resolved):
            resolved.append(event)

    broker.subscribe(listen)
    await broker.resolve(request)
    return resolved[0].trace


def _steps_of_call(policy: Policy, question: PossibleQuestion) -> list[Decision]:
    """Whether the server is started, and then whether its tool is called."""
    may_run = policy.may_run(question.server)
    if may_run.outcome is not None or question.tool is None:
        return [may_run]
    return [may_run, _tool_gate(policy, question.server, question.tool)]


def _tool_gate(policy: Policy, server: str, tool: str) -> Decision:
    """The tool gate's step; what the tool will say of itself is not known."""
    silent = policy.judge_call(server, tool, {}, allowed=False)
    destructive = policy.judge_call(server, tool, _DESTRUCTIVE, allowed=False)
    # Both come out alike: what the tool says of itself changes nothing.
    if silent.outcome is not None or destructive.sentence == silent.sentence:
        return silent
    sentence = (
        f"{neutral_line(tool, 80)} may be called. "
        f"If the tool says that it is destructive: {destructive.sentence}"
    )
    return silent._replace(sentence=sentence, change=destructive.change)


def _with_unknowns(step: Decision, settings: Settings, question: PossibleQuestion) -> Decision:
    """The step of the rules, with those that may match once tool and message are known."""
    if step.step != "rules":
        return step

    def depends_on_unknown(rule: Rule) -> bool:
        on_message = question.message is None and rule.message is not None
        on_tool = question.tool is None and rule.tool is not None
        return on_message or on_tool

    rules = [rule for rule in settings.rules if depends_on_unknown(rule)]
    if not rules:
        return step
    names = ", ".join(f"rule {rule.position} ({rule.layer})" for rule in rules)
    more = f"It depends on the tool or the message: {names} may match."
    return step._replace(sentence=f"{step.sentence} {more}")
