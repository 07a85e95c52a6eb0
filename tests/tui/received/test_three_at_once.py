"""Three servers ask at once, on a real terminal: every field is reached, and no answer is mixed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.faults.console import QUESTION, Console
from tests.faults.stand import Stand
from tests.keys import ANYWAY, CLEAR, ESCAPE, HELP, LATER, NEXT, PAGE_DOWN, RIGHT, SEND, TAB
from tests.tui.received.stand import SERVER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

WAYS_OUT: Final = (QUESTION, "^N Decline", "Esc Cancel")
PUT_OFF: Final = "^L Later"
"""There is room for it from 80 columns on; with fewer it stands on the help page."""

SENTENCES: Final = [f"§{number:03}" for number in range(115)]
MESSAGE: Final = " ".join(f"{sign} the river goes on, and the boat with it." for sign in SENTENCES)
assert len(MESSAGE) > 5_000


class Filled(NamedTuple):
    """A field, the keys that fill it in, what then stands on the screen, and what is received."""

    spec: dict[str, Any]
    keys: str
    shown: str
    value: Any


def filled(number: int) -> Filled:
    kinds = (
        Filled({"type": "string"}, f"text {number}", f"text {number}", f"text {number}"),
        Filled({"type": "integer"}, f"90{number:02}", f"90{number:02}", 9_000 + number),
        Filled({"type": "boolean"}, "y", "● yes", True),
        Filled({"enum": ["red", "green"], "type": "string"}, RIGHT, "● red", "red"),
    )
    return kinds[number % len(kinds)]


def label(name: str) -> str:
    """The title of one of the twenty fields; others have none."""
    return name.replace("field", "Field ")


TWENTY: Final = {f"field{number:02}": filled(number) for number in range(1, 21)}
FIRST_HALF: Final = tuple(TWENTY)[:10]
NAME: Final = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    """One server that asks with twenty fields, one with a long message, and one more."""
    made = Stand(tmp_path)
    properties = {name: {**one.spec, "title": label(name)} for name, one in TWENTY.items()}
    twenty = {"type": "object", "properties": properties, "required": list(properties)}
    for server, form in {
        "twenty": twenty,
        "letter": {"message": MESSAGE, "requestedSchema": NAME},
        "third": NAME,
    }.items():
        forms = tmp_path / f"{server}.json"
        forms.write_text(json.dumps({f"ask_{server}": form}))
        made.server(
            server, command=sys.executable, args=[str(SERVER), str(forms), str(made.notes / server)]
        )
    yield made
    made.clear_away()


class Asked(Console):
    """The console, asked by all three."""

    def resize(self, columns: int, lines: int) -> None:
        """Give the window another size."""
        self._wide = columns >= 80
        super().resize(columns, lines)

    def be_asked(self) -> None:
        """Call the three tools; each question is put off, so that all of them wait."""
        for server in ("twenty", "letter", "third"):
            self.call(server, f"ask_{server}")
            self.shows(f"“{server}” asks", QUESTION)
            self.press_until(LATER, lambda: QUESTION not in self.text, "Later")
        self.shows("2 Questions ◆3")

    def switch_to(self, server: str) -> None:
        """Go through the questions until this one is on the screen."""
        self.press_until(NEXT, lambda: f"“{server}” asks" in self.text, server)
        self.shows(*self.ways_out)

    @property
    def ways_out(self) -> tuple[str, ...]:
        """What can be done with a question, as far as the window has room for it."""
        return (*WAYS_OUT, PUT_OFF) if self._wide else WAYS_OUT

    def read_the_help(self) -> None:
        """Open the help page of a question, where every way out stands, and go back."""
        self.press_until(HELP, lambda: "^L" in self.text and "Later" in self.text, "help")
        self.press_until(ESCAPE, lambda: QUESTION in self.text, "the question again")

    def fill(self, name: str, one: Filled) -> None:
        """Fill in the field that has the focus."""
        self.press_until(CLEAR + one.keys, lambda: self.stands(name, one.shown), name)
        assert all(way in self.text for way in self.ways_out), self.text

    def go_to_field(self, name: str) -> None:
        """Go on with Tab until this field has the focus, from the one before it."""
        self.until(lambda: "▌ Field" in self.text, "the focus")
        self.press_until(TAB, lambda: f"▌ {label(name)}" in self.text, name)

    def send_to(self, server: str) -> None:
        """Send; a warned question wants a second, deliberate step."""

        def gone() -> bool:
            return f"“{server}” asks" not in self.text

        self.press_until(SEND, lambda: gone() or "One more look" in self.text, "the sending")
        self.press_until(ANYWAY, gone, "the second step")

    def stands(self, name: str, shown: str) -> bool:
        """Whether a value stands beside its label, or below it."""
        lines = self.text.splitlines()
        for upper, lower in zip(lines, [*lines[1:], ""], strict=True):
            if label(name) in upper:
                return shown in upper or shown in lower
        return False

    @property
    def signs(self) -> set[str]:
        return set(re.findall(r"§\d{3}", self.text))

    def read_message(self) -> set[str]:
        """Scroll through the message to its end; every sentence whose sign could be read."""
        seen = self.signs
        while SENTENCES[-1] not in seen:
            before = self.signs
            self.type(PAGE_DOWN)
            self.until(lambda before=before: self.signs != before, "the next page")
            assert all(way in self.text for way in self.ways_out), self.text
            seen |= self.signs
        return seen


@pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=str)
def test_three_questions_at_once_are_answered_by_keyboard_in_turns(
    stand: Stand, size: tuple[int, int]
) -> None:
    with Asked(stand) as console:
        console.shows("3 of 3 ready")
        console.be_asked()
        console.resize(*size)

        console.switch_to("twenty")
        console.read_the_help()
        for name in FIRST_HALF:
            console.go_to_field(name)
            console.fill(name, TWENTY[name])

        console.switch_to("letter")
        console.fill("name", Filled({}, "Ada", "Ada", "Ada"))
        assert console.read_message() == set(SENTENCES)
        console.switch_to("third")
        console.fill("name", Filled({}, "Bo", "Bo", "Bo"))

        console.switch_to("twenty")
        for name, one in TWENTY.items():
            console.go_to_field(name)
            if name not in FIRST_HALF:
                console.fill(name, one)
            console.until(partial(console.stands, name, one.shown), f"{name} as it was filled in")
        for server in ("twenty", "letter", "third"):
            console.switch_to(server)
            console.send_to(server)
        console.go_to("3")
        console.until(lambda: "◐" not in console.text, "the end of the calls")
        assert console.leave() == 0
        assert console.as_it_was

    assert received(stand, "twenty") == {name: one.value for name, one in TWENTY.items()}
    assert received(stand, "letter") == {"name": "Ada"}
    assert received(stand, "third") == {"name": "Bo"}


def received(stand: Stand, server: str) -> Any:
    """The content that a server received, in its one answer."""
    [answer] = (stand.notes / server).read_text().splitlines()
    result = json.loads(answer)
    assert result["action"] == "accept"
    return result["content"]
