"""Which buttons stand below a question, page by page."""

from __future__ import annotations

from typing import Literal

from elicit_tui.form import Form
from elicit_tui.tui.question.actions import Action
from elicit_tui.tui.question.url_panel import UrlPanel

PageName = Literal["answer", "review", "step", "raw", "help", "waiting"]

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
STEP_ELSEWHERE = (BACK, Action("anyway", "I opened it", "^Y", primary=True), REFUSE[0])
REFUSED_FORM = (*REFUSE, *LOOK)


def on_page(
    page: PageName, form: Form | None, url: UrlPanel | None, *, ready: bool
) -> tuple[Action, ...]:
    """The buttons of a page; `ready` says whether the form could be sent as it is."""
    if page == "review":
        return REVIEW if ready else (BACK,)
    if page == "step":
        if form is not None:
            return STEP_FORM
        return STEP_ELSEWHERE if url is not None and url.elsewhere else STEP_URL
    if page in ("raw", "help"):
        return (BACK,)
    if form is not None:
        return FORM if form.refusal is None else REFUSED_FORM
    if page == "waiting" or url is None:
        return WAITING
    can = {"send": url.can_open, "copy": url.can_copy, "elsewhere": url.can_visit}
    return tuple(action for action in URL if can.get(action.name, True))
