from __future__ import annotations

import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from elicit_tui.text import LineNeutralizer
from tests.text.alphabet import active_left


def test_lines_come_out_whole_whatever_the_pieces() -> None:
    stream = LineNeutralizer()
    assert stream.feed(b"one\r\ntw") == ["one"]
    assert stream.feed("o ü".encode()[:4]) == []
    assert stream.feed("o ü".encode()[4:] + b"\n\nlast") == ["two ü", ""]
    assert stream.close() == ["last"]
    assert stream.close() == []


def test_bytes_that_are_no_text_are_shown() -> None:
    assert LineNeutralizer().feed(b"\xff\x1b[2J\n") == ["\\xff␛[2J"]


def test_an_endless_line_is_held_in_little_memory_and_says_what_it_lost() -> None:
    stream = LineNeutralizer(limit=100)
    chunk = b"x" * 65536
    tracemalloc.start()
    for _ in range(200):
        assert stream.feed(chunk) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    (line,) = stream.feed(b"\n")
    assert line.endswith("…⟨13,106,800 bytes dropped⟩")
    assert len(line) <= 100


@settings(max_examples=150, deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=8))
def test_no_bytes_of_a_server_leave_anything_active(pieces: list[bytes]) -> None:
    stream = LineNeutralizer(limit=50)
    lines = [line for piece in pieces for line in stream.feed(piece)] + stream.close()
    for line in lines:
        assert active_left(line) == []
        assert "\n" not in line
        assert len(line) <= 50
