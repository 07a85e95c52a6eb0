"""Which buttons stand below a question, page by page."""

from __future__ import annotations

from elicit_tui.tui.question.actions import Action

BACK = Action("back", "Back", "Esc")
LOOK = (Action("raw", "Raw", "F2"), Action("help", "Help", "F1"))
REFUSE = (
    Action("decline", "Decline", "^N"),
    Action("cancel", "Cancel", "Esc"),
    Action("later", "Later", "^L"),
)
FORM = (
    Action("send", "Send", "^S", primary=True),
    *REFUSE,
    Action("review", "Review", "^R"),
    *LOOK,
)
URL = (
    Action("send", "Open", "^S", primary=True),
    Action("copy", "Copy", "F5"),
    Action("code", "QR", "F6"),
    Action("elsewhere", "Opened it", "F7"),
    *REFUSE,
    *LOOK,
)
WAITING = (
    Action("send", "I have finished", "^S", primary=True),
    Action("again", "Try again", "F8"),
    Action("copy", "Copy", "F5"),
    Action("code", "QR", "F6"),
    *REFUSE,
    *LOOK,
)
REVIEW = (Action("send", "Send", "^S", primary=True), BACK)
STEP_FORM = (BACK, Action("anyway", "Send it", "^Y", primary=True), REFUSE[0])
STEP_URL = (BACK, Action("anyway", "Open it", "^Y", primary=True), REFUSE[0])
REFUSED_FORM = (*REFUSE, *LOOK)
