"""A date or a date with time, with keys for today and for one day more or less."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import ClassVar

from textual.binding import Binding, BindingType

from elicit_tui.form import Typed
from elicit_tui.tui.key_names import key_of
from elicit_tui.tui.widgets.text_line import TextLine

TODAY = Binding("ctrl+t", "today", "Today, in a date", id="field.today", show=False)


def local_now() -> datetime:
    """The time of day here, with its offset."""
    return datetime.now().astimezone()


class DateLine(TextLine):
    """A line for RFC 3339 dates; the arrow keys move it by days."""

    clock: ClassVar[Callable[[], datetime]] = staticmethod(local_now)

    BINDINGS: ClassVar[list[BindingType]] = [
        TODAY,
        Binding("up", "days(1)", "One day later", show=False),
        Binding("down", "days(-1)", "One day earlier", show=False),
    ]

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """Today, and a day more or less."""
        today = "today" if self.spec.kind == "date" else "now"
        return ((key_of(self, TODAY), today), ("↑↓", "±1 day"))

    @property
    def example(self) -> str:
        """The next day, so that an example never lies in the past."""
        tomorrow = type(self).clock() + timedelta(days=1)
        if self.spec.kind == "date":
            return self._written(tomorrow)
        # As short as a date with time can be: an example has to fit into its line.
        return f"{tomorrow.astimezone(timezone.utc):%Y-%m-%dT%H:%M}:00Z"

    def _written(self, moment: datetime) -> str:
        if self.spec.kind == "date":
            return moment.date().isoformat()
        return moment.replace(microsecond=0).isoformat()

    def action_today(self) -> None:
        """Write today's date, or this moment."""
        self._replace(Typed(self._written(type(self).clock())))

    def action_days(self, days: int) -> None:
        """Move the day and leave the rest of the text as it is; from a blank line, today."""
        text = self.value.strip()
        if not text:
            self.action_today()
            return
        try:
            day = date(int(text[0:4]), int(text[5:7]), int(text[8:10])) + timedelta(days=days)
        except (ValueError, OverflowError):
            return
        self._replace(Typed(day.isoformat() + text[10:]))
