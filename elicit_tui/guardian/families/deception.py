"""Questions that pretend, threaten, lure or give orders to the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.asking import is_told_of_something_else, names_plain_answer
from elicit_tui.guardian.lexicon import concept
from elicit_tui.guardian.reading import Place, Reading
from elicit_tui.guardian.rule import Rule, Sighting, seen
from elicit_tui.guardian.spotting import first_spotted

_TABLE: Final = "deception"
_SUM: Final = re.compile(r"\d{1,12}(?:[.,]\d{1,8})*")
_MORE: Final = 1.25
_CLOSE: Final = 18
_SENTENCES: Final = ("message", "schema title", "schema description", "description")
_NEAR: Final = 60


def _told(reading: Reading) -> list[Place]:
    return [place for place in reading.words if place.role not in ("server", "url")]


def _block(sighting: Sighting) -> Sighting:
    return Sighting(Severity.BLOCK, sighting.where, sighting.evidence)


def _speaks_of(name: str, reading: Reading) -> Sighting | None:
    return first_spotted(concept(_TABLE, name), _told(reading), concept(_TABLE, "other_sense"))


def _plain(name: str, *, form_only: bool = False) -> Callable[[Reading], Iterator[Sighting]]:
    def find(reading: Reading) -> Iterator[Sighting]:
        if form_only and (reading.mode == "url" or not reading.free_fields):
            return
        found = _speaks_of(name, reading)
        if found is not None:
            yield _block(found)

    return find


def _threat(reading: Reading) -> Iterator[Sighting]:
    threat = _speaks_of("threat", reading)
    if threat is None or _speaks_of("demand", reading) is None:
        return
    if _is_asked_about(reading) or _is_a_topic("threat", reading):
        return
    if reading.free_fields or reading.mode == "url" or _speaks_of("deadline", reading):
        yield _block(threat)


def _pressed_for_payment(reading: Reading) -> Iterator[Sighting]:
    if not reading.free_fields or _speaks_of("deadline", reading) is None:
        return
    found = _speaks_of("payment_data", reading)
    if found is not None:
        yield _block(found)


def _impersonation(reading: Reading) -> Iterator[Sighting]:
    pretended = _speaks_of("impersonation", reading)
    if pretended is not None and (
        _is_asked_about(reading) or _is_a_topic("impersonation", reading)
    ):
        return
    if pretended is None or _speaks_of("impersonated_demand", reading) is None:
        return
    # A page to sign in on names its company by right: there it takes a hurry or a threat, too.
    hurried = _speaks_of("deadline", reading) or _speaks_of("threat", reading)
    if reading.free_fields or hurried:
        yield _block(pretended)


def _bait(reading: Reading) -> Iterator[Sighting]:
    """Something held out for which one must pay or tell first, or money that doubles."""
    found = _speaks_of("prize", reading)
    if found is not None:
        yield _block(found)
        return
    if reading.mode == "url" or any(field.kind == "text" for field in reading.free_fields):
        for bait, price in (("lure", "taken"), ("parcel", "fees")):
            found = _speaks_of(bait, reading)
            if found is not None and _speaks_of(price, reading) is not None:
                yield _block(found)
                return
    found = _speaks_of("parcel", reading) if _is_paid_by_typing(reading) else None
    if found is not None:
        yield _block(found)
        return
    text = concept(_TABLE, "other_sense").mask(reading.message.folded.text)
    if _comes_back_as_more(text):
        yield seen(Severity.BLOCK, reading.message)


def _is_paid_by_typing(reading: Reading) -> bool:
    """Whether the message names a sum and a text field is called by what one pays it with."""
    return reading.message.folded.text in concept("destructive", "amount") and any(
        concept(_TABLE, "payment_data").covers(place.folded.text)
        for field in reading.free_fields
        for place in field.places
        if field.kind == "text" and place.role in ("name", "title")
    )


def _comes_back_as_more(text: str) -> bool:
    """Whether a sum of money is to be given and a larger one promised in return."""
    sums = list(_SUM.finditer(text))[:20]
    money = list(concept("destructive", "amount").matches(text)) if len(sums) > 1 else []
    for index, given in enumerate(sums):
        is_money = any(start <= given.start() < end for start, end in money)
        if not (is_money and _beside("gives", text, given)):
            continue
        for promised in sums[index + 1 :]:
            more = _value(promised[0]) >= _MORE * _value(given[0]) > 0
            near = promised.start() - given.end() < _NEAR
            if more and near and _beside("returns", text, promised):
                return True
    return False


def _beside(name: str, text: str, number: re.Match[str]) -> bool:
    around = text[max(0, number.start() - _CLOSE) : number.end() + _CLOSE]
    return around in concept(_TABLE, name)


def _value(digits: str) -> float:
    """A sum as it is written anywhere: only a separator before one or two last digits counts.

    What has several of those is a date, a version or an address: no sum, so worth nothing.
    """
    whole, _, part = re.sub(r"[.,](?=\d{3})", "", digits).replace(",", ".").partition(".")
    return 0.0 if "." in part else float(f"{whole}.{part or 0}")


def _no_reading(reading: Reading) -> Iterator[Sighting]:
    found = _speaks_of("no_reading", reading)
    if found is None:
        said = [place for place in _told(reading) if place.role in _SENTENCES]
        if first_spotted(concept(_TABLE, "just_agree"), said) is not None:
            found = first_spotted(concept(_TABLE, "settled"), said)
    if found is not None:
        yield _block(found)


def _paste_and_run(reading: Reading) -> Iterator[Sighting]:
    found = _speaks_of("paste_and_run", reading)
    if found is None:
        return
    # Whoever asks leave to run a command does not make the person run it.
    yield found if _speaks_of("asks_leave", reading) is not None else _block(found)


def _support(reading: Reading) -> Iterator[Sighting]:
    """An alarm about the person's computer and a helper who wants to be let onto it."""
    found = _speaks_of("device_alarm", reading)
    if found is not None and _speaks_of("remote_help", reading) is not None:
        yield _block(found)


