from __future__ import annotations

import json
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elicit_tui.text import (
    as_name,
    ascii_json,
    ci_safe,
    name_line,
    neutral,
    neutral_line,
    neutral_value,
    quoted,
    quoted_name,
    stand_in,
)
from elicit_tui.text.active import active_pattern, is_plain, piled_marks_pattern
from elicit_tui.tui.console.servers import read_offer
from tests.bounds import bounded
from tests.text.alphabet import active_left, any_text

NATURAL = [
    "Deploy branch 'fix/login': select the target environment\n\t- staging\n\t- production",
    "Größe, naïve, Œuvre, Ångström, Žluťoučký kůň, İstanbul, coöperate",
    "Nai\u0308ve in pieces: e\u0301 o\u0302\u0323 (Vietnamese e\u0302\u0323)",
    "Привет, мир! Ελληνικά ἄνθρωπος",
    "שָׁלוֹם עולם, בְּרֵאשִׁ֖ית בָּרָ֣א",
    "العربية: السَّلامُ عَلَيْكُم، ٱلضَّآلِّينَ ۝ \u0601١٢",
    "نمی\u200cخواهم؛ می\u200cروم و کتاب\u200cها",
    "اردو: یہ ایک ٹیسٹ ہے۔ سنہ ۱۴۰۰ ه\u200d",
    "हिन्दी: क्षत्रिय क्\u200dष श्री\u200cमान् प्रबन्ध",
    "বাংলা: র\u200d্যাব কর্ম",
    "മലയാളം: നന്\u200dമ അവന്\u200d പാല്\u200c ",
    "ශ්\u200dරී ලංකා",
    "ไทย: ที่นี่ น้ำ ปู่",
    "ကျွန်ုပ်တို့ မြန်မာ",
    "ភាសាខ្មែរ ស្ត្រី",
    "བོད་སྐད་ རྒྱལ་པོ",
    "日本語 ひらがな カタカナ ﾊﾝｶｸ 葛\U000e0100城市 辻\ufe00",
    "中文：选择目标环境。한국어 \u1112\u1161\u11ab",
    "ᠮᠣᠩᠭᠣᠯ ᠪᠠ\u180bᠭᠠ\u180eᠠ",
    "👨\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 🏴\u200d☠\ufe0f 🧑🏽\u200d🚀 👁\ufe0f\u200d🗨\ufe0f",
    "❤\ufe0f ☎\ufe0e ©\ufe0f 5\ufe0f\u20e3 #\ufe0f\u20e3 👍🏿 🇩🇪🇯🇵 "
    "🧑🏻\u200d❤\ufe0f\u200d💋\u200d🧑🏿",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
    "⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙ ⠀⠀⣀⣠⣤⠀⠀ 𓀀𓑁𓀁 \U0001d159\U0001d165",
    "∑ ≤ ≠ ± €1.234,56 №5 ½ x² [bold]not markup[/bold] [@click=app.quit]x[/] **md** <b>",
]

SHOWN = {
    "\x1b[2J": "␛[2J",
    "\x1b]52;c;aGk=\x07": "␛]52;c;aGk=␇",
    "\x9b31m": "⟨U+009B⟩31m",
    "safe\rfake": "safe␍fake",
    "a\r\nb": "a\nb",
    "a\r\r\nb": "a␍\nb",
    "del\x7f": "del␡",
    "\u202egnp.exe": "⟨U+202E⟩gnp.exe",
    "pay\u200bpal": "pay⟨U+200B⟩pal",
    "soft\u00adhyphen": "soft⟨U+00AD⟩hyphen",
    "line\u2028end": "line⟨U+2028⟩end",
    "a\U000e0041\U000e0042": "a⟨U+E0041⟩⟨U+E0042⟩",
    "🏴\U000e0075\U000e0073\U000e007f": "🏴⟨U+E0075⟩⟨U+E0073⟩⟨U+E007F⟩",
    "x\ufe0f": "x⟨U+FE0F⟩",
    "❤\ufe0f\ufe0f\ufe0f": "❤\ufe0f⟨U+FE0F⟩⟨U+FE0F⟩",
    "🙂\U000e0100\U000e0101": "🙂⟨U+E0100⟩⟨U+E0101⟩",
    "5\ufe0f": "5⟨U+FE0F⟩",
    "pass\u200dword": "pass⟨U+200D⟩word",
    "می\u200c\u200cروم": "می⟨U+200C⟩⟨U+200C⟩روم",
    "\u0338struck": "⟨U+0338⟩struck",
    "z" + "\u0301" * 5: "z" + "\u0301" * 3 + "⟨U+0301⟩" * 2,
    "\ud83d\ud83d": "⟨U+D83D⟩⟨U+D83D⟩",
    "\ufffe\ue0b0": "⟨U+FFFE⟩⟨U+E0B0⟩",
    "sent\u2800\u2800to": "sent⟨U+2800⟩⟨U+2800⟩to",
    "\u2800": "⟨U+2800⟩",
    "no\U00013441te\U0001d159": "no⟨U+13441⟩te⟨U+1D159⟩",
    "\u3164\u115f\u034f": "⟨U+3164⟩⟨U+115F⟩⟨U+034F⟩",
}


