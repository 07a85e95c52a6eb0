"""The questions of the sheets: each is shown, and what its keys lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from elicit_tui.demo import forms
from elicit_tui.elicitation import Call, Finding, Question, Severity
from elicit_tui.elicitation.own_questions import approval_request
from tests.tui.question.asking import (
    LOOKALIKE,
    SERVER,
    URL,
    WARNING,
    Asking,
    asked,
    form_question,
    url_question,
)
from tests.tui.sheets.scenes import ROWS, TEXT, Look, Scene, Take


async def ask(
    name: str,
    question: Question,
    keys: Mapping[str, tuple[str, ...]],
    look: Look,
    take: Take,
    **more: Any,
) -> None:
    app = Asking(question, theme=look.theme, **more)
    async with asked(app, look.size) as pilot:
        take(name, app)
        for page, pressed in keys.items():
            await pilot.press(*pressed)
            for _ in range(4):
                await pilot.pause()
            take(f"{name}-{page}", app)


LONG: Final = "Which environment is this branch deployed to, and how many replicas has it? " * 8
ODD: Final = Finding(
    "url.host", Severity.BLOCK, "url", "xn--80ak6aa92e.com", "It only looks like apple.com."
)
ABOUT: Final = {"annotations": {"destructiveHint": True}, "description": "Deploys a branch. " * 20}
WIDE: Final = Call("tools/call", "deploy", {"branch": "main", "hosts": ROWS[:12]})
APPROVAL: Final = Question(approval_request(SERVER, WIDE, ABOUT, ""))
TWO_CHOICES: Final = forms.form(
    {
        "environment": {
            **TEXT,
            "title": "Environment",
            "enum": ["staging", "canary", "production"],
        },
        "note": {**TEXT, "title": "Note", "maxLength": 4000},
    },
    ("environment",),
)
QUESTIONS: Final[dict[str, Scene]] = {
    "form": partial(
        ask,
        "form",
        form_question(forms.BOOKING),
        {
            "errors": ("ctrl+s",),
            "details": ("f2",),
            "review": ("escape", "ctrl+r"),
            "help": ("escape", "f1"),
        },
    ),
    "short-form": partial(
        ask,
        "form-short",
        form_question(TWO_CHOICES, message=LONG),
        {"filled": ("down", "tab", *"abc"), "sure": ("escape",)},
    ),
    "colours": partial(
        ask, "form-list", form_question(forms.COLOURS), {"open": ("tab", "tab", *"bl")}
    ),
    "warned": partial(
        ask,
        "form-warned",
        form_question(TWO_CHOICES, WARNING),
        {"second-step": ("1", "ctrl+s")},
    ),
    "yes-no": partial(
        ask,
        "yes-no",
        form_question(forms.NO_FIELDS, message="Clear the cache?"),
        {"details": ("f2",)},
    ),
    "page": partial(ask, "page", url_question(URL), {"details": ("f2",), "code": ("escape", "f6")}),
    "odd-page": partial(ask, "page-odd", url_question(URL, ODD, LOOKALIKE), {}),
    "approval": partial(ask, "approval", APPROVAL, {"details": ("f2",)}),
    "approval-noted": partial(
        ask,
        "approval-of-agent",
        replace(APPROVAL, takes_note=True),
        {"note": ("n", *"not yet")},
        origin="claude-code 2.1.319 in /home/me/code",
    ),
}
