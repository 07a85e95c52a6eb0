"""Questions that pretend, threaten, lure or give orders to the model.

Each rule is a sum over frames (`elicit_tui.guardian.frames`): a threat alone is no deception, nor
is a deadline; a threat to what is yours with a demand for your data is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.frames import PROSE, PROSE_OF_FIELDS, matching, summed
from elicit_tui.guardian.pages import compiled
from elicit_tui.guardian.reading import GENERAL, Reading
from elicit_tui.guardian.rule import GuardianRule, Sighting, house_rule, mentions, sighting_at
from elicit_tui.text.letters import value_of

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_WITH_NAMES: Final = (*PROSE, "name")
_SUM: Final = re.compile(r"\d{1,12}(?:[.,]\d{1,8})*")
_TOOL: Final = re.compile(r"\b[a-z]+(?:[_.][a-z]+){1,20}\b(?!\.)|\w\(\)")
_CALL: Final = re.compile(r"\b(?:call|invoke|run|use)[\s*_`'\"]{1,4}[a-z]+(?:_[a-z]+)+\b")
_CLOSE, _NEAR, _MORE = 24, 80, 1.25


def _threat(request: Reading) -> Iterator[Sighting]:
    # Who only chooses among answers hands over nothing: that is a quiz.
    if request.fields and all(field.kind == "choice" for field in request.fields):
        return
    matches = matching("deception.threat", request, request.texts(*PROSE))
    frames = {match.frame.name: match for match in matches}
    if request.only_chooses and all(it.mention.clause.is_cited for it in frames.values()):
        return
    threat = frames.get("threat-and-demand") or frames.get("alarm-and-demand")
    hurried = "deadline" in frames or ("alarm" in frames and "threat-to-what-is-yours" in frames)
    if threat is not None and hurried:
        yield threat.sighting(_BLOCK, None, tuple(frame.weight for frame in frames.values()))


def _speaks_as_another(request: Reading) -> Iterator[Sighting]:
    yield from summed("deception.impersonation", _BLOCK, typed=True)(request)
    if request.mode != "url" and not request.free_fields:
        yield from summed("deception.impersonation without a field", _BLOCK)(request)


def _bait(request: Reading) -> Iterator[Sighting]:
    """Something held out for which one must pay or tell first, or money that doubles."""
    if request.free_fields or request.mode == "url":
        yield from summed("deception.prize", _BLOCK, _WITH_NAMES)(request)
    yield from summed("deception.prize without a field", _BLOCK, _WITH_NAMES)(request)
    if _comes_back_as_more(request):
        yield sighting_at(_BLOCK, request.message)


def _comes_back_as_more(request: Reading) -> bool:
    """Whether a sum of money is to be given and a larger one promised in return."""
    text = request.message.read.lower() if request.message.says("gives money") else ""
    money = [amount.span() for amount in compiled("amount").finditer(text)] if text else []
    sums = list(_SUM.finditer(text))[:20] if money else []
    given = [it for it in sums if _beside(request, "gives money", it) and _is_in(money, it)]
    promised = [it for it in sums if given and _beside(request, "returns money", it)]
    return any(
        0 <= more.start() - less.end() < _NEAR
        and value_of(more[0]) >= _MORE * value_of(less[0]) > 0
        for less, more in product(given, promised)
    )


def _beside(request: Reading, concept: str, number: re.Match[str]) -> bool:
    near = (mention.span for mention in mentions((request.message,), concept, usual_only=True))
    return _is_in([(start - _CLOSE, end + _CLOSE) for start, end in near], number)


def _is_in(spans: list[tuple[int, int]], number: re.Match[str]) -> bool:
    return any(start < number.end() and end > number.start() for start, end in spans)


def _push(request: Reading) -> Iterator[Sighting]:
    yield from summed("deception.push_approval", _BLOCK)(request)
    # "Yes, it's me": the button approves what the message tells of.
    rule, buttons = "deception.push_approval by its button", ("choice", "title", "default")
    for approval in islice(matching(rule, request, request.texts(*GENERAL)), 1):
        if any(not it.is_denied for it in mentions(request.texts(*buttons), "it is me")):
            yield approval.sighting(_BLOCK)


def _device_code(request: Reading) -> Iterator[Sighting]:
    yield from summed("deception.device_code", _BLOCK, typed=True)(request)
    if request.fields:
        yield from summed("deception.device_code without a field", _BLOCK)(request)


def _paste_and_run(request: Reading) -> Iterator[Sighting]:
    # Whoever asks leave to run a command does not make the person run it.
    severity = _WARN if request.message.says("asks to run") else _BLOCK
    yield from summed("deception.paste_and_run", severity)(request)
    if _only_asks_about_running(request.message.clauses):
        return
    # The shape of a command tells in any language.
    for place in request.texts(*PROSE_OF_FIELDS):
        if match := compiled("runs").search(re.sub("[*_`]", " ", place.plain.lower())):
            yield sighting_at(severity, place, *match.span())


def _only_asks_about_running(clauses: Sequence[Clause]) -> bool:
    """Whether nothing but a question speaks of it: "Add `curl … | sh` to the guide?"."""
    stated = [clause for clause in clauses if not clause.is_question]
    orders = ((clause, hit) for clause in stated for hit in clause.of("terminal", "run"))
    return len(stated) < len(clauses) and all(clause.denies(hit) for clause, hit in orders)


def _orders(request: Reading) -> Iterator[Sighting]:
    yield from summed("deception.orders", _BLOCK, (*_WITH_NAMES, "default"))(request)
    # "Note for the assistant: …", and maybe a tool that it shall call, named as no word is.
    prose = request.texts("message", "description", "default")
    for mention in mentions(prose, "to the model", usual_only=True):
        place, _, clause, hit = mention
        alone = hit.start == 0 and hit.end == len(clause.words)
        if (clause.listed or (clause.after and alone)) and not clause.denies(hit):
            tool = _CALL if place.role == "message" else _TOOL
            named = tool.search(place.text, mention.span[1])
            if named or place.role != "message":
                amount = 1 + bool(named)
                yield mention.sighting(Severity(amount), amount, "speaks-to-the-model")
                return


def _summed(name: str, roles: Sequence[str] = PROSE, *, typed: bool = False) -> GuardianRule:
    return house_rule(name, summed(name, _BLOCK, roles, typed=typed))


RULES = (
    house_rule("deception.threat", _threat),
    _summed("deception.payment", _WITH_NAMES, typed=True),
    house_rule("deception.impersonation", _speaks_as_another),
    house_rule("deception.prize", _bait),
    house_rule("deception.push_approval", _push),
    house_rule("deception.device_code", _device_code),
    house_rule("deception.paste_and_run", _paste_and_run),
    *(_summed(f"deception.{it}") for it in ("bank_change", "support", "no_reading", "secrecy")),
    house_rule("deception.always_allow", summed("deception.always_allow", _WARN, _WITH_NAMES)),
    house_rule("deception.orders", _orders),
)
