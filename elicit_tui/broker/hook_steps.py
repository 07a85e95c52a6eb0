"""What the owner's hooks may do to a question, and to its answer.

`before` stands in step 6, `after` behind the answer. An accept of a hook has the limits of a rule
and acknowledges nothing. A hook that fails changes nothing: a person is asked and told which one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from elicit_tui.broker.admitted import Admitted
from elicit_tui.broker.ask import AskPerson
from elicit_tui.broker.contracts import BrokerEvent, Listener, Requested, Resolved
from elicit_tui.elicitation import Finding, Outcome, Question
from elicit_tui.elicitation.keeping import kept_content
from elicit_tui.elicitation.request import fits_each_tool
from elicit_tui.elicitation.settings import Hook, Layer, Rule
from elicit_tui.errors import HookError
from elicit_tui.policy import Decision
from elicit_tui.text import neutral_line, readable_json

if TYPE_CHECKING:
    from elicit_tui.form.form import Form
    from elicit_tui.hooks import Hooks, Reply

_ANSWERED_BY: Final = ("user", "rule", "answers", "hook", "client", "agent")
"""Who gives an answer that result hooks see; refusals by policy, limits and ends they do not."""
_SHOWN_VALUE: Final = 60
OTHER_CALL: Final = "the question may be of a call whose tool this hook does not name"
ONLY_A_PERSON: Final = "another hook failed, so only a person accepts"

Result = TypeVar("Result")
Outgoing = Callable[[Mapping[str, Any], "Form | None"], tuple[Finding, ...]]
"""The one look at content before it leaves."""


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

        After a failure only refusals count. What does not count is told, by hook and reason.
        """
        hooks = self._hooks
        if hooks is None:
            return Before()
        chosen = hooks.chosen("Elicitation", entry.request, layer)
        if chosen:
            sentence = "Asked before a person: {}. The first that answers decides."
            entry.trace.append(_decision(chosen, sentence))
        notes: list[str] = []
        # One after the other, not side by side: the first answer decides, and later ones are not
        # run.
        for hook in chosen:
            try:
                reply = await _while_open(
                    entry, hooks.ask(hook, entry.request, entry.question.review)
                )
            except HookError as error:
                failed = True
                notes.append(_failure(hook, error))
                self._notice(entry.request.server.name, notes[-1])
                continue
            # The question ended while the hook ran.
            if entry.ended is not None or reply is None:
                return Before(entry.ended)
            outcome, why = self._judged(hook, reply, entry, failed)
            if outcome is not None:
                return Before(outcome)
            if why is not None:
                notes.append(f"The {hook.name} accepted, which does not count: {why}.")
                self._notice(entry.request.server.name, notes[-1])
        return Before(None, " ".join(notes) or None, failed)

    def _judged(
        self, hook: Hook, reply: Reply, entry: Admitted, failed: bool
    ) -> tuple[Outcome | None, str | None]:
        """The outcome that a reply decides, or why its accept does not count; neither for none."""
        if reply.action in ("decline", "cancel"):
            return _refusal(hook, reply), None
        if reply.action != "accept":
            return None, None
        why = ONLY_A_PERSON if failed else self._may_not_accept(hook, reply, entry)
        if why is not None:
            return None, why
        reason = f"Accepted by the {hook.name}."
        return _outcome(hook, "accept", reason, content=reply.content), None

    def _may_not_accept(self, hook: Hook, reply: Reply, entry: Admitted) -> str | None:
        """Why this accept does not count: the limits are those of a rule without `despite`."""
        traits = entry.request.traits
        if "hook" not in traits.accepted_by:
            return traits.only_person
        # Judged as a rule that accepts everything this hook accepts, so that a hook is no way
        # around.
        if not fits_each_tool(hook.tool, entry.request):
            return OTHER_CALL
        rule = Rule("accept", server="*", content=reply.content, layer=hook.layer)
        return self._why_not(rule, entry.question)

    def unless_failed(
        self, managed: Before, prepared: Outcome | None, entry: Admitted
    ) -> Outcome | None:
        """What a rule or the answers file says, where it counts after the managed hooks.

        Where one of them failed, nothing but a person accepts any more.
        """
        if not managed.failed or prepared is None or prepared.action != "accept":
            return prepared
        name = prepared.key or prepared.decided_by
        sentence = f"{name} accepted, which does not count: {ONLY_A_PERSON}."
        self._notice(entry.request.server.name, sentence)
        return None

    async def after(self, entry: Admitted, outcome: Outcome, ask: AskPerson) -> Outcome:
        """Show the answer to the `ElicitationResult` hooks; what may go out after that.

        Each may refuse an accept or change its content; the person is told what was changed. One
        that fails, or puts in what may not go out, has the person asked once more; what they then
        send is theirs, and that hook is not asked again.
        """
        hooks = self._hooks
        excused: set[str] = set()
        # Begins anew whenever the person gave another answer; who failed is excused, so that it
        # ends.
        while hooks is not None:
            for hook in hooks.chosen("ElicitationResult", entry.request):
                if hook.key in excused:
                    continue
                if outcome.decided_by not in _ANSWERED_BY:
                    return outcome
                outcome, why = await self._shown(hooks, hook, entry, outcome)
                if entry.ended is not None:
                    return entry.ended
                if why is not None:
                    self._notice(entry.request.server.name, why)
                    # A refusal stays one, whoever failed.
                    if outcome.action == "accept":
                        excused.add(hook.key)
                        outcome = await ask(f"{why} Send it again if it is to go out as it is.")
                        break  # it may be another answer: the others see it from the beginning
            # The `else` of a `for`: every hook has seen this answer, and none of them stopped here.
            else:
                return outcome
        return outcome

    async def _shown(
        self, hooks: Hooks, hook: Hook, entry: Admitted, outcome: Outcome
    ) -> tuple[Outcome, str | None]:
        """The outcome after one result hook, and why a person has to look at it once more."""
        try:
            reply = await _while_open(entry, hooks.show(hook, entry.request, outcome))
        except HookError as error:
            return outcome, _failure(hook, error)
        # No word, or the same action without content: it saw the answer and leaves it.
        if reply is None or (reply.action in (None, outcome.action) and reply.content is None):
            return outcome, None
        if outcome.action == "accept" and reply.action == "accept":
            return self._changed(hook, reply, entry, outcome)
        return self._refused(hook, reply, entry, outcome), None

    def _refused(self, hook: Hook, reply: Reply, entry: Admitted, outcome: Outcome) -> Outcome:
        """The outcome where a hook refuses, or where a refusal was given; never an accept."""
        server = entry.request.server.name
        if reply.action == "accept":
            sentence = "would have accepted what was refused; it stays refused."
            self._notice(server, f"The {hook.name} {sentence}")
            return outcome
        refused = replace(_refusal(hook, reply), answered=outcome)
        if outcome.action == "accept":
            self._notice(server, f"{refused.reason} The answer did not go out.")
        return refused

    def _changed(
        self, hook: Hook, reply: Reply, entry: Admitted, outcome: Outcome
    ) -> tuple[Outcome, str | None]:
        """The accept with what a hook put in its place, and why a person has to look at that."""
        server, form = entry.request.server.name, entry.question.form
        if outcome.content is None or form is None:
            self._not_changed(hook, server, "this has no content that could be changed")
            return outcome, None
        # A hook gives the content as a whole, and not the fields that it changes.
        content = dict(reply.content or {})
        changed = _outcome(hook, "accept", "", content=content, answered=outcome)
        if not changed.changed:
            return outcome, None
        if not fits_each_tool(hook.tool, entry.request):
            self._not_changed(hook, server, OTHER_CALL)
            return outcome, None
        if outcome.decided_by == "answers" and hook.layer == "user":
            # What a run without a person sends stands in its answers file, on every machine.
            self._not_changed(hook, server, "what an answers file says goes out as it is")
            return outcome, None
        if fault := self._fault(form, outcome.content, content):
            return outcome, f"The {hook.name} put in {fault}."
        # Shown as the record would keep it: a secret stays masked here too.
        before, after = (
            kept_content(version, entry.question.review, "redacted") or {}
            for version in (outcome.content, content)
        )
        changes = "; ".join(_change(name, before, after) for name in changed.changed)
        self._notice(server, f"The {hook.name} changed the answer: {changes}.")
        names = ", ".join(map(_field_name, changed.changed))
        return replace(changed, reason=f"Changed by the {hook.name}: {names}."), None

    def _fault(
        self, form: Form, before: Mapping[str, Any], content: Mapping[str, Any]
    ) -> str | None:
        """What in changed content a person has to look at, in a clause; None: it may go out."""
        if problems := form.judge(content):
            return f"what requestedSchema does not allow: {problems[0]}"
        found = self._outgoing(content, form)
        # Only what is new counts: what the person put in was acknowledged by them.
        if set(found) - set(self._outgoing(before, form)):
            where = ", ".join(neutral_line(finding.where, 80) for finding in found)
            return f"what looks like a secret ({where})"
        return None

    def _not_changed(self, hook: Hook, server: str, why: str) -> None:
        self._notice(server, f"The {hook.name} changed the answer, which does not count: {why}.")


