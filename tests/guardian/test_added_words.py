"""Who adds a word for a secret, or one that makes it harmless, adds a request that needs it.

What is added is what the last change of the lexicon brought, by git: the change that is not
committed yet, else the last commit of it. A word that was moved or written in another way is not
new.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

import pytest

from elicit_tui.guardian import Guardian, words
from elicit_tui.guardian.pages import paragraphs
from elicit_tui.text.folding import fold
from tests.guardian.scores import OWN, ROOT, Judged, request_of

LEXICON: Final = "elicit_tui/guardian/lexicon"
WEIGHTY: Final = {"sure", "maybe", "name", "harmless", "public", "unless"}
"""What stops a request by itself, or lets it pass."""
WHAT_TO_DO: Final = (
    "No labelled request needs these words: without them each one is judged as well. Add to "
    "tests/data/elicitations.jsonl one that is stopped, or let pass, only because of the word, and "
    "beside it one that uses it in the other sense. Where you find none, leave the word out."
)
Pages = dict[str, str]
"""The text of each file of the lexicon, by `LANGUAGE/FILE.txt`."""


class Entry(NamedTuple):
    page: str
    heading: str
    words: str

    @property
    def meant(self) -> frozenset[tuple[str, str]]:
        """The weighty concepts that it stands for, each with its words in full."""
        heads, _, how = fold(self.heading).rpartition(" ")
        said = fold(self.words)
        if how not in ("with", "then"):
            return frozenset((it, said) for it in WEIGHTY.intersection(self.heading.split(", ")))
        concept = "harmless" if heads.endswith(" not") else "sure"
        both = [
            told
            for head in heads.removesuffix(" not").split(", ")
            for told in (f"{head} {said}", f"{said} {head}"[: None if how == "with" else 0])
        ]
        return frozenset((concept, told) for told in both if told)


def entries(pages: Pages) -> Iterator[Entry]:
    for page, text in pages.items():
        for heading, listed in paragraphs(text):
            yield from (Entry(page, heading, one) for one in listed)


def added(now: Pages, before: Pages) -> list[Entry]:
    known = {(one.page[:2], *meant) for one in entries(before) for meant in one.meant}
    return [
        one
        for one in entries(now)
        if one.meant and known.isdisjoint((one.page[:2], *meant) for meant in one.meant)
    ]


def of_today() -> Pages:
    paths = sorted((ROOT / LEXICON).glob("*/*.txt"))
    return {f"{path.parent.name}/{path.name}": path.read_text("utf-8") for path in paths}


def of_before() -> Pages:
    """The lexicon before its last change; skips the test where git cannot tell."""

    def git(*arguments: str) -> bytes:
        told = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, timeout=30, check=True
        )
        return told.stdout

    try:
        changed = git("status", "--porcelain", "--", LEXICON)
        last = "HEAD" if changed else git("log", "-1", "--format=%H^", "--", LEXICON).decode()
        archive = git("archive", last.strip(), LEXICON)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"git does not tell what the lexicon was before: {error}")
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return {
            "/".join(PurePath(one.name).parts[-2:]): files.extractfile(one).read().decode()  # type: ignore[union-attr]
            for one in files
            if one.isfile() and one.name.endswith(".txt")
        }


Judge = Callable[[Pages, Iterable[dict[str, Any]]], list[bool]]


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    """Whether some requests are judged as they are labelled, with a lexicon of the test's own."""
    monkeypatch.setattr(words, "FOLDER", tmp_path)

    def judged(pages: Pages, asked: Iterable[dict[str, Any]]) -> list[bool]:
        for page, text in pages.items():
            (tmp_path / page).parent.mkdir(exist_ok=True)
            (tmp_path / page).write_text(text, encoding="utf-8")
        forget()
        guardian = Guardian()
        return [Judged(item, guardian.review(request_of(item))).lenient for item in asked]

    yield judged
    forget()


