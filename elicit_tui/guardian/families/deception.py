"""Questions that pretend, threaten, lure or give orders to the model.

Each rule is a sum over frames (`elicit_tui.guardian.frames`): a threat alone is no deception, nor
is a deadline; a threat to what is yours with a demand for your data is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.families.payments import AMOUNT
from elicit_tui.guardian.frames import TOLD, Frame, held, places_of, summed
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting, house_rule, seen

_BLOCK: Final = Severity.BLOCK
_WITH_NAMES: Final = (*TOLD, "name")
_SUM: Final = re.compile(r"\d{1,12}(?:[.,]\d{1,8})*")
_MORE: Final = 1.25
_CLOSE: Final = 24
_NEAR: Final = 80


def _is_form_to_type(reading: Reading) -> bool:
    return bool(reading.free_fields) and reading.mode != "url"


_THREAT: Final = (
    Frame("threat-to-what-is-yours", 1, ("account of yours", "loss"), 1),
    Frame("alarm", 1, ("alarm",), 1),
    Frame("demand", 1, ("demand",), 2),
    Frame("threat-and-demand", 1, ("loss", "account of yours", "demand"), 2),
    Frame("alarm-and-demand", 1, ("alarm", "demand"), 2),
    Frame("deadline", 1, ("deadline",), 2),
)


def _threat(reading: Reading) -> Iterator[Sighting]:
    # Who only chooses among answers hands over nothing: that is a quiz.
    if reading.fields and all(field.kind == "choice" for field in reading.fields):
        return
    found = {one.frame.name: one for one in held(_THREAT, places_of(reading))}
    threat = found.get("threat-and-demand") or found.get("alarm-and-demand")
    if threat is None:
        return
    hurried = "deadline" in found or ("alarm" in found and "threat-to-what-is-yours" in found)
    if hurried:
        because = tuple(one.weight for one in found.values())
        yield threat.sighting(_BLOCK, None, because)


_TOLD_TO_SIGN_IN: Final = (
    Frame("says-who-it-is-and-sign-in", 2, ("i am", "authority", "signing in"), 3),
)
_IMPERSONATION: Final = (
    Frame("speaks-as-somebody", 2, ("authority", "demand", "hand over"), 2),
    Frame("says-who-it-is", 2, ("i am", "authority", "demand"), 3),
)


def _speaks_as_another(reading: Reading) -> Iterator[Sighting]:
    if reading.mode == "url":
        return
    typed = bool(reading.free_fields)
    yield from summed(_BLOCK, _IMPERSONATION if typed else _TOLD_TO_SIGN_IN)(reading)


def _double(reading: Reading) -> Iterator[Sighting]:
    """Something held out for which one must pay or tell first, or money that doubles."""
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


_PRIZE: Final = (
    Frame("prize-for-a-price", 2, ("prize", "price"), 3),
    Frame("gift-cards", 2, ("gift cards", "hand codes"), 2),
    Frame("doubles", 2, ("doubling",), 1),
    Frame("overpaid-so-tell", 2, ("overpaid", "which account"), 2),
)
_PARCEL: Final = (Frame("parcel-for-a-fee", 2, ("parcel", "parcel held", "fees"), 2),)


def _can_carry(reading: Reading) -> bool:
    return bool(reading.free_fields) or reading.mode == "url"


def _bait(reading: Reading) -> Iterator[Sighting]:
    if _can_carry(reading):
        yield from _prize(reading)
    yield from _parcel(reading)
    yield from _double(reading)


_prize = summed(_BLOCK, _PRIZE, _WITH_NAMES)
_parcel = summed(_BLOCK, _PARCEL, _WITH_NAMES)


def _paste_and_run(reading: Reading) -> Iterator[Sighting]:
    found = list(held(_RUNS, places_of(reading)))
    if not found:
        return
    # Whoever asks leave to run a command does not make the person run it.
    leave = any(clause.of("asks to run") for clause in reading.message.views[0].clauses)
    severity = Severity.WARN if leave else _BLOCK
    because = tuple(one.weight for one in found)
    yield found[0].sighting(severity, None, because)


_RUNS: Final = (
    Frame("command-for-a-terminal", 2, ("terminal", "run", "this command"), 2),
    Frame("piped-into-a-shell", 2, ("run", "piped"), 2),
)


_ORDERS: Final = (
    Frame("orders-to-the-model", 2, ("orders",), 1),
    Frame("away-with-the-rules", 2, ("disregard", "rules of the model"), 0),
)


def _always(reading: Reading) -> Iterator[Sighting]:
    for one in held((Frame("always", 2, ("always allow",), 0),), places_of(reading, _WITH_NAMES)):
        yield one.sighting(Severity.WARN)


RULES = (
    house_rule("deception.threat", _threat),
    house_rule(
        "deception.payment",
        summed(
            _BLOCK,
            (Frame("hurried-payment", 2, ("deadline", "payment data", "demand"), 2),),
            _WITH_NAMES,
            when=_is_form_to_type,
        ),
    ),
    house_rule("deception.impersonation", _speaks_as_another),
    house_rule("deception.prize", _bait),
    house_rule(
        "deception.bank_change",
        summed(
            _BLOCK, (Frame("new-bank-details", 2, ("bank details", "changed", "pay there"), 2),)
        ),
    ),
    house_rule(
        "deception.push_approval",
        summed(_BLOCK, (Frame("approve-a-sign-in", 2, ("approve it", "push"), 2),)),
    ),
    house_rule(
        "deception.device_code",
        summed(_BLOCK, (Frame("device-code", 2, ("device code",), 1),), when=_is_form_to_type),
    ),
    house_rule("deception.paste_and_run", _paste_and_run),
    house_rule(
        "deception.support",
        summed(_BLOCK, (Frame("alarm-and-help", 2, ("device alarm", "remote help"), 3),)),
    ),
    house_rule(
        "deception.no_reading",
        summed(
            _BLOCK,
            (
                Frame("do-not-read", 2, ("no reading",), 1),
                Frame("settled-so-agree", 2, ("settled", "just agree"), 2),
            ),
        ),
    ),
    house_rule("deception.secrecy", summed(_BLOCK, (Frame("keep-it-secret", 2, ("secrecy",), 1),))),
    house_rule("deception.always_allow", _always),
    house_rule("deception.orders", summed(_BLOCK, _ORDERS, (*_WITH_NAMES, "default"))),
)
