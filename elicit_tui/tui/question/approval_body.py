"""A question of ours: whether a tool may be called."""

from __future__ import annotations

from textual.content import Content

from elicit_tui.tui.question.actions import APPROVAL, Action, ActionBar, PageName
from elicit_tui.tui.question.approval_panel import ApprovalPanel
from elicit_tui.tui.question.frame import Body, QuestionFrame


class ApprovalBody(Body):
    """The call, whole; not calling is the harmless choice, and has the focus."""

    def __init__(self, view: QuestionFrame) -> None:
        super().__init__(view)
        self._panel = ApprovalPanel(self.question.request, view.around)

    @property
    def panel(self) -> ApprovalPanel:
        """What would be called with what."""
        return self._panel

    def actions(self, page: PageName) -> tuple[Action, ...]:
        """Not calling first."""
        return APPROVAL

    def summary(self) -> Content:
        """That nothing happens by itself."""
        return Content("called only if you allow it")

    def focus(self) -> None:
        """Not calling is the harmless choice."""
        self.view.query_one(ActionBar).focus_on("decline")

    @property
    def has_focus(self) -> bool:
        """Whether something of the question has it."""
        focused = self.view.screen.focused
        return focused is not None and self.view in focused.ancestors

    def send(self, page: PageName) -> None:
        """Allow this call."""
        self.accept("The person allowed the call.", None, scope="once")

    def session(self) -> None:
        """Allow it, and those of the same tool that follow."""
        self.accept("The person allowed the tool for the session.", None, scope="session")
