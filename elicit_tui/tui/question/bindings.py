"""The keys of a question, by id, so that the configuration can name others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.binding import Binding, BindingType

QUESTION_BINDINGS: Final[list[BindingType]] = [
    Binding("ctrl+s", "send", "Send", id="question.send"),
    Binding("ctrl+a", "session", "Allow for this session", show=False, id="question.session"),
    Binding("ctrl+n", "decline", "Decline", id="question.decline"),
    Binding("escape", "cancel", "Cancel", id="question.cancel"),
    Binding("y", "yes", "Yes", id="question.yes"),
    Binding("n", "no", "No", id="question.no"),
    Binding("ctrl+l", "later", "Later", id="question.later"),
    Binding("ctrl+r", "review", "Review", id="question.review"),
    Binding("f2", "raw", "More", id="question.raw"),
    Binding("f1", "help", "Help", id="question.help"),
    Binding("ctrl+y", "anyway", "Send anyway", id="question.anyway", show=False),
    Binding("f5", "copy", "Copy the URL", id="question.copy", show=False),
    Binding("f6", "code", "QR code", id="question.code", show=False),
    Binding("f7", "elsewhere", "Opened elsewhere", id="question.elsewhere", show=False),
    Binding("f8", "again", "Try again", id="question.again", show=False),
    # Before any widget sees them: a letter right behind a Tab belongs to the next field.
    Binding("tab", "focus_next", "Next field", priority=True, show=False),
    Binding("shift+tab", "focus_previous", "Previous field", priority=True, show=False),
    Binding("pageup", "scroll_hidden(-1)", "What is hidden above", show=False),
    Binding("pagedown", "scroll_hidden(1)", "What is hidden below", show=False),
]

BY_ACTION: Final[Mapping[str, Binding]] = {
    binding.action: binding
    for binding in QUESTION_BINDINGS
    if isinstance(binding, Binding) and binding.id
}
