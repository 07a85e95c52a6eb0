"""Makes a waiting question heard, and seen from another window (`console.notify`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from elicit_tui.text import neutral, neutral_line, quoted
from elicit_tui.tui.console.outcome_words import in_passing, plural

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Resolved
    from elicit_tui.elicitation import Pending
    from elicit_tui.errors import ToolRefused
    from elicit_tui.tui.console.controller import Controller

BETWEEN_BELLS: Final = 2.0
"""Seconds: a flood rings once, not a thousand times."""
NAMED_ENDS: Final = 3
"""So many questions that ended for one reason are named; the others are counted."""
NOTICE_SECONDS: Final = 6.0
"""How long a notice stands; the next one waits until it is gone."""
TOLD_SECONDS: Final = 8.0
"""How long it stands where it tells of an end, or of something to know."""

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


class Announcer:
    """Announces what waits; says each thing once."""

    def __init__(self, app: Controller) -> None:
        self._app = app
        self._last = float("-inf")
        self._last_notice = float("-inf")
        self._title = ""

    def question(self, pending: Pending, *, shown: bool) -> None:
        """A question came; `shown` says whether it opened by itself."""
        nothing_open = self._app.state.questions.open is None
        if not shown and nothing_open and pending.asked_at - self._last_notice >= NOTICE_SECONDS:
            # An open question counts the others in its frame; a notice would only cover it.
            self._last_notice = pending.asked_at
            count = len(self._app.state.questions)
            opens = "opens" if self._app.takes_a_question else "opens once this is closed"
            self._app.notify(
                f"{quoted(pending.server, 40)} asks · {plural(count, 'question')} waiting · "
                f"{self._app.key_of('console.next_question')} {opens}",
                title="A question waits",
                markup=False,
                timeout=NOTICE_SECONDS,
            )
        if pending.asked_at - self._last < BETWEEN_BELLS:
            return
        self._last = pending.asked_at
        how = self._app.state.settings.console.notify
        if how == "bell":
            self._app.bell()
        elif how == "notification":
            self._write(notification_sequence(f"elicit-tui: {pending.server} asks"))

    def tell_notices(self) -> None:
        """Servers that ended by themselves, and sentences of the broker that no screen showed."""
        lost, told = self._app.state.lost_servers, self._app.state.told_lost
        while lost:
            server, reason = lost.popitem()
            told.append(server)
            starts = f"{self._app.key_of('servers.restart')} {self._where} starts it again."
            self._tell("\n".join(filter(None, (reason, starts))), f"{quoted(server, 40)} has ended")
        notices = self._app.state.notices
        while notices:
            notice = notices.popleft()
            self._tell(neutral_line(notice.sentence, 400), notice.server)

    @property
    def _where(self) -> str:
        """Where the key works that starts a server: at each pane, under Servers on its row."""
        pane = getattr(self._app.screen, "pane", None)
        if pane is None:
            return f"under Servers ({self._app.key_of('pane.servers')})"
        return "on its row" if pane.id == "servers-pane" else "here"

    def tell_ends(self, kept_of: Callable[[Resolved], bool | None]) -> None:
        """Questions that ended without the person; those that ended for one reason together.

        `kept_of`: whether a draft is kept, or None where its own form ended it.
        """
        messages: dict[tuple[str, str], list[str]] = {}
        while (event := self._app.state.next_end()) is not None:
            kept = kept_of(event)
            if kept is None:
                continue
            end = in_passing(event, self._app.key_of("pane.questions"), kept=kept)
            if end is not None:
                if not end.message:
                    self._app.state.show_stopped(event.request.id, TOLD_SECONDS)
                messages.setdefault((end.title, end.why), []).append(end.message)
        for (title, why), ended in messages.items():
            named = [f"“{message}”" for message in ended[:NAMED_ENDS] if message]
            more = len(ended) - NAMED_ENDS
            others = [f"and {more:,} more"] if named and more > 0 else []
            self._tell("\n".join([*named, *others, why]), title)

    def _tell(self, text: str, title: str) -> None:
        self._app.notify(text, title=title, severity="warning", markup=False, timeout=TOLD_SECONDS)

    def title(self) -> None:
        """Keep the window's title at the number of waiting questions."""
        if self._app.state.settings.console.notify == "off":
            return
        count = len(self._app.state.questions)
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


def tell_refused(app: Controller, refused: ToolRefused) -> None:
    """Say why a tool was not called, where it was not the person who said no."""
    if refused.outcome.decided_by != "user":
        app.notify(
            neutral(refused.outcome.reason, 800),
            title="Not called",
            severity="warning",
            markup=False,
            timeout=12,
        )