def forget() -> None:
    """Whatever was read of the lexicon is read anew."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("elicit_tui.guardian"):
            for one in vars(module).values():
                getattr(one, "cache_clear", lambda: None)()


def without(pages: Pages, entry: Entry) -> Pages:
    told = [
        (heading, [one for one in listed if (heading, one) != entry[1:]])
        for heading, listed in paragraphs(pages[entry.page])
    ]
    page = "".join(f"{heading}:\n {', '.join(listed)}\n" for heading, listed in told)
    return {**pages, entry.page: page}


def needless(
    judge: Judge, pages: Pages, new: list[Entry], asked: list[dict[str, Any]]
) -> list[str]:
    """Which of some new entries no request needs to be judged as it is labelled."""
    old = pages
    for entry in new:
        old = without(old, entry)
    wrong = [item for item, right in zip(asked, judge(old, asked), strict=True) if not right]
    touched = [item for item, right in zip(wrong, judge(pages, wrong), strict=True) if right]

    def decides(entry: Entry, requests: list[dict[str, Any]]) -> bool:
        return not all(judge(without(pages, entry), requests))

    unneeded = [entry for entry in new if not decides(entry, touched)]
    # A harmless word may be there only for a sure one of the same change: it decides what was right
    # without both.
    right = [item for item, fine in zip(asked, judge(pages, asked), strict=True) if fine]
    return [
        f"{entry.page}, {entry.heading}: {entry.words}"
        for entry in unneeded
        if not decides(entry, right)
    ]


def test_each_word_that_the_last_change_added_is_needed_by_a_labelled_request(judge: Judge) -> None:
    pages = of_today()
    new = added(pages, of_before())
    with OWN.open(encoding="utf-8") as lines:
        labelled = [json.loads(line) for line in lines]
    unneeded = needless(judge, pages, new, labelled if new else [])
    assert not unneeded, "\n".join([WHAT_TO_DO, *unneeded])


def asking(message: str, expected: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"v": {"type": "string"}}}
    return {"message": message, "requestedSchema": schema, "expected": expected}


@pytest.mark.parametrize(
    ("heading", "said", "message", "expected"),
    [
        ("sure", "moonbeam", "Enter the moonbeam.", "block"),
        ("password not with", "moonbeam", "Enter the moonbeam password.", "allow"),
        ("harmless", "moonbeam code", "Enter the moonbeam code we just texted you.", "allow"),
    ],
)
def test_a_word_is_needed_by_the_request_that_it_decides_and_by_no_other(
    judge: Judge, heading: str, said: str, message: str, expected: str
) -> None:
    before = of_today()
    pages = {**before, "en/new.txt": f"{heading}:\n {said}\n"}
    new = added(pages, before)
    others = [asking("Enter your password.", "block"), asking("Which city?", "allow")]
    wrong = asking(message, "allow" if expected == "block" else "block")
    assert [one.words for one in new] == [said]
    assert needless(judge, pages, new, [*others, wrong]) == [f"en/new.txt, {heading}: {said}"]
    assert needless(judge, pages, new, [*others, asking(message, expected)]) == []


def test_a_harmless_word_is_needed_beside_a_sure_one_of_the_same_change(judge: Judge) -> None:
    before = of_today()
    pages = {**before, "en/new.txt": "sure:\n moonbeam\nharmless:\n moonbeam garden\n"}
    new = added(pages, before)
    asked = [asking("Enter the moonbeam.", "block"), asking("Enter the moonbeam garden.", "allow")]
    assert len(new) == 2
    assert needless(judge, pages, new, asked) == []
    assert needless(judge, pages, new, asked[:1]) == ["en/new.txt, harmless: moonbeam garden"]


def test_a_word_that_is_moved_or_written_in_another_way_is_not_new() -> None:
    before = {"en/one.txt": "sure:\n api token, token bearer\ntoken not with:\n game\n"}
    after = {"en/two.txt": "token with:\n api, bearer\nharmless:\n game token\n"}
    assert added(after, before) == []
    assert [one.words for one in added({"en/one.txt": "maybe:\n api token\n"}, before)] == [
        "api token"
    ]
