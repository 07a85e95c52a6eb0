"""What a person decides on a question: look closer, send, refuse, put it off, open its page."""

from __future__ import annotations

import asyncio
from typing import Any

from textual import work
from textual.content import Content
from textual.message import Message

from elicit_tui.elicitation import (
    Finding,
    Outcome,
    Question,
    Severity,
    accept,
    cancel,
    decline,
)
from elicit_tui.form import Draft
from elicit_tui.tui.question import pages
from elicit_tui.tui.question.clipboard import copy
from elicit_tui.tui.question.exact import frozen
from elicit_tui.tui.question.frame import Examine, QuestionFrame
from elicit_tui.tui.question.url_panel import UrlPanel
from elicit_tui.tui.widgets.form_view import FormView

__all__ = ["Examine", "QuestionView"]

FINISHED = "The person opened the page and the server reported it finished."
"""Why a url question is accepted once its server says that the page is done."""


class QuestionView(QuestionFrame):
    """Shows one question and posts exactly one `Answered`, or `Later`.

    Whoever holds it takes it off the screen after `Answered` or `Later`, or when the question is
    withdrawn.
    """

    class Answered(Message):
        """The person decided; the outcome is complete and ready to return."""

        def __init__(self, view: QuestionView, outcome: Outcome) -> None:
            super().__init__()
            self.view = view
            self.outcome = outcome

        @property
        def question(self) -> Question:
            """The question that was answered."""
            return self.view.question

    class Later(Message):
        """The person wants another question first; what was typed is in the draft."""

        def __init__(self, view: QuestionView, draft: Draft) -> None:
            super().__init__()
            self.view = view
            self.draft = draft

        @property
        def question(self) -> Question:
            """The question that was put back."""
            return self.view.question

    # Looking

    def action_raw(self) -> None:
        """The request as it arrived; the same key goes back."""
        if self._page == "raw":
            self.action_back()
        elif self._page != "step":
            self._turn_to("raw", pages.raw(self.question.request))

    def action_help(self) -> None:
        """What can be done; the same key goes back."""
        if self._page == "help":
            self.action_back()
        elif self._page != "step":
            self._turn_to("help", pages.help_page(self, self._actions_of("answer"), self.room))

    def action_review(self) -> None:
        """The exact JSON, whether it can be sent yet or not; the same key goes back."""
        if self._page == "review":
            self.action_back()
        elif self._page == "answer" and self._form_view is not None:
            conversion = self._form_view.conversion
            if self._ready_to_send():
                self._review(frozen(conversion.content))
            else:
                titles = {spec.name: spec.title for spec in self._form_view.form.fields}
                found = [(titles.get(p.field or "", ""), p.message) for p in conversion.problems]
                self._turn_to("review", pages.problems(self.form, found, conversion.content))

    def _review(self, content: dict[str, Any]) -> None:
        self._held = content
        self._turn_to("review", pages.review(self.question.request, self.form, content))

    # Deciding

    def action_send(self) -> None:
        """Send, open, or say that it is finished: whatever accepts on this page."""
        if self._too_early():
            return
        if self._page == "step":
            self._status.say(f"{self.key('anyway')} goes through with it.")
        elif self._page in ("raw", "help"):
            self._status.say(f"{self.key('cancel')} goes back first.")
        elif self._page == "waiting":
            self._accept_url("The person opened the page and finished there.")
        elif self._page == "review":
            if self._held is not None:
                self._step_or_accept(self._held)
        elif self._page == "answer":
            if self._form_view is None:
                self._send_url()
            else:
                self._send_form(self._form_view)

    def _send_form(self, form_view: FormView) -> None:
        if form_view.form.refusal is not None:
            return
        if form_view.conversion.problems:
            form_view.reveal_problems()
            first = next(iter(form_view.conversion.problems))
            if first.field is None:
                self._status.say(first.message)
            return
        content = frozen(form_view.conversion.content)
        if self.settings.review == "always":
            self._review(content)
        else:
            self._step_or_accept(content)

    def _step_or_accept(self, content: dict[str, Any]) -> None:
        found = (*self._risks(), *self.examine(content))
        serious = tuple(finding for finding in found if finding.severity >= Severity.WARN)
        if not serious:
            self._accept_form(content)
            return
        self._held = content
        text = pages.second_step(self.question.request, self.form, content, serious, self.room)
        self._turn_to("step", text)

    def _risks(self) -> tuple[Finding, ...]:
        return self.question.review.at_least(Severity.WARN)

    def action_anyway(self) -> None:
        """The deliberate second step: go through with what the page shows."""
        if self._page != "step" or self._too_early():
            return
        if self._url is not None:
            self._consent(self._url)
        elif self._held is not None:
            self._accept_form(self._held)

    def _accept_form(self, content: dict[str, Any]) -> None:
        self._decide(accept("user", "The person sent the form.", content))

    def action_decline(self) -> None:
        """An explicit no."""
        if not self._too_early():
            self._decide(decline("user", "The person declined."))

    def action_cancel(self) -> None:
        """Back from a page; else dismiss, asking once more when something was typed."""
        if self._page not in ("answer", "waiting"):
            self.action_back()
        elif not self._too_early():
            if self.typed and not self._asked_to_cancel:
                self._asked_to_cancel = True
                key = self.key("cancel")
                self._status.say(f"{key} again cancels the question. What you typed is kept.")
            else:
                self._decide(cancel("user", "The person dismissed the question."))

    def action_later(self) -> None:
        """Put the question back and keep what was typed."""
        if self._page != "step" and not self._too_early():
            self.keep_draft()
            self.post_message(self.Later(self, self.draft))

    def stay(self, sentence: str) -> None:
        """Say why the question stays where it is."""
        self._status.say(sentence)

    def _too_early(self) -> bool:
        return self._done or self.deaf

    def _decide(self, outcome: Outcome) -> None:
        if outcome.action == "cancel":
            self.keep_draft()
        elif self.drafts is not None and self._form_view is not None:
            self.drafts.forget(self.question.request)
        self._done = True
        self.post_message(self.Answered(self, outcome))

    # Url mode

    @property
    def holds_until_finished(self) -> bool:
        """Whether consent waits here for the page to be finished before it is sent."""
        return self.question.request.answered_by_retry

    def _send_url(self) -> None:
        if self._url is not None and self._url.can_open:
            self._step_or_consent(self._url, elsewhere=False)

    def _step_or_consent(self, url: UrlPanel, *, elsewhere: bool) -> None:
        url.elsewhere = elsewhere
        if self._risks() or self.settings.review == "always":
            text = pages.second_step(
                self.question.request,
                None,
                None,
                self._risks(),
                self.room,
                url.address.content(),
                elsewhere,
            )
            self._turn_to("step", text)
        else:
            self._consent(url)

    def _consent(self, url: UrlPanel) -> None:
        if url.elsewhere:
            self._consented("The person opened the page elsewhere.")
        else:
            self._open()

    @work(exclusive=True, group="opening")
    async def _open(self) -> None:
        assert self._url is not None
        started = await asyncio.to_thread(self._opener, self._url.url)
        if self._done:
            return  # Decided while the browser was starting.
        if started:
            self._consented("The person opened the page.")
            return
        self._url.say(
            Content.styled(
                "▲ No browser could be started here. The question stays open: copy the address "
                "or scan its QR code, open it elsewhere, then choose “I opened it”.",
                "bold $warning",
            )
        )
        if self._page == "step":
            self._turn_to("answer")

    def action_elsewhere(self) -> None:
        """The person opened it themselves, from the copy or the code: that is consent too."""
        url = self._url
        if url is not None and url.can_visit and self._page == "answer" and not self._too_early():
            self._step_or_consent(url, elsewhere=True)

    def _consented(self, reason: str) -> None:
        if not self.holds_until_finished:
            self._accept_url(reason)
            return
        assert self._url is not None
        self._opened = True
        self._url.say_opened()
        self._turn_to("waiting")

    def action_again(self) -> None:
        """Open the page once more."""
        if self._page == "waiting":
            self._open()

    def completed(self) -> None:
        """The server said that what its URL asked for is done: the answer can go out."""
        if self._opened and not self._done:
            self._accept_url(FINISHED)

    def _accept_url(self, reason: str) -> None:
        self._decide(accept("user", reason, None))

    def action_copy(self) -> None:
        """Put the URL on the clipboard, also over SSH."""
        if self._url is not None and self._page in ("answer", "waiting"):
            if self._url.can_copy:
                copy(self.app, self._url.url)
                self._status.say("Copied.", "bold $success")
            else:
                self._status.say("Not copied: it holds characters that cannot be seen.")

    def action_code(self) -> None:
        """Show or hide the QR code."""
        if self._url is not None and self._page in ("answer", "waiting"):
            self._url.toggle_code()
