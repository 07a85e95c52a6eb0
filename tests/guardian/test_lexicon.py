"""The lexicon is what a person can read, and each of its words does what its heading says."""

from __future__ import annotations

import pytest

from elicit_tui.guardian.clauses import clauses_of
from elicit_tui.guardian.frames import frames_of
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.words import FOLDER, NAMES, is_latin, languages, listed, paragraphs
from elicit_tui.text.folding import fold
from elicit_tui.text.lookalikes import taken_apart

FILES = sorted(FOLDER.glob("*/*.txt"))
LONGEST_LINE = 120
MOST_OF_ENGLISH = 60_000
"""Bytes: what one person can read."""
MOST_IN_ALL = 350_000
MOST_LINES_OF_CODE = 5_000


def test_no_line_is_longer_than_a_screen() -> None:
    long = [
        f"{path.parent.name}/{path.name}:{number} has {len(line)} characters"
        for path in FILES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == [], f"A line of the lexicon holds at most {LONGEST_LINE}: wrap it."


def test_no_language_is_larger_than_it_may_be() -> None:
    sizes = {
        code: {path.name: path.stat().st_size for path in (FOLDER / code).iterdir()}
        for code in languages()
    }
    in_all = sum(sum(files.values()) for files in sizes.values())
    english = sum(sizes["en"].values())
    shorter = "Leave out what another entry covers; merge lists that repeat each other."
    assert english <= MOST_OF_ENGLISH, (
        f"lexicon/en has {english:,} bytes, {english - MOST_OF_ENGLISH:,} more than the "
        f"{MOST_OF_ENGLISH:,} it may have: {sizes['en']}. {shorter}"
    )
    assert in_all <= MOST_IN_ALL, (
        f"The lexicon has {in_all:,} bytes, {in_all - MOST_IN_ALL:,} more than the "
        f"{MOST_IN_ALL:,} it may have: { {code: sum(of.values()) for code, of in sizes.items()} }. "
        f"{shorter}"
    )


def test_the_code_that_reads_it_is_no_longer_than_it_may_be() -> None:
    modules = FOLDER.parent.rglob("*.py")
    lines = sum(len(module.read_text("utf-8").splitlines()) for module in modules)
    assert lines <= MOST_LINES_OF_CODE, "Find what stands twice, or belongs into another room."


def test_the_lexicon_holds_words_and_no_expressions() -> None:
    strange = [
        (path.name, entry)
        for path in FILES
        for _, entries in paragraphs(path.read_text("utf-8"))
        for entry in entries
        if any(character in r"\()[]|?*+{}^$" for character in entry)
    ]
    assert strange == []


@pytest.mark.parametrize("code", languages())
def test_every_word_is_found_under_its_own_heading(code: str) -> None:
    lost = []
    for path in sorted((FOLDER / code).glob("*.txt")):
        for heading, entries in paragraphs(path.read_text("utf-8")):
            if heading in ("endings", "disguised", "short part"):
                continue
            if heading.endswith((" with", " then")):
                continue
            for entry in entries:
                clauses = clauses_of(fold(entry), latin=entry.isascii())
                found = {concept for clause in clauses for concept in clause.by_concept}
                if found.isdisjoint(("harmless", "public")):
                    lost += [(one, entry) for one in heading.split(", ") if one not in found]
    assert lost == []


@pytest.mark.parametrize("code", languages())
def test_every_companion_makes_of_its_head_what_the_heading_says(code: str) -> None:
    lost = []
    for path in sorted((FOLDER / code).glob("*.txt")):
        for heading, entries in paragraphs(path.read_text("utf-8")):
            heads, _, how = heading.rpartition(" ")
            for head in heads.removesuffix(" not").split(", ") if how in ("with", "then") else ():
                for entry in entries:
                    said = f"{entry} {head}" if how == "with" else f"{head} {entry}"
                    clauses = clauses_of(fold(said), latin=said.isascii())
                    found = {concept for clause in clauses for concept in clause.by_concept}
                    if not found & {"harmless", "sure"}:
                        lost.append(said)
    assert lost == []


def test_what_is_read_for_a_text_in_ascii_needs_no_table_of_likenesses() -> None:
    for code in filter(is_latin, languages()):
        listed_here = "".join(path.read_text("utf-8") for path in (FOLDER / code).glob("*.txt"))
        beyond = [sign for sign in sorted(set(listed_here)) if not taken_apart(sign).isascii()]
        assert beyond == [], code


def test_each_language_has_a_secret_and_a_way_to_ask_for_it() -> None:
    for code in set(languages()) - {NAMES}:
        headings = {
            heading
            for path in (FOLDER / code).glob("*.txt")
            for shared, _ in paragraphs(path.read_text("utf-8"))
            for heading in shared.split(", ")
        }
        assert {"sure", "ask"} <= headings, code


def test_every_concept_of_a_frame_a_recipe_or_a_row_has_words() -> None:
    frames = [frame for rule in table("sums") for frame in frames_of(rule)]
    rows = [row for rows in table("rows").values() for row in rows]
    needed = {step.removeprefix("… ") for row in rows for step in row.split(" > ")}
    needed |= {need for frame in frames for need in frame.needs}.union(*table("recipes").values())
    needed -= {*table("rows"), "clock"}  # which is told by its figures
    assert [concept for concept in sorted(needed) if not any(listed(concept))] == []