@pytest.mark.parametrize("text", NATURAL)
def test_natural_text_of_any_script_is_untouched(text: str) -> None:
    assert neutral(text) == text


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_active_becomes_a_visible_mark(text: str) -> None:
    assert neutral(text) == SHOWN[text]


@settings(max_examples=400, deadline=None)
@given(any_text)
@example("\u0301" * 9)
@example("न" + "\u094d\u200d" * 12)
@example("अ" + "\u0951\u200d" * 12)
def test_nothing_active_is_left_in_any_string(text: str) -> None:
    clean = neutral(text)
    assert active_left(clean) == []
    assert neutral(clean) == clean


def test_a_joiner_does_not_stay_behind_the_sign_for_a_mark_without_a_base() -> None:
    assert neutral("\u1039\u200ca") == "⟨U+1039⟩⟨U+200C⟩a"


@settings(max_examples=300, deadline=None)
@given(any_text, st.integers(min_value=0, max_value=120))
def test_a_limit_is_kept_and_leaves_nothing_active(text: str, limit: int) -> None:
    for clean in (neutral(text, limit), neutral_line(text, limit)):
        assert len(clean) <= limit
        assert active_left(clean) == []
    assert neutral(neutral(text, limit), limit) == neutral(text, limit)


@settings(max_examples=200, deadline=None)
@given(any_text)
def test_a_line_stays_one_line(text: str) -> None:
    clean = neutral_line(text, None)
    assert active_left(clean) == []
    assert len(clean.splitlines()) <= 1
    assert "\t" not in clean


@settings(max_examples=200, deadline=None)
@given(any_text)
def test_a_string_in_json_is_printable_ascii_and_reads_back_exactly(text: str) -> None:
    written = ascii_json({text: [text]})
    assert re.fullmatch("[ -~]*", written)
    assert json.loads(written) == json.loads(json.dumps({text: [text]}))


@settings(max_examples=300, deadline=None)
@given(any_text, st.sampled_from(["", "\t", "\n\t"]))
def test_a_field_is_drawn_harmless_with_every_position_where_it_was(text: str, keep: str) -> None:
    drawn = stand_in(text, keep)
    assert len(drawn) == len(text)
    assert active_left(drawn) == []
    assert stand_in(drawn, keep) == drawn
    assert keep or "\n" not in drawn


def test_a_field_draws_controls_as_pictures_and_the_rest_as_replacements() -> None:
    assert stand_in("a\x1b[2J\r\n\u202eb\t") == "a␛[2J␍⏎\ufffdb␉"
    for text in NATURAL:
        assert stand_in(text, "\n\t") == text


def test_the_shortcut_for_plain_text_never_hides_anything_active() -> None:
    active, piled = active_pattern(), piled_marks_pattern()
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if is_plain(character):
            assert not active.search(f"a{character}a"), hex(code)
            assert not piled.search(f"a{character * 4}"), hex(code)
            assert unicodedata.category(character) not in ("Mn", "Me", "Cf"), hex(code)


