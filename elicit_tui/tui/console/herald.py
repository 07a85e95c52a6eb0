"""Makes a waiting question heard, and seen from another window (`console.notify`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.waiting import Waiting
from elicit_tui.tui.console.words import plural

if TYPE_CHECKING:
    from elicit_tui.tui.console.application import ConsoleApp

BETWEEN_BELLS: Final = 2.0
"""Seconds: a flood rings once, not a thousand times."""
NOTICE_SECONDS: Final = 6.0
"""How long a notice stands; the next one waits until it is gone."""

KEEP_TITLE: Final = "\x1b[22;2t"
RESTORE_TITLE: Final = "\x1b[23;2t"


def title_sequence(text: str) -> str:
    """Set the window's title; the text is ours, in ASCII (xterm: OSC 2)."""
    return f"\x1b]2;{_ascii(text)}\x07"


def notification_sequence(text: str) -> str:
    """Raise a notification of the terminal (iTerm2, WezTerm, kitty, Windows Terminal: OSC 9)."""
    return f"\x1b]9;{_ascii(text)}\x07"


def _ascii(text: str) -> str:
    """Printable ASCII only: nothing in it can end or start a control sequence."""
    return "".join(
        character if " " <= character <= "~" else "?" for character in neutral_line(text, 120)
    )


class Herald:
    """Announces what waits; says each thing once."""

    def __init__(self, app: ConsoleApp) -> None:
        self._app = app
        self._last = float("-inf")
        self._last_notice = float("-inf")
        self._title = ""

    def question(self, waiting: Waiting, *, shown: bool) -> None:
        """A question came; `shown` says whether it opened by itself."""
        nothing_open = self._app.session.questions.open is None
        if not shown and nothing_open and waiting.since - self._last_notice >= NOTICE_SECONDS:
            # An open question counts the others in its frame; a notice would only cover it.
            self._last_notice = waiting.since
            count = len(self._app.session.questions)
            self._app.notify(
                f"{waiting.server} asks · {plural(count, 'question')} waiting · "
                f"{self._app.key_of('console.next_question')} opens",
                title="A question waits",
                markup=False,
                timeout=NOTICE_SECONDS,
            )
        if waiting.since - self._last < BETWEEN_BELLS:
            return
        self._last = waiting.since
        how = self._app.session.settings.console.notify
        if how == "bell":
            self._app.bell()
        elif how == "notification":
            self._write(notification_sequence(f"elicit-tui: {waiting.server} asks"))

    def title(self) -> None:
        """Keep the window's title at the number of waiting questions."""
        if self._app.session.settings.console.notify == "off":
            return
        count = len(self._app.session.questions)
        title = f"({count}) elicit-tui" if count else "elicit-tui"
        if title != self._title:
            if not self._title:
                self._write(KEEP_TITLE)
            self._title = title
            self._write(title_sequence(title))

    def restore(self) -> None:
        """Give the window its own title back."""
        if self._title:
            self._title = ""
            self._write(RESTORE_TITLE)

    def _write(self, sequence: str) -> None:
        driver = self._app._driver
        if driver is not None and not self._app.is_headless:
            driver.write(sequence)
            driver.flush()
