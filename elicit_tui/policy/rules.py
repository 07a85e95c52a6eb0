"""Step 6: does a rule of the owner, or an answers file, answer this question?

An entry that cannot answer never half-answers: without an answers file the person is asked and
told why, with one the question is cancelled and the reason names the field or the finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, Literal

from elicit_tui.elicitation.finding import Severity
from elicit_tui.elicitation.outcome import Outcome, accept, cancel, decline
from elicit_tui.elicitation.question import Question
from elicit_tui.elicitation.request import ElicitationRequest, fits, fits_any_tool
from elicit_tui.elicitation.settings import Rule, Settings
from elicit_tui.policy.decision import Decision, ends, entry_key, refusal
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.form.form import Form


STEP: Final = "rules"
_STRICT: Final = ("decline", "cancel", "ask")
"""What keeps an accept from going out, the strictest first."""
MOST_PROBLEMS: Final = 5
"""Of content that are named; how many more there are is said."""


def matches(rule: Rule, request: ElicitationRequest) -> bool:
    """Whether every glob the entry has fits, case-sensitively; `[*]` is a literal star.

    Where a question may belong to several calls, `tool` fits if one of them has such a tool.
    """
    return (
        fits(rule.server, request.server.name)
        and fits_any_tool(rule.tool, request)
        and fits(rule.mode, request.mode)
        and fits(rule.message, request.message)
    )


def why_not(
    rule: Rule, question: Question, content: Mapping[str, Any] | None, *, from_answers: bool
) -> str | None:
    """Why this accept entry may not answer this question, naming field or finding; None: it may."""
    form = question.form
    if question.request.mode != "form":
        return "an entry never accepts a URL"
    # An answers file is of one run, whose servers its author knows.
    if not from_answers and rule.server is None:
        return "an accept rule must name its server"
    if content is None:
        return "an accept entry must have content"
    if form is None:
        return "the form could not be read"
    # A yes to nothing but words is a person's own; a file may say it only in so many words.
    if form.is_confirmation and not (from_answers and rule.content == {}):
        return "the form has no fields, so it is a yes or no for a person" + (
            "; only an explicit content = {} answers it" if from_answers else ""
        )
    return _unlisted_finding(rule, question) or _not_valid(form, content)


def _unlisted_finding(rule: Rule, question: Question) -> str | None:
    """What the guardian found that the entry does not name; a block it cannot name."""
    # Each by its name: what an author did not know of is not passed for them.
    for finding in question.review.at_least(Severity.WARN):
        named = f"{neutral_line(finding.rule, 80)} in {neutral_line(finding.where, 80)}"
        if finding.severity is Severity.BLOCK:
            return f"the guardian blocks it: {named}"
        if not any(fnmatchcase(finding.rule, glob) for glob in rule.despite):
            return f"the guardian warns: {named} is not listed in despite"
    return None


def _not_valid(form: Form, content: Mapping[str, Any]) -> str | None:
    """Why this content may not be sent in answer to this form."""
    if form.refusal is not None:
        return f"the form cannot be answered: {neutral_line(form.refusal)}"
    problems = form.judge(content)
    # After the judge, as only a run shows which pattern takes too long.
    unenforced = tuple(form.unenforced)
    if unenforced:
        return f"{neutral_line(unenforced[0], 80)}: its pattern could not be run in time"
    if not problems:
        return None
    more = len(problems) - MOST_PROBLEMS
    named = [str(problem) for problem in problems[:MOST_PROBLEMS]]
    if more > 0:
        named.append(f"{more} more")
    return f"the content is not valid: {'; '.join(named)}"


def filled(rule: Rule, form: Form | None) -> Mapping[str, Any] | None:
    """The entry's content, with the schema's defaults for what it leaves out if it says so."""
    if not rule.use_defaults or form is None:
        return rule.content
    # By way of the form, so that a default that is no answer is left out.
    defaults = form.convert(form.initial()).content
    return {**defaults, **(rule.content or {})}


def first_match(rules: Sequence[Rule], request: ElicitationRequest) -> Rule | None:
    """The entry that decides this question, if any.

    Of several calls that it may belong to each has its own first one: a refusal or an `ask` of any
    decides, an accept only if it is that of all.
    """
    calls = request.calls
    own = [replace(request, calls=(call,)) for call in calls] if len(calls) > 1 else [request]
    firsts = [next((rule for rule in rules if matches(rule, asked)), None) for asked in own]
    for action in _STRICT:
        for rule in firsts:
            if rule is not None and rule.action == action:
                return rule
    return firsts[0] if all(rule is firsts[0] for rule in firsts) else None


def _answer_of(
    rule: Rule, question: Question, by: Literal["rule", "answers"], named: str, key: str
) -> Outcome | str:
    """What an entry that does not ask says to a question; a clause: why it may not accept it."""
    origin: dict[str, Any] = {"key": key, "layer": rule.layer}
    if rule.action == "decline":
        return decline(by, f"Declined by {named}.", **origin)
    if rule.action == "cancel":
        return cancel(by, f"Cancelled by {named}.", **origin)
    content = filled(rule, question.form)
    why = why_not(rule, question, content, from_answers=by == "answers")
    return why or accept(by, f"Accepted by {named}.", content, **origin)


class Rules:
    """The owner's `[[rules]]`, and the `[[answers]]` of a run if it was given any.

    Managed rules stand before an answers file, since no flag gets round them; a user's own rules
    are not used in a run with answers. `once` entries are spent by the first question they meet.
    """

    def __init__(self, settings: Settings, answers: Sequence[Rule] | None) -> None:
        self._settings = settings
        self._answers = None if answers is None else tuple(answers)
        self._left = list(self._answers or ())

    @property
    def entries(self) -> tuple[Rule, ...]:
        """Every rule, and every entry of the answers file."""
        return (*self._settings.rules, *(self._answers or ()))

    def answer(self, question: Question) -> Decision:
        """The first matching entry decides."""
        if self._answers is None:
            return self._by_rules(self._settings.rules, question)
        managed = [rule for rule in self._settings.rules if rule.layer == "managed"]
        ruled = self._by_rules(managed, question)
        if ruled.outcome is not None:
            return ruled
        # Where an administrator's rule has the word, and leaves it to a person, no file has it.
        if ruled.asks:
            why = f"{ruled.sentence} With answers nobody is asked."
            return ends(STEP, cancel("answers", f"Cancelled: {why}"))
        return ends(STEP, self._by_answers(question, managed))

    def _by_rules(self, rules: Sequence[Rule], question: Question) -> Decision:
        rule = first_match(rules, question.request)
        if rule is None:
            change = "A [[rules]] entry for this server and message would answer or refuse it."
            return Decision(STEP, "No rule matches.", "rules", None, change)
        key = entry_key(rule, "rules")
        named = f"rule {rule.position} ({rule.layer})"
        change = f"{key} decides; removing it or putting another rule before it would change this."
        if rule.layer == "managed":
            change = f"{key} is locked by managed configuration."
        if rule.action == "ask":
            refused = refusal(self._settings, "rules")
            if refused is not None:
                reason = f"Declined by policy: {named} asks for a person, and {refused.setting}."
                change = refused.change(self._settings, "it be asked")
                return ends(STEP, refused.declined(reason), change)
            sentence = f"{named.capitalize()} asks for a person."
            return Decision(STEP, sentence, key, rule.layer, change, asks=True)
        decided = _answer_of(rule, question, "rule", named, key)
        if isinstance(decided, Outcome):
            return ends(STEP, decided, change)
        sentence = f"{named.capitalize()} matched but did not answer: {decided}."
        return Decision(STEP, sentence, key, rule.layer, change, asks=True)

    def _by_answers(self, question: Question, managed: Sequence[Rule]) -> Outcome:
        # Before them what an administrator says of some of the calls that it may belong to: an
        # entry that accepts has to have the word for all of them.
        rule = first_match((*managed, *self._left), question.request)
        if rule is None:
            why = "no entry of the answers file matches this question"
            if len(question.request.calls) > 1:
                why = "no entry decides for each of the calls that it may belong to"
            return cancel("answers", f"Cancelled: {why}.")
        # Spent also where it turns out to be no valid answer: the next question is another one.
        if rule.once:
            self._left.remove(rule)
        return self._by_entry(rule, question)

    @staticmethod
    def _by_entry(rule: Rule, question: Question) -> Outcome:
        named = f"answers entry {rule.position}"
        if rule.action == "ask":
            return cancel("answers", f"Cancelled: {named} asks, and with answers nobody is asked.")
        answered = _answer_of(rule, question, "answers", named, entry_key(rule, "answers"))
        if isinstance(answered, Outcome):
            return answered
        return cancel("answers", f"Cancelled: {named} is no valid answer: {answered}.")
