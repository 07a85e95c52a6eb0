"""Standard error: the one module that tells a person what happens."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Final

from elicit_tui.ci import in_ci
from elicit_tui.cli.own_terminal import coloured, columns_of, is_terminal, wants_plain_prompts
from elicit_tui.errors import ConfigError, ElicitTuiError, ProtocolCallError

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ServerSettings

SILENT_SECONDS: Final = 0.5
"""A server that is ready within them needs no word; the program itself took as long before."""


class Narration:
    """Writes lines to standard error, neutral and without effect on a CI system's log.

    While a form is open on the terminal the lines are held, and come when it is gone. While a plain
    prompt waits for its line they are held too: a server's words behind it would look like another.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._forms = 0
        self._prompts = 0
        self._held: list[str] = []
        self._waits = False
        """Whether the line that is written last says what is waited for, and is to be gone."""

    def say(self, text: str, *, urgent: bool = False, wrap: bool = True) -> None:
        """Write one or more lines. Whatever a server sent in them is made neutral here.

        `urgent`: also while a prompt waits, which then stands above it. `wrap`: break long lines
        at words on a terminal; not what is there to be pasted.
        """
        # Most commands end without a word of ours: they do not wait for these to load.
        from elicit_tui.cli.own_terminal import wrapped_to_width
        from elicit_tui.text import ci_safe, neutral

        # Neutral first, and then harmless to a CI system: its commands are plain text.
        line = ci_safe(neutral(text))
        line = (wrapped_to_width(line, self._stream) if wrap else line) + "\n"
        line = coloured(line, terminal=is_terminal(self._stream))
        if self._prompts and not urgent:
            self._held.append(line)
        else:
            # On a line of its own, as the prompt has no line end.
            self.write(f"\n{line}" if self._prompts else line)

    def of_server(self, name: str, words: object) -> None:
        """Write what a server says: on one line under its name it passes for no line of ours."""
        from elicit_tui.text import neutral_line

        self.say(neutral_line(f"{name}: {words}", 4000))

    def tell(self, sentence: str) -> None:
        """Write a sentence of ours, with the program's name before it."""
        self.say(f"elicit-tui: {sentence}")

    def error(self, error: BaseException) -> None:
        """Tell what ended the command, in a line each; what nobody foresaw is said to be that."""
        from elicit_tui.text import neutral_line

        if isinstance(error, ProtocolCallError):
            # The server's own words: on one line, none of them can pass for a line of ours.
            self.tell(f"error {error.shown_code}: {neutral_line(error.message, 2000)}")
        elif isinstance(error, ConfigError):
            for problem in error.problems:
                self.tell(problem)
        elif isinstance(error, ElicitTuiError) and str(error):
            self.tell(str(error))
        else:
            self.tell(f"unforeseen {type(error).__name__}: {error}")

    @classmethod
    def silent(cls) -> Narration:
        """One that tells nobody anything."""
        silent = cls()
        silent._stream = None
        return silent

    @contextmanager
    def starting(self, servers: Sequence[ServerSettings], output: str) -> Iterator[None]:
        """Within this, in an event loop, these servers start: after a while a line says so.

        On a terminal alone, where a person reads the `output` as text; it is gone with the end or
        with whatever else there is to say.
        """
        if output != "text" or in_ci() or not is_terminal(self._stream):
            yield
            return
        import asyncio

        said = asyncio.get_running_loop().call_later(SILENT_SECONDS, self._say_wait, servers)
        try:
            yield
        finally:
            said.cancel()
            self._end_wait()

    def _say_wait(self, servers: Sequence[ServerSettings]) -> None:
        from elicit_tui.text import neutral_line
        from elicit_tui.tui.console.spans import shortened

        names = ", ".join(server.name for server in servers)
        does = "Starting" if any(server.command for server in servers) else "Connecting to"
        width = columns_of(self._stream) or 80
        if not (self._forms or self._prompts):
            # In cells: of a line that breaks only the last part could be taken away.
            line = shortened(neutral_line(f"{does} {names}", width), max(width - 4, 1))
            self.write(f"{line} …")
            self._waits = True

    def _end_wait(self) -> None:
        """Take the line off the terminal; one that cannot do that has it as a line."""
        waits, self._waits = self._waits, False
        if waits:
            self.write("\n" if wants_plain_prompts() else "\r\x1b[K")

    @contextmanager
    def behind_form(self) -> Iterator[None]:
        """Within this a form is on the screen, and every line is kept until it is gone."""
        self._end_wait()
        self._forms += 1
        try:
            yield
        finally:
            self._forms -= 1
            self._write_held()

    @contextmanager
    def prompting(self) -> Iterator[None]:
        """Within this, plain prompts are written; they are what `write` writes."""
        self._prompts += 1
        try:
            yield
        finally:
            self._prompts -= 1
            self._write_held()

    def _write_held(self) -> None:
        if self._forms or self._prompts:
            return
        held, self._held = self._held, []
        for text in held:
            self.write(text)

    def write(self, text: str) -> None:
        """Write text as it is: prompts, which the caller has made neutral."""
        if self._forms:
            self._held.append(text)
            return
        self._end_wait()
        if self._stream is None:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except UnicodeEncodeError:  # A kind of ValueError: what it cannot write is spelled out.
            self.write(text.encode("ascii", "backslashreplace").decode("ascii"))
        except (OSError, ValueError):
            self._stream = None  # Nobody reads what we would tell; the data still goes out.
