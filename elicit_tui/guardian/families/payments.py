"""Money that goes: sums that are paid, what costs again each month, trades."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.families.consent import confirms, telling_choices, told
from elicit_tui.guardian.frames import held
from elicit_tui.guardian.reading import Place, Reading
from elicit_tui.guardian.rule import Sighting, found, house_rule, weight

AMOUNT: Final = re.compile(
    r"[$€£¥₹₽₿][\s*_`]{0,3}\d|\d[\d.,\s*_`]{0,14}(?:万?[$€£¥₹₽₿円元]|(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|jpy|yen|rub"
    r"|inr|rupees?|brl|reais|cny|rmb|btc|eth|usd[ct]|sol|xrp|sats?|aud|cad|mxn|pln|sek"
    r"|k[rč]|zł|krw|tl|рублей|рубля|руб|евро|元|円|원|人民币)(?![a-z]))"
    r"|\br\$\s?\d|\b(?:usd|eur|gbp|chf|sek|nok|dkk|pln|jpy|inr)[\s*_`]{0,3}\d"
    r"|\d[.,]\d\d (?:a|per|every) (?:month|year|week)"
    r"|(?:send|pay|wire|transfer|remit) \d[\d.,]{3,12} to "
)


def _money(reading: Reading) -> Iterator[Sighting]:
    # "Refund 40 EUR to Ana?" asks leave, whatever is chosen with it; "Pay by card or cash?" not.
    moved = found((reading.message,), "moves", usual_only=True)
    places = (*told(reading), *telling_choices(reading))
    if confirms(reading) or any(one.clause.is_question and not one.hit.start for one in moved):
        yield from _paid(places)
    for one in islice(held("destructive.money", reading, places), int(confirms(reading))):
        yield one.sighting(Severity.WARN)


def _paid(places: Sequence[Place]) -> Iterator[Sighting]:
    """The first sum that is to be paid, once or again and again."""
    for one in found(places, "transfer", "subscription", "moves"):
        _, view, clause, hit = one
        start, end = view.folded.span(clause.spans[0][0], clause.spans[-1][1])
        # "€1,250 for Marta. Shall I make the transfer?"
        is_all = clause.ends_with(hit) and any(two[1:] == hit[1:] for two in clause.of("pays out"))
        start = 0 if is_all else max(0, start - 2)
        near = slice(max(start, one.span[0] - 240), min(end + 60, one.span[1] + 240))
        amount = AMOUNT.search(view.folded.original[near].lower())
        if amount is not None and clause.means(hit):
            said = " ".join((*clause.words[hit.start : hit.end], amount[0]))
            why = weight(2, "pays-an-amount", one.place, said)
            yield Sighting(Severity.WARN, one.place.where, one.evidence, None, (why,))
            return


RULES = (house_rule("destructive.money", _money),)
