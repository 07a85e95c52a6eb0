"""Two servers ask one right after the other while a person types fast, on a real terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from elicit_tui import paths
from elicit_tui.tui.question_gate import DEAF_SECONDS
from tests.faults.console import QUESTION, Console
from tests.faults.stand import Stand, until
from tests.keys import DECLINE, SEND

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

BETWEEN_KEYS: Final = 0.02
"""Seconds: nobody types faster."""
PAUSE: Final = 0.08
"""Seconds: on a machine that is too busy to go on typing for so long, the keys were no burst."""
ATTEMPTS: Final = 4


class Paused(AssertionError):
    """A key reached the next question, but there was a pause before it, as after reading."""


def typed_fast(test: Callable[[Stand], None]) -> Callable[[Path], None]:
    """Run the test with two servers; anew, where the machine made the person pause.

    `first` asks when it is called, `second` when the test tells it to.
    """

    def run(tmp_path: Path) -> None:
        for attempt in range(ATTEMPTS):
            directory = tmp_path / str(attempt)
            directory.mkdir()
            stand = Stand(directory)
            stand.faulty(name="first")
            stand.faulty(name="second")
            paths.ledger_file().unlink(missing_ok=True)
            try:
                test(stand)
                return
            except Paused:
                if attempt == ATTEMPTS - 1:
                    raise
            finally:
                stand.clear_away()

    run.__doc__ = test.__doc__
    return run


class Typist(Console):
    """A person who goes on typing, whatever the screen does."""

    def begin(self, tool: str) -> None:
        """A call of the second server runs; the first one asks."""
        self.shows("2 of 2 ready")
        self.call("second", "asks_when_told")
        self.is_asked("first", tool, typed="Ada")
        # A key that decides is not heard for a moment, which is less than anybody reads for.
        heard = time.monotonic() + DEAF_SECONDS
        self.until(lambda: time.monotonic() > heard, "a first glance")

    paused = False
    """Whether there was a pause between two keys."""

    def keep_typing(self, letters: str) -> None:
        """Type letter after letter, as fast as anybody can."""
        for letter in letters:
            begun = time.monotonic()
            self.type(letter)
            self._take(BETWEEN_KEYS)
            self.paused = self.paused or time.monotonic() - begun > PAUSE

    def keep_typing_until_asked(self, keys: str) -> None:
        """Type the same again and again until the second question is painted, and a word more."""
        for _ in range(1_000):
            # A notice names who asks before its question is on the screen.
            if "“second” asks" in self.text and "^S Send" in self.text:
                self.type("blindly")
                return
            self.keep_typing(keys)
        raise AssertionError(f"the second question did not come:\n{self.text}")

    def shows_an_untouched_question(self) -> None:
        """The second question is on the screen, and nobody has typed or sent anything there."""
        self.shows("“second” asks", QUESTION, "name ")
        if self.paused and "unset" not in self.text:
            raise Paused(self.text)
        self.shows("unset")
        assert "Your earlier answers" not in self.text

    def leave_at_rest(self) -> None:
        """Leave once both calls have ended: nothing is asked about then."""
        self.go_to("3")
        self.until(lambda: "◐" not in self.text, "the end of the calls")
        assert self.leave() == 0

    def decline(self) -> None:
        self.press_until(DECLINE, lambda: QUESTION not in self.text, "the refusal")


def answers(stand: Stand, server: str) -> list[Any]:
    """What a server received for its questions: actions, with their contents."""
    results = [message["result"] for message in stand.received(server) if "result" in message]
    return [(result["action"], result.get("content")) for result in results]


@typed_fast
def test_a_burst_that_sends_one_question_reaches_nothing_of_the_next(stand: Stand) -> None:
    with Typist(stand) as person:
        person.begin("question")
        person.keep_typing("abcdefgh")
        stand.go("second")
        person.keep_typing("ijklmnop")
        person.shows("1 of 2", "Adaabcdefghijklmnop")
        person.type(f"qr{SEND}st{SEND}{DECLINE}{SEND}uv\x1b\x1b")
        person.shows_an_untouched_question()
        until(lambda: answers(stand, "first"), "the first answer")
        assert answers(stand, "second") == []
        person.decline()
        person.leave_at_rest()
    assert answers(stand, "first") == [("accept", {"name": "Adaabcdefghijklmnopqr"})]
    assert answers(stand, "second") == [("decline", None)]


@typed_fast
def test_keys_typed_on_after_an_answer_reach_no_question_that_then_opens(stand: Stand) -> None:
    with Typist(stand) as person:
        person.begin("question")
        person.send()
        # No letter of these does anything in Calls, where the result may stand already.
        person.keep_typing("qyqy")
        stand.go("second")
        person.keep_typing_until_asked(f"u{SEND}v{DECLINE}")
        person.shows_an_untouched_question()
        assert answers(stand, "second") == []
        person.press_until("\x15Zoe", lambda: " Zoe " in person.text, "the second answer")
        person.send()
        until(lambda: answers(stand, "second"), "the second answer")
        person.leave_at_rest()
    assert answers(stand, "first") == [("accept", {"name": "Ada"})]
    assert answers(stand, "second") == [("accept", {"name": "Zoe"})]


@typed_fast
def test_letters_meant_for_a_question_that_is_withdrawn_reach_no_other_one(stand: Stand) -> None:
    with Typist(stand) as person:
        person.begin("takes_it_back")
        stand.go("second")
        person.shows("1 of 2")
        person.keep_typing("bcdefgh")
        stand.go("first")
        person.keep_typing_until_asked("z")
        person.shows_an_untouched_question()
        assert answers(stand, "second") == []
        person.decline()
        person.leave_at_rest()
    assert answers(stand, "first") == []
    assert answers(stand, "second") == [("decline", None)]
