"""Standard output: the one module that writes it. It carries data and nothing else."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import IO, Any, Final

STDOUT: Final = 1
STDERR: Final = 2
LAID_OUT: Final = 1_000_000
"""Characters of a JSON document that is still laid out in lines."""

TEXT_OR_JSON: Final = ("text", "json")
"""The formats of a command whose data is one document."""

_losses: Final[list[OSError]] = []
"""Why data of this process was lost, for another reason than a reader that had enough."""


def why_data_was_lost() -> OSError | None:
    """Why data of the command that ends was lost; None where all was written. To be asked once."""
    first = _losses[0] if _losses else None
    _losses.clear()
    return first


def keep_standard_streams() -> None:
    """Put the null device where a standard descriptor is closed.

    Else the next file that is opened, such as the ledger, would get its number, and a stray
    print would go there.
    """
    # In this order, as the system gives out the lowest number that is free.
    for descriptor in (0, STDOUT, STDERR):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class Output:
    """Writes data as it comes; a reader that goes away early ends the writing, not the run."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdout
        self._private: IO[bytes] | None = None
        self._held: list[str] | None = None
        self.failure: OSError | None = None
        """Why data was lost; None while everything was written."""

    def claim(self) -> None:
        """Keep descriptor 1 for this object alone: every other print goes to standard error.

        It also lets a form on the terminal see the terminal's size when data is redirected.
        """
        if self._stream is not sys.stdout or self._private is not None or self._stream is None:
            return
        self._stream.flush()
        # A copy of the descriptor: whatever prints to 1 then goes to standard error.
        self._private = os.fdopen(os.dup(STDOUT), "wb", buffering=0)
        os.dup2(STDERR, STDOUT)

    def release(self) -> None:
        """Give descriptor 1 back."""
        if self._private is None:
            return
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        # Before the copy is closed: there is no moment in which data has nowhere to go.
        os.dup2(self._private.fileno(), STDOUT)
        self._private.close()
        self._private = None

    @property
    def on_terminal(self) -> bool:
        """Whether data goes to a terminal, where a form may be open."""
        if self._private is not None:
            return os.isatty(self._private.fileno())
        return self._stream is not None and self._stream.isatty()

    @property
    def _writes_unicode(self) -> bool:
        encoding = getattr(self._stream, "encoding", None) or ""
        # By a descriptor of ours UTF-8 is written in any case.
        return self._private is not None or encoding.lower().replace("-", "") == "utf8"

    def hold(self) -> None:
        """Keep what comes until `let_go`: a form is on this very terminal."""
        if self._held is None and self.on_terminal:
            self._held = []

    def let_go(self) -> None:
        """Write what was held."""
        held, self._held = self._held, None
        for text in held or ():
            self._write(text)

    def text(self, text: str) -> None:
        """Write lines for a person; the caller has made them neutral.

        None of them is a command to the CI system that may read this.
        """
        if "::" in text or "##" in text:  # Else there is none, and nothing is loaded for it.
            from elicit_tui.text import ci_safe

            text = ci_safe(text)
        if self.on_terminal:
            from elicit_tui.cli.own_terminal import coloured

            text = coloured(text, terminal=True)
        self._put(text + "\n")

    def prose(self, text: str, column: int = 0) -> None:
        """Write lines for a person, broken at words where they go to a terminal.

        What goes on in the next line stands at `column` at least, such as behind a label.
        """
        from elicit_tui.cli.own_terminal import wrapped_to_width

        self.text(wrapped_to_width(text, self._private or self._stream, column))

    def text_or_json(
        self, output_format: str, text: Callable[[], None], document: Callable[[], Any]
    ) -> None:
        """Write by `text` for a person, or what `document` returns as one JSON document."""
        writers: dict[str, Callable[[], None]] = {
            "text": text,
            "json": lambda: self.json(document()),
        }
        writers[output_format]()

    def json(self, value: Any) -> None:
        """Write one JSON document, laid out for reading unless it is huge.

        It is printable ASCII; on a terminal what can be seen is written as itself.
        """
        from elicit_tui.text import ascii_json, readable_json

        compact = ascii_json(value)
        # To indent costs twenty times as much, and nobody reads so much of it line by line.
        readable = len(compact) <= LAID_OUT
        laid_out = readable_json if self.on_terminal and self._writes_unicode else ascii_json
        self._put((laid_out(value, indent=2) if readable else compact) + "\n")

    def json_line(self, value: Any) -> None:
        """Write one JSON value on one line, at once."""
        from elicit_tui.text import ascii_json

        self._put(ascii_json(value) + "\n")

    def _put(self, text: str) -> None:
        if self._held is None:
            self._write(text)
        else:
            self._held.append(text)

    def _write(self, text: str) -> None:
        if self.failure is not None:
            return
        try:
            if self._private is not None:
                _write_all(self._private, text.encode("utf-8", "backslashreplace"))
            elif self._stream is not None:
                _write_text(self._stream, text)
        except OSError as error:
            self.failure = error
            # A reader that had enough, such as `head`, is no failure; a full disk is.
            if not isinstance(error, BrokenPipeError):
                _losses.append(error)
            self._silence()

    def _silence(self) -> None:
        """Nobody reads any more: let Python's own last flush find an open descriptor."""
        if self._private is None and self._stream is sys.stdout:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, STDOUT)
            os.close(null)


def _write_text(stream: IO[str], text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:  # What its encoding lacks is spelled out: no data is lost for it.
        encoding = getattr(stream, "encoding", None) or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def _write_all(stream: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    # Unbuffered, a pipe may take a part only.
    while view:
        written = stream.write(view)
        view = view[written or 0 :]
