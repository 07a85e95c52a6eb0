"""What one server did against the protocol, kept for whoever wants to rely on what it said.

A person is told once of each kind. `call --strict` and scenarios fail by the same list: a line that
is no message, half of one, a question that came too late, a second answer, an answer under an id
that was never given out, a request for what was never offered, an end that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from elicit_tui.text import neutral_line, quoted

LINES_TOLD: Final = 1_000
"""Of one connection; a server that writes nothing else is soon not listened to."""

REMEMBERED: Final = 1_000
"""Requests of ours that wait, and that were answered, whose ids are remembered: the last ones."""

_LOOKED_AT: Final = 2_000
"""Characters of a line that are told."""

_UNREADABLE: Final = (
    "wrote a message that could not be read; it may have asked something that nobody met"
)
_EVERY_MESSAGE_SAYS: Final = '"jsonrpc"'
"""Spec: basic, "Messages". What a program prints for its author does not say it."""


class Breaches:
    """What one connection's server did against the protocol: each kind once."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        """`notice`: tells a person a sentence about this server."""
        self._notice = notice
        self._lines = 0
        self._repeat_noted = False
        self._latest = -1
        """The highest id of a request of ours."""
        self._open: dict[str | int, None] = {}
        self._answered: dict[str | int, None] = {}
        self._found: dict[str, str] = {}
        self.lost: str | None = None
        """What became of a message that was lost, as the end of "The server NAME …"."""

    @property
    def found(self) -> tuple[str, ...]:
        """Everything that it did, each as the end of "The server NAME …"; what was lost first."""
        lost = () if self.lost is None else (self.lost,)
        return (*lost, *self._found.values())

    def _add(self, kind: str, ending: str, notice: str) -> None:
        if kind not in self._found:
            self._found[kind] = ending
            self._notice(notice)

    # What cannot be read

    def line(self, text: str, wrong: str | None = None) -> str | None:
        """Judge a line that is no message; what the log says of it, None when enough was said.

        `wrong`: what is wrong with it, as the end of a sentence, where it was meant as a message.
        """
        beginning = neutral_line(text[:_LOOKED_AT], 80)
        if wrong is not None or _EVERY_MESSAGE_SAYS in text:
            self.message(wrong or f'"{beginning}"')
        else:
            self._add(
                "line",
                f'wrote to its standard output what is no message, such as "{beginning}"',
                "It writes lines that are no messages where only messages belong, such as "
                f'"{beginning}"; they are left out.',
            )
        self._lines += 1
        if self._lines > LINES_TOLD:
            return None
        if self._lines == LINES_TOLD:
            return f"(more than {LINES_TOLD} lines are no message; no more of them is told)"
        return f"(not a message) {neutral_line(text[:_LOOKED_AT], 500)}"

    def message(self, what: str) -> None:
        """Note that a message was lost; `what`, safe text, quotes it or says what is wrong."""
        if self.lost != _UNREADABLE:
            self._notice(
                "It wrote a message that could not be read; whether that asked something is not "
                f"known: {what}."
            )
        self.lost = _UNREADABLE

    def repeats_key(self, key: str) -> None:
        """Note that a message has an object in which this key stands twice."""
        if self._repeat_noted:
            return
        self._repeat_noted = True
        shown = quoted(key, 60)
        self._notice(f"It says {shown} twice in one object; the last one counts.")
        self.lost = self.lost or (
            f"says {shown} twice in one object; what was read may not be what it meant"
        )

    def asked_at_the_end(self) -> None:
        """Note that a question came while the connection was being closed."""
        if self.lost is None:
            self._notice("It asked something when its connection was being closed already.")
            self.lost = "asked something that nobody met, when its connection was being closed"

    # What contradicts itself

    def requested(self, identifier: str | int) -> None:
        """Note that a request of ours left under this id."""
        self._open[identifier] = None
        if len(self._open) > REMEMBERED:
            self._open.pop(next(iter(self._open)))
        if isinstance(identifier, int):
            self._latest = max(self._latest, identifier)

    def answered(self, identifier: str | int) -> None:
        """Judge the id of an answer: each request of ours has one, under the id that it had.

        An answer to a request that was given up comes late, and is none of a breach.
        """
        key = _as_ours(identifier)
        if key in self._open:
            del self._open[key]
            self._answered[key] = None
            if len(self._answered) > REMEMBERED:
                self._answered.pop(next(iter(self._answered)))
            if type(key) is not type(identifier):
                shown_id = quoted(str(identifier), 40)
                self._add(
                    "id",
                    f"answered request {key} under the id {shown_id}, a text that no request had",
                    f"It answers under ids that are text, such as {shown_id}; ours are numbers.",
                )
        elif key in self._answered:
            self._add(
                "second",
                "answered a request twice; only the first answer counted",
                "It answered a request twice; the first answer counts.",
            )
        # Our ids count up: a lower one was ours once, and is remembered no longer.
        elif not isinstance(key, int) or key > self._latest:
            shown_id = quoted(str(identifier), 40)
            self._add(
                "unknown",
                f"answered a request that was never made (id {shown_id})",
                f"It answered a request that was never made (id {shown_id}).",
            )

    def asked_for(self, method: str) -> None:
        """Note a request for something that was never offered to it (spec: basic/lifecycle)."""
        shown = neutral_line(method, 80)
        self._add(
            "method",
            f"asked for {shown}, which was never offered to it",
            f"It asked for {shown}, which was never offered to it; it was refused.",
        )

    def ended_with(self, how: str) -> None:
        """Note an end that says that it failed, such as `exit code 9`, when nothing was wrong."""
        self._add("end", f"ended with {how}", f"It ended with {how}.")


def _as_ours(identifier: str | int) -> str | int:
    """The id that the SDK takes this for: it reads a number that came as text as that number."""
    try:
        return int(identifier)
    except ValueError:
        return identifier