def shown_to(hooks: Sequence[Hook]) -> Decision:
    """The step of the result hooks, where any is meant."""
    return _decision(hooks, "Sees the answer, and may refuse or change it: {}.")


def _decision(hooks: Sequence[Hook], sentence: str) -> Decision:
    """What these hooks do in the walk; `{}` of the sentence is their names."""
    names = ", ".join(hook.name for hook in hooks)
    return Decision("hooks", sentence.format(names), key="hooks", layer=hooks[0].layer)


def _outcome(hook: Hook, action: Any, reason: str, **more: Any) -> Outcome:
    return Outcome(action, "hook", reason, key=hook.key, layer=hook.layer, via="hook", **more)


def _refusal(hook: Hook, reply: Reply) -> Outcome:
    verb = "Declined" if reply.action == "decline" else "Cancelled"
    why = f": {reply.reason}" if reply.reason else "."
    return _outcome(hook, reply.action, f"{verb} by the {hook.name}{why}")


def _failure(hook: Hook, error: HookError) -> str:
    return f"The {hook.name} {neutral_line(str(error), 300)}."


def _change(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What became of one field, in words: `colour from "red" to "blue"`."""

    def value(content: Mapping[str, Any]) -> str:
        if name not in content:
            return "nothing"
        return neutral_line(readable_json(content[name], indent=None), _SHOWN_VALUE)

    return f"{_field_name(name)} from {value(old)} to {value(new)}"


def _field_name(name: str) -> str:
    return neutral_line(name, 80)


async def _while_open(entry: Admitted, work: Coroutine[Any, Any, Result]) -> Result | None:
    """The result, or None when the question ended meanwhile; the work then ends too."""
    if entry.ended is not None:
        work.close()
        return None
    task = asyncio.ensure_future(work)
    over = asyncio.ensure_future(entry.over.wait())
    try:
        # The end wins where both came at once: nobody waits for what the hook says.
        await asyncio.wait((task, over), return_when=asyncio.FIRST_COMPLETED)
        return None if entry.ended is not None else task.result()
    finally:
        for waiter in (task, over):
            waiter.cancel()
        await asyncio.gather(task, over, return_exceptions=True)


def listener_for(hooks: Hooks) -> Listener:
    """A listener that passes the broker's events on to the `Asked` and `Resolved` hooks."""

    def listener(event: BrokerEvent) -> None:
        if isinstance(event, Requested):
            hooks.asked(event.question.request, event.question.review)
        elif isinstance(event, Resolved):
            hooks.resolved(event.request, event.review, event.outcome)

    return listener
