"""Which buttons stand below a question, page by page."""

from __future__ import annotations

from typing import Literal

from elicit_tui.form import Form
from elicit_tui.tui.question.actions import Action
from elicit_tui.tui.question.url_panel import UrlPanel

PageName = Literal["answer", "review", "step", "raw", "help", "waiting"]

BACK = Action("back", "Back", "Esc", "back to the question, nothing changed")
LOOK = (
    Action("raw", "Raw", "F2", "the request as it arrived"),
    Action("help", "Help", "F1", "keys and words"),
)
REFUSE = (
    Action("decline", "Decline", "^N", "an explicit no"),
    Action("cancel", "Cancel", "Esc", "neither yes nor no"),
    Action("later", "Later", "^L", "answer it later, what you typed is kept"),
)
SEND = Action("send", "Send", "^S", "hand over what is shown", primary=True)
REVIEW_IT = Action("review", "Review", "^R", "the exact JSON that would be sent")
FORM = (SEND, *REFUSE, REVIEW_IT, *LOOK)
ADDRESS = (
    Action("copy", "Copy", "F5", "put the address on the clipboard"),
    Action("code", "QR", "F6", "show it for a telephone"),
)
URL = (
    Action("send", "Open", "^S", "open this page in your browser", primary=True),
    *ADDRESS,
    Action("elsewhere", "I opened it", "F7", "you opened it elsewhere and agree"),
    *REFUSE,
    *LOOK,
)
WAITING = (
    Action("send", "I have finished", "^S", "tell the server that you are done", primary=True),
    Action("again", "Try again", "F8", "open the page once more"),
    *ADDRESS,
    *REFUSE,
    *LOOK,
)
REVIEW = (SEND, BACK)
STEP_FORM = (
    BACK,
    Action("anyway", "Send it", "^Y", "hand over what is shown", primary=True),
    REFUSE[0],
)
STEP_URL = (
    BACK,
    Action("anyway", "Open it", "^Y", "open this page in your browser", primary=True),
    REFUSE[0],
)
STEP_ELSEWHERE = (
    BACK,
    Action("anyway", "I opened it", "^Y", "you opened it elsewhere and agree", primary=True),
    REFUSE[0],
)
REFUSED_FORM = (*REFUSE, *LOOK)


def on_page(
    page: PageName,
    form: Form | None,
    url: UrlPanel | None,
    *,
    ready: bool,
    around: tuple[Action, ...] = (),
) -> tuple[Action, ...]:
    """The buttons of a page; `ready` says whether the form could be sent as it is.

    What the application around the question can do (`around`) stands on the help page.
    """
    if page == "review":
        return REVIEW if ready else (BACK,)
    if page == "step":
        if form is not None:
            return STEP_FORM
        return STEP_ELSEWHERE if url is not None and url.elsewhere else STEP_URL
    if page == "help":
        return (BACK, *around)
    if page == "raw":
        return (BACK,)
    if form is not None:
        return FORM if form.refusal is None else REFUSED_FORM
    if page == "waiting" or url is None:
        return WAITING
    can = {"send": url.can_open, "copy": url.can_copy, "elsewhere": url.can_visit}
    return tuple(action for action in URL if can.get(action.name, True))