def test_a_cut_says_how_long_the_whole_was() -> None:
    assert neutral("word " * 1000, 80).endswith("…⟨5,000 characters in all⟩")
    assert neutral("short", 5) == "short"
    assert neutral("longer", 4) == "lon…"


def test_a_cut_never_leaves_half_a_mark_or_half_an_emoji() -> None:
    for limit in range(40, 90):
        clean = neutral("\u202e" * 100, limit)
        assert re.fullmatch("(⟨U\\+202E⟩)*…(⟨100 characters in all⟩)?", clean)
        family = neutral("👨\u200d👩\u200d👧\u200d👦" * 50, limit)
        assert active_left(family) == []
        assert "⟨U+" not in family


@pytest.mark.parametrize(
    "piece",
    [
        "plain words ",
        "نمی\u200cخواهم ",
        "हिन्दी क्\u200dष ",
        "中文选择环境",
        "👨\u200d👩\u200d👧 ",
        "e\u0301",
    ],
)
def test_two_million_characters_of_natural_text_come_through_as_they_are(piece: str) -> None:
    text = piece * (2_000_000 // len(piece))
    with bounded():
        assert neutral(text) == text


def _seconds(work: Callable[[], object]) -> float:
    """Of the processor, the better of two runs."""
    taken = []
    for _ in range(2):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


@pytest.mark.parametrize(
    "piece", ["\x1b", "\u202e\u200d", "\u0301", "क\u094d\u200d\u200d", "❤\ufe0f\u200d"]
)
def test_a_limit_makes_the_length_of_hostile_text_irrelevant(piece: str) -> None:
    text = piece * (10_000_000 // len(piece))
    assert len(neutral(text, 4000)) <= 4000
    limited = _seconds(lambda: (neutral(text, 4000), neutral_line(text)))
    assert limited < _seconds(lambda: neutral(text[:200_000]))


@pytest.mark.parametrize(
    "piece", ["\x1b", "\u202e\u200d", "\u0301", "क\u094d\u200d\u200d", "❤\ufe0f\u200d"]
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        return _seconds(lambda: neutral(text))

    small, large = seconds(20_000), seconds(160_000)
    assert large < small * 8 * 3 + 0.05


def test_values_are_neutral_in_keys_and_strings_and_bounded() -> None:
    hostile = {"k\x1b": ["\u202e", {"n": 1.5, "b": True, "nothing": None}], "nan": float("nan")}
    assert neutral_value(hostile) == {
        "k␛": ["⟨U+202E⟩", {"n": 1.5, "b": True, "nothing": None}],
        "nan": "⟨nan⟩",
    }
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert "nested too deep" in str(neutral_value(nested))
    assert len(neutral_value(list(range(1_000_000)))) < 30_000
    assert len(str(neutral_value(["x" * 1000] * 1000, total_limit=5000))) < 9000
    # All of these read alike, and each needs another mark behind it.
    alike = {"a".join(ends): 1 for ends in product(("\n", "\r\n"), repeat=12)}
    assert len("".join(neutral_value(alike, total_limit=5000))) < 6000
    numbered = neutral_value(alike)
    assert len(numbered) == len(alike)
    assert max(map(len, numbered)) < 40
    assert neutral_value({"a\u200b": 1, "a⟨U+200B⟩": 2}) == {"a⟨U+200B⟩": 1, "a⟨U+200B⟩′": 2}
    sent = {f"k{'x' * 200}{end}": 1 for end in "abc"} | {"l": 1, "l′": 1}
    assert [name[-2:] for name in neutral_value(sent)] == ["l⟩", "⟩′", "′2", "l", "l′"]
    assert neutral_value(10**5000).startswith("⟨a number of")
    for number in (1 << 4095, -(1 << 4000), 123_456_789, 1e300 / 3):
        kept = json.dumps(neutral_value([number] * 19_000, total_limit=16_000))
        assert len(kept) < 40_000
    assert neutral_value([1 << 4095, 7, True], total_limit=16_000) == [1 << 4095, 7, True]
    assert neutral_value({1: b"bytes"}) == {"1": "⟨bytes⟩"}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text | st.binary(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(any_text | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(ANYTHING, st.integers(0, 60), st.integers(0, 200))
def test_any_value_becomes_plain_json_with_nothing_active(
    value: object, text_limit: int, total_limit: int
) -> None:
    clean = neutral_value(value, text_limit=text_limit, total_limit=total_limit)
    assert json.loads(json.dumps(clean, allow_nan=False)) == clean
    assert all(active_left(text) == [] for text in strings_of(clean))
    assert re.fullmatch("[ -~]*", ascii_json(value))


def strings_of(value: object) -> Iterator[str]:
    """Every string of a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from strings_of(inner)


def test_ascii_json_says_what_json_cannot_say() -> None:
    assert ascii_json({"a": float("inf"), "b": [float("nan")]}) == '{"a": null, "b": [null]}'
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert "nested too deep" in ascii_json(nested)
    assert ascii_json("\x7f\u2028é") == '"\\u007f\\u2028\\u00e9"'
    assert ascii_json({"a": [1]}, indent=2) == '{\n  "a": [\n    1\n  ]\n}'
    assert ascii_json({"a": object()}) == '{"a": "(object)"}'


@settings(max_examples=200, deadline=None)
@given(any_text)
@example("0" * 88 + "\x80")
def test_a_name_never_leaves_its_quotation_marks(text: str) -> None:
    for marks in ("“”", '""'):
        line = quoted(text, 80, marks)
        assert (line[0], line[-1]) == (marks[0], marks[-1])
        assert not set('"“”') & set(line[1:-1])
        assert "  " not in line
        assert active_left(line) == []
        named = as_name(text, 80, marks)
        assert named == line or not re.search(r'[\s"“”()]', named)


def test_a_name_that_is_one_word_needs_no_quotation_marks() -> None:
    for name in ("deploy", "files/read.v2", "file:///etc/x?y=1#z", "größe", "ツール"):
        assert as_name(name) == name
    assert as_name('safe() · for "delete"') == "“safe() · for 'delete'”"
    assert quoted('Deploy" 1.4   stdio: x', marks='""') == '"Deploy\' 1.4 stdio: x"'


COMMANDS = re.compile(r"(?m)^\s*::|##(?:vso|teamcity)?\[", re.IGNORECASE)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "::",
                ":",
                "#",
                "##",
                "[",
                "vso[",
                "TeamCity[",
                " ",
                "\t",
                "\u3000",
                "\n",
                "\r",
                "\x0b",
            ]
        )
        | st.text(max_size=3)
    ).map("".join)
)
def test_no_line_can_command_a_ci_system(text: str) -> None:
    safe = ci_safe(text)
    assert not COMMANDS.search(safe)
    assert not any(line.lstrip().startswith("::") for line in safe.splitlines())
    assert ci_safe(safe) == safe
    assert not COMMANDS.search(ci_safe(neutral(text)))


def test_many_empty_lines_are_read_once() -> None:
    text = "\n" * 300_000
    with bounded():
        assert ci_safe(f"{text}  ::error::y") == f"{text}  ⟨:⟩:error::y"


def test_what_only_looks_like_a_command_is_untouched() -> None:
    for text in ("std::vector", "## Heading", "a :: b", "[##] x", "http://[::1]/", ""):
        assert ci_safe(text) == text
    assert ci_safe("x\n  ::error::y") == "x\n  ⟨:⟩:error::y"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("dr\u043ep", "dr⟨U+043E⟩p"),
        ("delete_\u0430ll", "delete_⟨U+0430⟩ll"),
        ("Москва", "Москва"),
        ("get_файл", "get_файл"),
        ("größe", "größe"),
        ("dr\u200bop", "dr⟨U+200B⟩op"),
    ],
)
def test_a_name_marks_letters_that_look_like_those_beside_them(name: str, shown: str) -> None:
    assert name_line(name) == as_name(name) == shown
    assert quoted_name(name) == f"“{shown}”"
    assert read_offer("tool", {"name": name}).shown == shown  # type: ignore[union-attr]
