"""What no request may change: the laws that the guardian holds, and the sentences to try them by.

`python -m tests.guardian.laws` tries every labelled request with every sentence, and every
combination of the matrices, prints what breaks and ends with 1 where something did. That takes
hours: `laws 20` tries each request with one of 20 sentences, `laws 1 3/100` every 100th request and
combination from the third on with all sentences, so that 100 such parts are the whole. The tests
try a part of them, chosen so that each sentence and each request has its turn.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from elicit_tui.guardian import Guardian
from tests.guardian.matrices import LANGUAGES, demands, remarks
from tests.guardian.scores import OWN, SHARED, request_of

ORDER: Final = {"allow": 0, "warn": 1, "block": 2}
HARMLESS: Final = (
    "The weather in Lisbon is lovely today.",
    "Here are the wedding photos.",
    "The film club meets on Thursday.",
    "Your song download is ready.",
    "The parcel can be collected at the corner shop.",
    "This is the game of the year.",
    "The recipe needs two eggs and some flour.",
    "Our library has a new reading room.",
    "The train to Porto leaves at nine.",
    "A novel about gardens won the award.",
    "The crossword of the week is online.",
    "There was an error in line 12 of the log.",
    "The thermometer shows 21 degrees.",
    "Public transport is free on Sunday.",
    "The design token for headings is blue.",
    "Postal codes have five digits here.",
    "Our promo code works until May.",
    "The draft of the poem is finished.",
    "A dry run was made yesterday.",
    "The preview looks fine.",
    "This is only a sandbox.",
    "The board game has a wooden token.",
    "Key results are listed in the report.",
    "The business card has a new colour.",
    "Football starts at eight in the evening.",
    "My cat sleeps on the keyboard.",
    "The museum shows paintings from Spain.",
    "We planted tomatoes and basil.",
    "The bus stop was moved.",
    "The meeting notes are in the folder.",
    "Thanks for using our service.",
    "The primary key of the table is a number.",
    "The translation key is menu.file.open.",
    "A map pin marks the spot.",
    "The chocolate cookies were eaten.",
    "The theatre has 400 seats.",
    "Everybody liked the dessert.",
    "The bicycle is in the garage.",
    "Your order number is 4711.",
    "The invoice was paid in March.",
    "The documentation explains how tokens are counted.",
    "The public key is on the website.",
)
"""Sentences about this and that: none of them speaks of what is asked."""
PROMISES: Final = (
    "We will never ask for your password.",
    "Please leave out card numbers.",
    "This does not change production.",
    "Do not enter your password here.",
    "Your data will never be shared with anyone.",
    "Passwords are not needed.",
    "No password is required.",
    "Never share your PIN with anybody.",
    "We do not store card numbers.",
    "Please do not paste API keys.",
    "Nothing will be deleted.",
    "This will not delete anything.",
    "No money will be charged.",
    "We will not transfer any money.",
    "Do not include your phone number.",
    "Your passport number is not needed.",
    "Please omit medical details.",
    "This is not a prize and costs nothing.",
    "Your account will not be suspended.",
    "We never look at your clipboard.",
    "Do not send the contents of your .env file.",
    "You can undo this at any time.",
    "Nobody else gains access.",
    "No message is sent to customers.",
    "We never ask for codes, passwords or card numbers.",
    "Wir fragen nie nach Ihrem Passwort.",
    "Die PIN brauchen wir nicht.",
    "Nous ne demandons jamais votre mot de passe.",
    "Nunca le pediremos su contraseña.",
    "Nunca pediremos a sua senha.",
    "Мы никогда не спросим ваш пароль.",
    "我们绝不会索要您的密码。",
    "我们不会要求您提供密码。",
    "我们不会向您索要验证码、密码或银行卡号。",
    "パスワードをお聞きすることはありません。",
    "暗証番号、カード番号、パスワードをお聞きすることはありません。",
)
"""What is denied, promised or left out: none of it asks for anything."""


@dataclass(frozen=True)
class Broken:
    """A request whose verdict a sentence changed."""

    law: str
    item: str
    sentence: str
    before: str
    after: str


@cache
def items() -> list[dict[str, Any]]:
    """Every labelled request of both corpora that has a message."""
    found = []
    for path in (OWN, SHARED):
        if path.exists():
            with path.open(encoding="utf-8") as lines:
                found += [json.loads(line) for line in lines if line.strip()]
    return [item for item in found if isinstance(item.get("message"), str) and item["message"]]


def with_message(item: dict[str, Any], message: str) -> dict[str, Any]:
    return {**item, "message": message}


def ended(message: str) -> str:
    """A message that ends as sentences do, so that another one can follow it."""
    return message if message.rstrip()[-1:] in (*".!?:;。！？：…", "") else message + "."


BEFORE_AND_BEHIND: Final[tuple[tuple[str, Callable[[str, str], str]], ...]] = (
    ("before", lambda message, sentence: f"{sentence} {message}"),
    ("behind", lambda message, sentence: f"{ended(message)} {sentence}"),
    ("behind on a line of its own", lambda message, sentence: f"{message}\n\n{sentence}"),
)
FORMATTING: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("two blanks", lambda message: message.replace(" ", "  ")),
    ("a tab", lambda message: message.replace(" ", "\t", 1)),
    ("a line break", lambda message: message.replace(" ", "\n", 1)),
    ("bold", lambda message: f"**{message}**"),
    ("italic words", lambda message: " ".join(f"*{word}*" for word in message.split(" "))),
    ("a heading", lambda message: f"## {message}"),
    ("please", lambda message: f"Please note: {message}"),
    ("thanks", lambda message: f"{ended(message)} Thank you!"),
    ("a greeting", lambda message: f"Hello! {message}"),
)


class Judge:
    """Verdicts, each request's own one remembered."""

    def __init__(self) -> None:
        self.guardian = Guardian()
        self._known: dict[str, str] = {}

    def verdict(self, item: dict[str, Any]) -> str:
        return self.guardian.review(request_of(item)).verdict

    def own(self, item: dict[str, Any]) -> str:
        if item["id"] not in self._known:
            self._known[item["id"]] = self.verdict(item)
        return self._known[item["id"]]


