"""What of a form's answers was on the screen, and how the rest of it is shown."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from textual.message import Message

from elicit_tui.form.form import Conversion, Form
from elicit_tui.text import neutral_line
from elicit_tui.tui.widgets.control import FieldSeen
from elicit_tui.tui.widgets.row import FieldRow
from elicit_tui.tui.widgets.rows_view import Begun, RowsView

_FEW = 20
"""So many rows, from the first that was not on the screen to the last, are made in one go."""


class SeenRows(RowsView):
    """Rows that know whether all that goes out was on the screen.

    Their controls report what they drew of it. What stands below is scrolled to, once, and again
    where that shows the rest; what is left then, and what its field has no room for, is for a page
    that shows all of it whole.
    """

    class SeenMore(Message, namespace="form_view"):
        """Something was seen to its end."""

    def __init__(
        self, form: Form, begun: Begun, *, leads_to: str = "", id: str | None = None
    ) -> None:
        super().__init__(form, begun, leads_to=leads_to, id=id)
        self._shown_whole: dict[str, Any] = {}
        """What fields sent when all of it was shown to the person on another page."""
        self.known: frozenset[str] = frozenset()
        """The fields with what the person gave before: they need not be gone to again."""
        self._told_words = False
        self._scrolled_on = False
        self._on_top: str | None = None
        """The field that was scrolled to, as far up as can be until something is done."""

    @property
    @abstractmethod
    def conversion(self) -> Conversion:
        """Content and problems of what is on the screen at this moment."""

    @property
    @abstractmethod
    def withholds_a_fault(self) -> bool:
        """Whether an answer is wrong, and not only missing, and nobody may have been told of it."""

    @abstractmethod
    def focus_field(self, name: str) -> None:
        """Focus one field and bring it into view."""

    def on_field_seen(self, event: FieldSeen) -> None:
        """Whoever counts what is to be seen counts anew."""
        event.stop()
        self.post_message(self.SeenMore())

    def _see(self) -> bool:
        more = super()._see()
        if more:
            self.post_message(self.SeenMore())
        return more

    def see_afresh(self) -> None:
        """What stands on the screen now was seen, and nothing that stood there before."""
        for row in self._rows.values():
            row.control.see_afresh()
        super().see_afresh()

    @property
    def unseen(self) -> bool:
        """Whether something goes out that was never on the screen, or words of the form were not.

        So it is with a part of an answer, unless the person wrote it.
        """
        return bool(self.fields_unseen) or self._unseen_words

    @property
    def still_unseen(self) -> bool:
        """Whether there is more than what was brought into view last."""
        if self._unseen_words:
            return False  # They were scrolled to, and are not painted yet.
        unseen = self.fields_unseen
        return any(map(self._was_there, unseen)) or not self._fit(unseen)

    def _fit(self, names: list[str]) -> bool:
        """Whether all that these fields send, and what stands between them, fits into the view."""
        if not all(map(self._will_show, names)):
            return False
        rows = [self._rows[name] for name in names]
        return not rows or self._height(rows) <= self.scrollable_content_region.height

    def _height(self, rows: list[FieldRow]) -> int:
        return self._stack.top(rows[-1]) + rows[-1].height_to_see - self._stack.top(rows[0])

    @property
    def _unseen_words(self) -> bool:
        return self._words_unseen and not self._told_words

    @property
    def fields_unseen(self) -> list[str]:
        """The names of the fields of which something was not seen, from the top."""
        content = self.conversion.content
        return [name for name in self._names if name in content and self._hides(name, content)]

    def _hides(self, name: str, content: dict[str, Any]) -> bool:
        if name in self._shown_whole and self._shown_whole[name] == content[name]:
            return False
        if name in self.known:
            return name in self._rows and self._rows[name].control.hidden
        return not self._was_there(name) or self._rows[name].control.hidden

    def _will_show(self, name: str) -> bool:
        return name in self._rows and self._rows[name].control.shows_all

    def _was_there(self, name: str) -> bool:
        return name in self._rows and self._rows[name].seen

    @property
    def unset_unseen(self) -> int:
        """How many fields are left out that were never on the screen."""
        answered = self.conversion.content
        return sum(name not in answered and not self._was_there(name) for name in self._names)

    @property
    def answers_unseen(self) -> int:
        """How many fields go out of which something was not seen."""
        return len(self.fields_unseen)

    @property
    def wants_a_page(self) -> bool:
        """Whether scrolling shows no more of what is to be seen: another page has to."""
        if self._unseen_words:
            return False
        unseen = self.fields_unseen
        if all(map(self._was_there, unseen)):
            return bool(unseen)
        return self._scrolled_on and not self._fit(unseen)

    @property
    def reads_on(self) -> bool:
        """Whether the key that takes it shows first what was never on the screen.

        What is wrong is told before. A page that shows all of it is for what can go out.
        """
        shows = self.conversion.ok or not (self.withholds_a_fault or self.wants_a_page)
        return shows and self.unseen

    def show_unseen(self, *, briefly: bool) -> str:
        """Go to the form's own words, else to the first field that was not there; tell what it is.

        Of what its field has no room for it is only told.
        """
        if self._unseen_words:
            self._told_words = True
            self._show_words()
            return "what the form says goes on"
        if self.wants_a_page:
            return self.unseen_in_words
        below = [name for name in self.fields_unseen if not self._was_there(name)]
        answer_seen = below[0] in self._rows and self._rows[below[0]].answer_seen
        # While an answer lacks nothing goes out: then it is scrolled as often as that shows more.
        self._scrolled_on = self.conversion.ok or self._on_top == below[0]
        self._on_top = below[0]
        self._make_rows(below[0], below[-1])
        self._seen_no_more(below)  # What is painted of them now is.
        self.focus_field(below[0])
        first, more = self._titled(below)
        if answer_seen:
            first = f"what {first} sends"
        were = "were" if more else "was"
        return f"{first}{more} {were} not {'seen' if briefly else 'on the screen'} yet"

    @property
    def unseen_in_words(self) -> str:
        """Which fields show no more of what they send, as a clause."""
        first, more = self._titled(self.fields_unseen)
        return f"{first}{more} {'were' if more else 'was'} not shown whole yet"

    def _titled(self, names: list[str]) -> tuple[str, str]:
        first = f"“{neutral_line(self.form.by_name[names[0]].title, 40)}”"
        return first, f" and {len(names) - 1} more" if len(names) > 1 else ""

    def _make_rows(self, first: str, last: str) -> None:
        """Make the rows of all these fields, where they are few, so that it is known what fits."""
        places = [spec.name for spec in self.form.fields]
        begin, end = places.index(first), places.index(last) + 1
        if self._columns is not None and len(self._rows) < end <= begin + _FEW:
            self._mount_rows(end - len(self._rows))

    def count_as_seen(self) -> None:
        """All of it was shown to the person, as it stands."""
        self._shown_whole = dict(self.conversion.content)
        self._told_words = True
