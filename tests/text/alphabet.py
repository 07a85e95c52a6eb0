"""Strings that try everything, and an oracle of its own for what must not be left in them."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import strategies as st

INVISIBLE_BUT_MARKS = (0x034F, 0x17B4, 0x17B5)
FILLERS = (0x115F, 0x1160, 0x3164, 0xFFA0)
SELECTORS = (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
JOINERS = (0x200C, 0x200D)
DRAWN_FORMATS = (0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2)
DRAWN_FORMATS += (0x110BD, 0x110CD)
SUBDIVISION_FLAGS = re.compile(
    "\U0001f3f4(\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067"
    "|\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074"
    "|\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073)\U000e007f"
)

TRICKS = (
    "\x00\x07\x08\x0b\x0c\r\n\t\x1b\x7f\x80\x85\x9b\x9d\xa0\xad"
    "\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u180f\u200b\u200c\u200d\u200e\u200f"
    "\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u206a\u3164\ufe00\ufe0e\ufe0f\ufeff\uffa0\ufff9"
    "\U000e0001\U000e0041\U000e0067\U000e0062\U000e0065\U000e006e\U000e007f\U000e0100\U000e01ef"
    "\ud800\udfff\ue000\U000f0000\ufdd0\uffff\U0010ffff"
    "\u2800\u2801\U0001d159\U00013441a0#*:[]⟨⟩U+…\u0301\u0338\u20e3\u0489葛한ا\u064eه\u0627क\u094d\u093eി\u1820\u1000\u1039"
    "\u05d0\u05b8\u0591👩❤🏽🏴🇩🇪🚀"
)

tricky = st.text(alphabet=st.sampled_from(sorted(set(TRICKS))), max_size=60)
any_text = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=()), max_size=80),
    tricky,
    st.lists(st.one_of(tricky, st.text(max_size=5)), max_size=6).map("".join),
)


def active_left(text: str) -> list[str]:
    """What in `text` a terminal would obey, hide or reorder; empty for neutral text."""
    text = SUBDIVISION_FLAGS.sub("F", text)
    found = [run for run in re.findall("[\u2800-\u28ff]+", text) if not run.strip("\u2800")]
    marks = 0
    # What is printable in ASCII is none of these: a megabyte of it is not looked at one by one.
    for match in re.finditer("[^ -~\n\t]", text):
        index, character = match.start(), match[0]
        before = text[index - 1] if index else ""
        if re.fullmatch("[ -~\n\t]?", before):
            marks = 0
        code, category = ord(character), unicodedata.category(character)
        is_mark = category in ("Mn", "Me") and code not in SELECTORS
        if is_mark:
            marks += 1
            if before in ("", "\n", "\t") or marks > 6:
                found.append(f"{code:X} piled or without a base")
        elif code not in SELECTORS and code not in JOINERS:
            marks = 0
        if (
            category in ("Cs", "Co", "Zl", "Zp")
            or (category == "Cc" and character not in "\n\t")
            or (category == "Cf" and code not in (*JOINERS, *SELECTORS, *DRAWN_FORMATS))
            or code in (*FILLERS, *INVISIBLE_BUT_MARKS)
            or (0xE0000 <= code <= 0xE0FFF and code not in SELECTORS)
            or code & 0xFFFE == 0xFFFE
            or 0xFDD0 <= code <= 0xFDEF
        ):
            found.append(f"{code:X}")
        if code in (*SELECTORS, *JOINERS):
            natural = (before and unicodedata.category(before)[0] in "LMSN") or before in ("#", "*")
            if before and code in JOINERS and before in "\ufe0f":
                natural = True
            elif before and ord(before) in (*SELECTORS, *JOINERS):
                natural = False
            if not natural or (before.isascii() and before not in "0123456789#*"):
                found.append(f"{code:X} after {before!r}")
    return found