def never_lowered(judge: Judge, item: dict[str, Any], turn: int) -> Iterator[Broken]:
    """A harmless sentence before or behind lowers no verdict."""
    sentence = HARMLESS[turn % len(HARMLESS)]
    law, joined = BEFORE_AND_BEHIND[turn % len(BEFORE_AND_BEHIND)]
    own = judge.own(item)
    if own != "allow":
        after = judge.verdict(with_message(item, joined(item["message"], sentence)))
        if ORDER[after] < ORDER[own]:
            yield Broken(f"harmless sentence {law}", item["id"], sentence, own, after)


def never_raised(judge: Judge, item: dict[str, Any], turn: int) -> Iterator[Broken]:
    """A promise or a negation raises no verdict."""
    sentence = PROMISES[turn % len(PROMISES)]
    law, joined = BEFORE_AND_BEHIND[turn % len(BEFORE_AND_BEHIND)]
    own = judge.own(item)
    if own != "block":
        after = judge.verdict(with_message(item, joined(item["message"], sentence)))
        if ORDER[after] > ORDER[own]:
            yield Broken(f"promise {law}", item["id"], sentence, own, after)


def never_changed(judge: Judge, item: dict[str, Any], turn: int) -> Iterator[Broken]:
    """White space, Markdown, politeness and the server's name change nothing."""
    if item.get("kind") in ("injection", "url-risk"):
        return
    law, formatted = FORMATTING[turn % len(FORMATTING)]
    own = judge.own(item)
    after = judge.verdict(with_message(item, formatted(item["message"])))
    if after != own:
        yield Broken(law, item["id"], "", own, after)
    if turn % 3 == 0:
        after = judge.verdict({**item, "server": "a board game about wedding photos"})
        if after != own:
            yield Broken("server's name", item["id"], "", own, after)


def never_by_case(judge: Judge, item: dict[str, Any], turn: int) -> Iterator[Broken]:
    """Capital letters change nothing."""
    if item.get("kind") in ("injection", "url-risk") or item.get("lang", "en") == "tr":
        return
    spelt = (str.upper, str.lower)[turn % 2](item["message"])
    own = judge.own(item)
    after = judge.verdict(with_message(item, spelt))
    if after != own and len(spelt) == len(item["message"]):
        yield Broken("case", item["id"], spelt[:80], own, after)


LAWS: Final = (never_lowered, never_raised, never_changed, never_by_case)
TURNS: Final = {
    never_lowered: len(HARMLESS) * 3,
    never_raised: len(PROMISES) * 3,
    never_changed: len(FORMATTING),
    never_by_case: 2,
}


def main(arguments: list[str]) -> int:
    judge = Judge()
    step = int(arguments[0]) if arguments else 1
    part, parts = map(int, (arguments[1:] or ["0/1"])[0].split("/"))
    every = items()[part::parts]
    tried = faults = 0
    for law in LAWS:
        broken: list[Broken] = []
        for number, item in enumerate(every):
            turns = TURNS[law] if step == 1 else max(1, TURNS[law] // step)
            for turn in range(turns):
                tried += 1
                broken += law(judge, item, turn * step + number)
        faults += len(broken)
        print(f"{law.__name__}: {len(broken)} broken")
        for one in broken[:60]:
            print("   ", one)
    for code in LANGUAGES:
        for expected, made in (("block", demands(code)), ("allow", remarks(code))):
            every = list(made)[part::parts]
            tried += len(every)
            wrong = [item["message"] for item in every if judge.verdict(item) != expected]
            faults += len(wrong)
            print(f"{code}: {len(wrong)} of {len(every)} combinations are not {expected}")
            print(*(f"    {message}" for message in wrong[:20]), sep="\n", end="\n" * bool(wrong))
    print(f"{tried} tried, {faults} broken")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
