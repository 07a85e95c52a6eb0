"""Questions that pretend, threaten, lure or give orders to the model.

Each rule is a sum over frames (`elicit_tui.guardian.frames`): a threat alone is no deception, nor
is a deadline; a threat to what is yours with a demand for your data is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.families.payments import AMOUNT
from elicit_tui.guardian.frames import TOLD, frames_of, held, summed
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import GuardianRule, Sighting, house_rule, seen

_BLOCK: Final = Severity.BLOCK
_WITH_NAMES: Final = (*TOLD, "name")
_SUM: Final = re.compile(r"\d{1,12}(?:[.,]\d{1,8})*")
_MORE: Final = 1.25
_CLOSE: Final = 24
_NEAR: Final = 80


def _threat(reading: Reading) -> Iterator[Sighting]:
    # Who only chooses among answers hands over nothing: that is a quiz.
    if reading.fields and all(field.kind == "choice" for field in reading.fields):
        return
    found = {
        one.frame.name: one for one in held(frames_of("deception.threat"), reading.told(*TOLD))
    }
    threat = found.get("threat-and-demand") or found.get("alarm-and-demand")
    if threat is None:
        return
    hurried = "deadline" in found or ("alarm" in found and "threat-to-what-is-yours" in found)
    if hurried:
        because = tuple(one.weight for one in found.values())
        yield threat.sighting(_BLOCK, None, because)


def _speaks_as_another(reading: Reading) -> Iterator[Sighting]:
    if reading.mode == "url":
        return
    yield from summed("deception.impersonation", _BLOCK, typed=True)(reading)
    if not reading.free_fields:
        yield from summed("deception.impersonation without a field", _BLOCK)(reading)


def _bait(reading: Reading) -> Iterator[Sighting]:
    """Something held out for which one must pay or tell first, or money that doubles."""
    if reading.free_fields or reading.mode == "url":
        yield from summed("deception.prize", _BLOCK, _WITH_NAMES)(reading)
    yield from summed("deception.prize without a field", _BLOCK, _WITH_NAMES)(reading)
    if _comes_back_as_more(reading):
        yield seen(_BLOCK, reading.message)


def _comes_back_as_more(reading: Reading) -> bool:
    """Whether a sum of money is to be given and a larger one promised in return."""
    if not reading.message.text:
        return False
    folded, clauses, *_ = reading.message.views[0]
    text = folded.original.lower()
    sums = list(_SUM.finditer(text))[:20]
    money = list(AMOUNT.finditer(text)) if len(sums) > 1 else []
    if not money:
        return False
    gives = [folded.span(*c.span(hit)) for c in clauses for hit in c.of("gives money")]
    returns = [folded.span(*c.span(hit)) for c in clauses for hit in c.of("returns money")]
    for index, given in enumerate(sums):
        is_money = any(one.start() <= given.start() < one.end() for one in money)
        if not (is_money and _beside(gives, given)):
            continue
        for promised in sums[index + 1 :]:
            more = _value(promised[0]) >= _MORE * _value(given[0]) > 0
            near = promised.start() - given.end() < _NEAR
            if more and near and _beside(returns, promised):
                return True
    return False


def _beside(spans: list[tuple[int, int]], number: re.Match[str]) -> bool:
    return any(
        start < number.end() + _CLOSE and end > number.start() - _CLOSE for start, end in spans
    )


def _value(digits: str) -> float:
    """A sum as it is written anywhere: only a separator before one or two last digits counts.

    What has several of those is a date, a version or an address: no sum, so worth nothing.
    """
    whole, _, part = re.sub(r"[.,](?=\d{3})", "", digits).replace(",", ".").partition(".")
    return 0.0 if "." in part else float(f"{whole}.{part or 0}")


def _device_code(reading: Reading) -> Iterator[Sighting]:
    yield from summed("deception.device_code", _BLOCK, typed=True)(reading)
    if reading.fields:
        yield from summed("deception.device_code without a field", _BLOCK)(reading)


def _paste_and_run(reading: Reading) -> Iterator[Sighting]:
    found = list(held(frames_of("deception.paste_and_run"), reading.told(*TOLD)))
    if not found:
        return
    # Whoever asks leave to run a command does not make the person run it.
    leave = reading.message.says("asks to run")
    severity = Severity.WARN if leave else _BLOCK
    because = tuple(one.weight for one in found)
    yield found[0].sighting(severity, None, because)


def _summed(
    name: str, roles: Sequence[str] = TOLD, severity: Severity = _BLOCK, *, typed: bool = False
) -> GuardianRule:
    return house_rule(name, summed(name, severity, roles, typed=typed))


RULES = (
    house_rule("deception.threat", _threat),
    _summed("deception.payment", _WITH_NAMES, typed=True),
    house_rule("deception.impersonation", _speaks_as_another),
    house_rule("deception.prize", _bait),
    _summed("deception.bank_change"),
    _summed("deception.push_approval"),
    house_rule("deception.device_code", _device_code),
    house_rule("deception.paste_and_run", _paste_and_run),
    _summed("deception.support"),
    _summed("deception.no_reading"),
    _summed("deception.secrecy"),
    _summed("deception.always_allow", _WITH_NAMES, Severity.WARN),
    _summed("deception.orders", (*_WITH_NAMES, "default")),
)