def _is_asked_about(reading: Reading) -> bool:
    """Whether the message is but one question with who, what or which, so that nobody poses."""
    text = reading.message.folded.text.strip()
    only_one = re.fullmatch(r"[^.!?:\n。！？]+[?？]", text) is not None
    return only_one and concept("destructive", "asks").starts(text.lstrip("¿"))


def _is_a_topic(name: str, reading: Reading) -> bool:
    """Whether the message wants a title or the like, and only that is about a concept."""
    text = concept(_TABLE, "other_sense").mask(reading.message.folded.text)
    spans = list(concept(_TABLE, name).matches(text))
    free = reading.free_fields
    return (
        bool(spans and free)
        and all(is_told_of_something_else(text, start) for start, _ in spans)
        and all(field.kind == "number" or names_plain_answer(field) for field in free)
    )


def _always(reading: Reading) -> Iterator[Sighting]:
    found = _speaks_of("always_allow", reading)
    if found is not None:
        yield found


RULES = (
    Rule(
        "deception.threat",
        "Threats and deadlines that make you hand over data.",
        "Do not be hurried: reach the company in a way you know.",
        _threat,
    ),
    Rule(
        "deception.payment",
        "Hurried payments with your card or account.",
        "Do not pay here; check the claim with the one it names.",
        _pressed_for_payment,
    ),
    Rule(
        "deception.impersonation",
        "A server that speaks as the client, the system or a company.",
        "This is the server's own text; nobody else speaks here.",
        _impersonation,
    ),
    Rule(
        "deception.prize",
        "Prizes and profits that cost you something first.",
        "There is no prize; decline.",
        _bait,
    ),
    Rule(
        "deception.bank_change",
        "Payments that are led to another account.",
        "Never change bank details on request; call somebody you know.",
        _plain("bank_change"),
    ),
    Rule(
        "deception.push_approval",
        "Somebody else's sign-in that you are to approve.",
        "Approve no sign-in that you did not start yourself.",
        _plain("push_approval"),
    ),
    Rule(
        "deception.device_code",
        "A sign-in code that would let somebody else in.",
        "Never hand a sign-in code to a server.",
        _plain("device_code", form_only=True),
    ),
    Rule(
        "deception.paste_and_run",
        "Commands that you are to run yourself.",
        "Run nothing that a question tells you to.",
        _paste_and_run,
    ),
    Rule(
        "deception.support",
        "An alarm about your computer, and a stranger who offers help.",
        "Let nobody onto your computer, and call no number that a question shows.",
        _support,
    ),
    Rule(
        "deception.no_reading",
        "Being told not to look.",
        "Read it all the more closely, or decline.",
        _no_reading,
    ),
    Rule(
        "deception.secrecy",
        "Being told to keep it from others.",
        "An honest question may be talked about; ask somebody.",
        _plain("secrecy"),
    ),
    Rule(
        "deception.always_allow",
        "One yes that counts for everything later.",
        "Say yes to this one only.",
        _always,
    ),
    Rule(
        "deception.orders",
        "Orders to the model, hidden in a question to you.",
        "The text speaks to the model, not to you; decline.",
        _plain("orders"),
    ),
)
