"""The panel of an approval: what would be called with what, and what the tool says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events
from textual.content import Content

from elicit_tui.elicitation import ElicitationRequest, hints_of
from elicit_tui.text import neutral
from elicit_tui.tui.foreign_signs import quoting_signs
from elicit_tui.tui.question import frame_words
from elicit_tui.tui.question.actions import Action
from elicit_tui.tui.question.page import Page

ARGUMENTS_CHARACTERS: Final = 20_000
"""Of a call's arguments; of more than that the beginning and the end."""
_DECIDED_ABOUT = 2
"""Rows, from the first, that say what would happen."""
_LABEL = 11
_BESIDE = 4
"""Cells that the text does not have: its margin, a scrollbar and the blank before it."""
_SESSION = (
    "“This session” holds until the server ends or the tool's definition changes; it is never "
    "written to disk."
)


class ApprovalPanel(Page):
    """Shows a tool call whole, before it is made."""

    called = "the call"

    def __init__(self, request: ElicitationRequest, around: tuple[Action, ...] = ()) -> None:
        """`around`: actions of the application; it may have one that lists what is allowed."""
        self._request = request
        keys = [action.key for action in around if action.name == "app.allowances"]
        self._revoking = f" {keys[0]} lists and revokes it." if keys else ""
        text, self.decides = self._drawn(60)
        super().__init__(text, id="approval")

    def on_resize(self, event: events.Resize) -> None:
        """Draw it for this width."""
        self.tell(*self._drawn(event.size.width - _BESIDE))

    def _drawn(self, width: int) -> tuple[Content, Content]:
        """All of it, and its beginning that says what is decided about."""
        call, said = self._request.call, self._request.definition
        arguments = frame_words.sent_json(
            dict(call.arguments) if call is not None else {}, self._request
        )
        described = said.get("description")
        description = neutral(described, 4_000).strip() if isinstance(described, str) else ""
        description = quoting_signs(description)
        shown, self.left_out = frame_words.shortened(arguments, ARGUMENTS_CHARACTERS)
        rows = (
            ("arguments", Content(shown)),
            ("its hints", _hinted(hints_of(said))),
            ("it says", Content(description or "nothing about itself")),
        )
        parts = [
            frame_words.hanging(Content.styled(label.ljust(_LABEL), "$faint"), text, width)
            for label, text in rows
        ]
        text = Content("\n").join(
            [*parts, Content(""), Content.styled(_SESSION + self._revoking, "$faint")]
        )
        # What a server says of its tool may be as long as it likes.
        return text, Content("\n").join(parts[:_DECIDED_ABOUT])


def _hinted(hints: Sequence[str]) -> Content:
    """The tool's hints about itself; that it is destructive stands out."""
    parts = [
        Content.styled(f"▲ {hint}", "bold $warning") if hint == "destructive" else Content(hint)
        for hint in hints
    ]
    return Content(", ").join(parts) if parts else Content("none")
