"""No pattern of ours takes longer than in proportion to the text, whatever a server repeats."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import product
from pkgutil import walk_packages

import pytest

import elicit_tui.guardian
from elicit_tui.elicitation.shapes import _issued
from elicit_tui.guardian import Guardian
from elicit_tui.guardian.clauses import Clause, Standing
from elicit_tui.guardian.pages import blocks, compiled
from elicit_tui.guardian.words import Hit
from tests.guardian.requests import TEXT, form

UNITS = [*"aA1 \n\t-_.,:=/[(<{$!#*'\"\\@%>?&;|+~`«“•é中ßx", *(
    "a ", "1 ", "1,", "1.", "a.", "a_", "a-", "A_", "-\n", "[a", "<a ", "<a href=", "<a href= x",
    "![", "[](", "`a", "$(", "${", "%A", "'a'", "! ", "a\n", " \n", "1-1-", "/a/", "?a=1&",
    "curl ", "curl a", "win ", "win r ", "to the ", "push ", "update ", "send 1", "x-", "{a}",
    "<a b", "</a", "[link=a]", "[url=a]", "\u2800", "\xa0", "\u200d", "Aa", "aA", "0x", "00",
    "&#", "\r", "1k", "a@", "a@b.", "http://", "https://a", "data:", "][", "]:", "<client a",
    "=-", "> ", "  a", "password ", "token", "my_", "\" ", "* ", "12 ", "pass=", "Bearer ",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "ey", "eyJaaaaaaaa.", "secret: ", "abc ",
)]  # fmt: skip
HEADS = ("password", " is", "--------", "win r", "<a href=", "\\S", "curl ", "secret=")
TAILS = ("", "!", "\x00")
TEXTS = [*product([""], UNITS, TAILS), *product(HEADS, (" ", "\n", "a", "a.", '" '), "!")]
AT_A_PLACE = {"match", "fullmatch"}
LENGTHS = (2_000, 8_000, 32_000)
SLOW = 0.001
"""Seconds of the processor for the shortest: what hardly takes them is not measured."""


def patterns() -> Iterator[tuple[str, re.Pattern[str], bool]]:
    """Every pattern of the guardian and of what knows secrets; whether it is tried at one place."""
    inside = (it.name for it in walk_packages(elicit_tui.guardian.__path__, "elicit_tui.guardian."))
    modules = [*map(import_module, (*inside, "elicit_tui.elicitation.shapes"))]
    told = "".join(map(inspect.getsource, modules))
    for name, lines in blocks("patterns").items():
        how = set(re.findall(rf'compiled\("{name}"\)\.(\w+)', told))
        for number, line in enumerate(lines if name == "links" else ["".join(lines)]):
            yield f"{name} {number}", re.compile(line), bool(how) and how <= AT_A_PLACE
    for module in modules:
        used = set(re.findall(r"\b(\w+)\.(\w+)", inspect.getsource(module)))
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                how = {method for owner, method in used if owner == name}
                yield f"{module.__name__}.{name}", value, bool(how) and how <= AT_A_PLACE
    yield "issued keys", _issued(), False


# Of two with one text the module's own tells how it is used.
PATTERNS = {pattern.pattern: (name, pattern, placed) for name, pattern, placed in patterns()}


def repeated(head: str, unit: str, tail: str, length: int) -> str:
    return head + (unit * (length // len(unit) + 1))[:length] + tail


def seconds(tried: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    tried(text)
    return time.process_time() - started


@pytest.mark.parametrize("pattern", PATTERNS, ids=[name for name, _, _ in PATTERNS.values()])
def test_no_pattern_takes_longer_than_in_proportion_to_the_text(pattern: str) -> None:
    _, compiled, placed = PATTERNS[pattern]
    tried = compiled.match if placed else compiled.search
    for head, unit, tail in TEXTS:
        texts = (repeated(head, unit, tail, length) for length in LENGTHS)
        few, some, many = (partial(seconds, tried, text) for text in texts)
        # Of a text four times as long, work in proportion takes four times as long, and the square
        # of it sixteen times. What seems to is measured again: the processor is shared.
        if (once := few()) > SLOW and some() > 8 * once:
            once, more = (min(measured() for _ in range(4)) for measured in (some, many))
            assert more < 10 * once, f"{unit!r} takes {more:.2f} s"


def test_a_request_that_shows_no_number_and_no_address_compiles_few_patterns_of_the_table() -> None:
    compiled.cache_clear()
    Guardian().review(form("Which city shall it be?", v=TEXT))
    assert compiled.cache_info().misses <= 2


@pytest.mark.parametrize("unit", ["token'", "a token ", "password of "])
def test_a_word_that_is_repeated_amid_the_same_words_is_weighed_a_few_times(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    weighed: list[Hit] = []
    standing = Clause.standing

    def counted(clause: Clause, hit: Hit) -> Standing:
        weighed.append(hit)
        return standing(clause, hit)

    monkeypatch.setattr(Clause, "standing", counted)
    Guardian().review(form("Fill in.", v={**TEXT, "description": unit * 800}))
    assert 0 < len(weighed) < 200


@pytest.mark.parametrize("asked", ["paste your token here ", "token that you paste "])
@pytest.mark.parametrize("unit", ["token ", "a token ", "token of token "])
def test_what_asks_amid_a_word_that_is_repeated_is_found(unit: str, asked: str) -> None:
    text = unit * 60 + asked + unit * 60
    because = (
        Guardian().review(form("Fill in.", v={**TEXT, "description": text})).findings[0].because
    )
    assert "asked-for-maybe" in {why.frame for why in because}
