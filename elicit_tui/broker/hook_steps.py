"""What the owner's hooks may do to a question, and to its answer.

`before` stands in step 6, `after` behind the answer. An accept of a hook has the limits of a rule
and acknowledges nothing. A hook that fails changes nothing: a person is asked and told which one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from elicit_tui.broker.admitted import Admitted
from elicit_tui.broker.events import BrokerEvent, Listener, Requested, Resolved
from elicit_tui.elicitation import Finding, Outcome, Question
from elicit_tui.elicitation.guardian_settings import Layer
from elicit_tui.elicitation.keeping import kept_content
from elicit_tui.elicitation.settings import Hook, Rule
from elicit_tui.errors import HookError
from elicit_tui.policy import Decision
from elicit_tui.text import neutral_line, readable_json

if TYPE_CHECKING:
    from elicit_tui.form import Form
    from elicit_tui.hooks import Hooks, Reply

_ANSWERED_BY: Final = ("user", "rule", "answers", "hook", "client", "agent")
"""Who gives an answer that result hooks see; refusals by policy, limits and ends they do not."""
_SHOWN_VALUE: Final = 60

Result = TypeVar("Result")
Outgoing = Callable[[Mapping[str, Any], "Form | None"], tuple[Finding, ...]]
"""The one look at content before it leaves."""
Again = Callable[[str], Awaitable[Outcome]]
"""Asks the person once more, with a note that says why."""


class Before(NamedTuple):
    """What the hooks before the person made of a question."""

    outcome: Outcome | None = None
    note: str | None = None
    """Why a person is to decide, although a hook answered or should have."""
    failed: bool = False
    """One did not do its work: nothing but a person may accept any more."""


class HookSteps:
    """Asks the hooks at the two places where they have a say; without hooks it changes nothing."""

    def __init__(
        self,
        hooks: Hooks | None,
        why_not: Callable[[Rule, Question], str | None],
        outgoing: Outgoing,
        notice: Callable[[str, str], None],
    ) -> None:
        self._hooks = hooks
        self._why_not = why_not
        self._outgoing = outgoing
        self._notice = notice

    async def before(
        self, entry: Admitted, layer: Layer | None = None, failed: bool = False
    ) -> Before:
        """Ask the `Elicitation` hooks of a layer, one after the other; the first answer counts.

        After a failure only refusals count.
        """
        request, notes = entry.request, []
        hooks = self._hooks
        if hooks is None:
            return Before()
        chosen = hooks.chosen("Elicitation", request, layer)
        if chosen:
            sentence = "Asked before a person: {}. The first that answers decides."
            entry.trace.append(_step(chosen, sentence))
        for hook in chosen:
            try:
                reply = await _while_open(entry, hooks.ask(hook, request, entry.question.review))
            except HookError as error:
                failed = True
                notes.append(f"The hook {hook.key} {_said(error)}.")
                self._notice(request.server.name, notes[-1])
                continue
            if entry.ended is not None or reply is None:
                return Before(entry.ended)
            if reply.action in ("decline", "cancel"):
                return Before(_refused(hook, reply))
            if reply.action == "accept":
                why = self._may_not_accept(hook, reply, entry)
                if why is None and not failed:
                    reason = f"Accepted by the hook {hook.key}."
                    return Before(_by(hook, "accept", reason, content=reply.content))
                if why is not None:
                    notes.append(f"The hook {hook.key} accepted, which does not count: {why}.")
        return Before(None, " ".join(notes) or None, failed)

    def _may_not_accept(self, hook: Hook, reply: Reply, entry: Admitted) -> str | None:
        """Why this accept does not count: the limits are those of a rule without `despite`."""
        if entry.request.kind == "approval":
            return "only a person allows a tool call"
        rule = Rule("accept", server="*", content=reply.content, layer=hook.layer)
        return self._why_not(rule, entry.question)

    async def after(self, entry: Admitted, outcome: Outcome, again: Again) -> Outcome:
        """Show the answer to the `ElicitationResult` hooks; what may go out after that.

        Each may refuse an accept or change its content; the person is told what was changed. One
        that fails, or puts in what may not go out, has the person asked once more; what they then
        send is theirs, and that hook is not asked again.
        """
        hooks = self._hooks
        excused: set[str] = set()
        while hooks is not None:
            for hook in hooks.chosen("ElicitationResult", entry.request):
                if hook.key in excused:
                    continue
                if outcome.action is None or outcome.decided_by not in _ANSWERED_BY:
                    return outcome
                outcome, why = await self._shown(hooks, hook, entry, outcome)
                if entry.ended is not None:
                    return entry.ended
                if why is not None:
                    self._notice(entry.request.server.name, why)
                    if outcome.action == "accept":
                        excused.add(hook.key)
                        outcome = await again(f"{why} Send it again if it is to go out as it is.")
                        break  # it may be another answer: the others see it from the beginning
            else:
                return outcome
        return outcome

    async def _shown(
        self, hooks: Hooks, hook: Hook, entry: Admitted, given: Outcome
    ) -> tuple[Outcome, str | None]:
        try:
            reply = await _while_open(entry, hooks.show(hook, entry.request, given))
        except HookError as error:
            return given, f"The hook {hook.key} {_said(error)}."
        return (given, None) if reply is None else self._weighed(hook, reply, entry, given)

    def _weighed(
        self,
        hook: Hook,
        reply: Reply,
        entry: Admitted,
        given: Outcome,
    ) -> tuple[Outcome, str | None]:
        """The outcome after one result hook, and why a person has to look at it once more."""
        request, review, form = entry.request, entry.question.review, entry.question.form
        if reply.action in (None, given.action) and reply.content is None:
            return given, None
        if given.action != "accept":
            if reply.action == "accept":
                self._notice(
                    request.server.name,
                    f"The hook {hook.key} would have accepted what was refused; it stays refused.",
                )
                return given, None
            return replace(_refused(hook, reply), answered=given), None
        if reply.action in ("decline", "cancel"):
            refused = replace(_refused(hook, reply), answered=given)
            self._notice(request.server.name, f"{refused.reason} The answer did not go out.")
            return refused, None
        content, old = dict(reply.content or {}), given.content
        if old is None or form is None:
            return given, None  # a page or an approval has no content that could be changed
        changed = _by(hook, "accept", "", content=content, answered=given)
        if not changed.changed:
            return given, None
        if form.judge(content):
            return given, f"The hook {hook.key} put in what requestedSchema does not allow."
        found = self._outgoing(content, form)
        if set(found) - set(self._outgoing(old, form)):
            named = ", ".join(neutral_line(finding.where, 80) for finding in found)
            return given, f"The hook {hook.key} put in what looks like a secret ({named})."
        shown = [kept_content(each, review, "redacted") or {} for each in (old, content)]
        told = "; ".join(_told(name, *shown) for name in changed.changed)
        self._notice(request.server.name, f"The hook {hook.key} changed the answer: {told}.")
        names = ", ".join(map(_name, changed.changed))
        return replace(changed, reason=f"Changed by the hook {hook.key}: {names}."), None


def shown_to(hooks: Sequence[Hook]) -> Decision:
    """The step of the result hooks, where any is meant."""
    return _step(hooks, "Sees the answer, and may refuse or change it: {}.")


def _step(hooks: Sequence[Hook], sentence: str) -> Decision:
    """What these hooks do in the walk; `{}` of the sentence is their names."""
    said = sentence.format(", ".join(hook.key for hook in hooks))
    return Decision("hooks", said, key="hooks", layer=hooks[0].layer)


def _by(hook: Hook, action: Any, reason: str, **more: Any) -> Outcome:
    return Outcome(action, "hook", reason, key=hook.key, layer=hook.layer, via="hook", **more)


def _refused(hook: Hook, reply: Reply) -> Outcome:
    said = "Declined" if reply.action == "decline" else "Cancelled"
    why = f": {reply.reason}" if reply.reason else "."
    return _by(hook, reply.action, f"{said} by the hook {hook.key}{why}")


def _said(error: HookError) -> str:
    return neutral_line(str(error), 300)


def _told(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    def value(content: Mapping[str, Any]) -> str:
        if name not in content:
            return "nothing"
        return neutral_line(readable_json(content[name], indent=None), _SHOWN_VALUE)

    return f"{_name(name)} from {value(old)} to {value(new)}"


def _name(name: str) -> str:
    return neutral_line(name, 80)


async def _while_open(entry: Admitted, work: Coroutine[Any, Any, Result]) -> Result | None:
    """The result, or None when the question ended meanwhile; the work then ends too."""
    task = asyncio.ensure_future(work)
    over = asyncio.ensure_future(entry.over.wait())
    try:
        await asyncio.wait((task, over), return_when=asyncio.FIRST_COMPLETED)
        return None if entry.ended is not None else task.result()
    finally:
        for each in (task, over):
            each.cancel()
        await asyncio.gather(task, over, return_exceptions=True)


def listener_for(hooks: Hooks) -> Listener:
    """A listener that passes the broker's events on to the `Asked` and `Resolved` hooks."""

    def listener(event: BrokerEvent) -> None:
        if isinstance(event, Requested):
            hooks.asked(event.question.request, event.question.review)
        elif isinstance(event, Resolved):
            hooks.resolved(event.request, event.review, event.outcome, event.waited_ms)

    return listener
