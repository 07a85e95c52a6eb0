"""However a terminal's bytes are cut, what stands between a paste's marks is its text."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from textual import _time, events
from textual.message import Message

from elicit_tui.tui.textual_terminal import STAND_IN, PasteParser

PASTE = "\x1b[200~x\x1b" + "y" * 40 + "\x13\x1b[2\x1b[201~"
TEXT = f"x{STAND_IN}{'y' * 40}\x13{STAND_IN}[2"


def told(messages: Iterable[Message]) -> list[str]:
    """The names of keys, and the texts of pastes."""
    kept = [each for each in messages if isinstance(each, (events.Key, events.Paste))]
    return [each.key if isinstance(each, events.Key) else each.text for each in kept]


def test_a_paste_is_the_same_wherever_its_bytes_are_cut() -> None:
    stream = f"a{PASTE}\x13{PASTE}b"
    for cut in range(1, len(stream)):
        parser = PasteParser()
        pieces = (stream[:cut], stream[cut : cut + 2], stream[cut + 2 :])
        read = [word for piece in pieces if piece for word in told(parser.feed(piece))]
        assert read == ["a", TEXT, "ctrl+s", TEXT, "b"], cut


def test_escape_and_what_is_typed_long_after_it_begin_no_paste() -> None:
    parser = PasteParser()
    assert told(parser.feed("\x1b")) == []
    parser._timeout_time = 0.0
    assert told(parser.tick()) == ["escape"]
    assert told(parser.feed("[200~\x13"))[-1] == "ctrl+s"


def test_what_was_read_at_once_was_typed_at_once_however_slow_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = itertools.count()
    monkeypatch.setattr(_time, "get_time", lambda: float(next(clock)))
    read = [each for each in PasteParser().feed(f"a{PASTE}\x13\x19") if each.bubble]
    assert len(read) == 4
    assert len({each.time for each in read}) == 1


@pytest.mark.parametrize("answer", ["\x1b]11;#1e1e1e\x07", "\x1b]11;black\x1b\\", "\x1b[>4;2m"])
def test_an_answer_of_the_terminal_in_another_form_keeps_no_key_back(answer: str) -> None:
    for cut in range(3, len(answer)):
        parser = PasteParser()
        read = [*told(parser.feed(answer[:cut])), *told(parser.feed(answer[cut:]))]
        assert read == []
        assert told(parser.feed("ab")) == ["a", "b"]


@pytest.mark.parametrize(
    ("begun", "keys"),
    [("\x1b]11;rgb:1e", []), ("\x1b[>0;27", []), ("\x1b]", ["right_square_bracket"])],
)
def test_an_answer_without_an_end_keeps_keys_back_for_a_moment_alone(
    begun: str, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 10.0
    monkeypatch.setattr(_time, "get_time", lambda: now)
    parser = PasteParser()
    assert told(parser.feed(begun)) == told(parser.tick()) == []
    now += 1.0
    read = told(parser.tick())
    if keys:
        parser._timeout_time = 0.0  # The library waits once more for what may follow an escape.
    assert [*read, *told(parser.tick())] == keys
    assert told(parser.feed("ab")) == ["a", "b"]
