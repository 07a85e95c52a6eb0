"""A question with fields, or a yes/no question: filled in, reviewed, sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textual import events
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.finding import MASK
from elicit_tui.form.form import Conversion, Form
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.question import overlays
from elicit_tui.tui.question.actions import (
    ALL_CHOICES,
    BACK,
    CANCEL,
    DECLINE,
    FORM,
    REFUSED_FORM,
    SEND,
    STEP_FORM,
    YES_OR_NO,
    Action,
    ActionButton,
    PageName,
)
from elicit_tui.tui.question.body import Body, ShownPage, frozen
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.frame_words import goes_on_below
from elicit_tui.tui.question.last_time import LastTime, begun_with
from elicit_tui.tui.question.live_json import LiveJson
from elicit_tui.tui.question.seen_texts import PageText, PartToSee
from elicit_tui.tui.question.status import StatusLine, summary
from elicit_tui.tui.widgets.control import REVEAL, FieldControl
from elicit_tui.tui.widgets.form_view import FormView
from elicit_tui.tui.widgets.lines import TextLine


@dataclass(frozen=True)
class Unchosen:
    """What was said of a search, or a place in a list, from which nothing was chosen."""

    sentence: str
    field: FieldControl | None
    not_taken: str


class FormPanel(Horizontal):
    """The fields, and the JSON beside them where there is room."""

    def __init__(self, body: FormBody) -> None:
        self._body = body
        self._json = LiveJson(body.frame, body.fields)
        super().__init__(body.fields, self._json, id="middle")
        self.set_class(body.is_empty, "-empty")

    def on_form_view_changed(self, event: FormView.Changed) -> None:
        """Something was typed or chosen."""
        event.stop()
        if not self._body.frame.decided:
            self._body.frame.answers_changed()
            self._body.name_cancel()
            self._json.draw_soon()

    def on_form_view_seen_more(self, event: FormView.SeenMore) -> None:
        """There is less to be seen before it can be sent."""
        event.stop()
        if self._body.fields.judged and not self._body.frame.decided:
            self._body.frame.summarise()

    def on_form_view_focused(self, event: FormView.Focused) -> None:
        """Remember where the person is, and name the keys that act there."""
        event.stop()
        self._body.focused(event.field_control)
        self.on_descendant_blur()

    def on_descendant_blur(self) -> None:
        """A secret is shown no longer than somebody is in its field: nor is it beside."""
        if self._body.fields.judged:
            self._json.draw_soon()

    def on_form_view_finished(self, event: FormView.Finished) -> None:
        """From the last field Enter goes on to the button that sends."""
        event.stop()
        self._body.finished()

    def expect(self, size: Size) -> None:
        """Have all that will be seen in this much room, before anything is painted."""
        self._body.fields.expect(self._json.expect(size))

    def show_live(self) -> None:
        """Have the JSON beside the form, as it stands, if the question is wide enough."""
        self._json.draw()


class FormBody(Body):
    """The fields, and beside them, where there is room, the JSON that would be sent."""

    def __init__(self, frame: QuestionFrame, form: Form) -> None:
        super().__init__(frame.question, frame.accept)
        self.frame = frame
        self.form = form
        draft, leads_to = self.question.draft, SEND.label if form.refusal is None else ""
        self.fields = FormView(form, begun_with(self.question, form), leads_to=leads_to, id="form")
        self._last_time = LastTime(frame, self.fields)
        self._continued = draft.continues
        """The field one was in the middle of when this question went, a moment ago."""
        self._fields_and_json = FormPanel(self)
        self._warned: Unchosen | None = None
        self._examined: Conversion | None = None
        self._is_doubtful = False
        """Whether what was `_examined` holds, or binds, what has to be acknowledged."""

    @property
    def panel(self) -> FormView:
        """The fields."""
        return self.fields

    @property
    def is_empty(self) -> bool:
        """A yes/no question whose form says nothing."""
        return self.form.is_confirmation and not self.fields.has_words

    @property
    def whole(self) -> FormPanel:
        """The fields and the JSON beside them."""
        return self._fields_and_json

    def expect(self, size: Size) -> None:
        """Make the rows that will be seen before anything is painted."""
        self._fields_and_json.expect(size)

    @property
    def is_laid_out(self) -> bool:
        """Whether the fields have their columns, and the lines of a form that was judged."""
        return self.is_judged and self.fields.is_laid_out and self.fields.shows_its_focus

    @property
    def free_rows(self) -> int:
        """How many are left below the last field; without one the message has them all anyway."""
        return 0 if self.is_empty else self.fields.free_rows

    @property
    def is_judged(self) -> bool:
        """What is missing is said once the form was judged."""
        return self.fields.judged

    @property
    def takes_yes(self) -> bool:
        """A form without fields."""
        return self.form.is_confirmation

    def to_be_seen(self, page: PageName) -> tuple[PartToSee, ...] | None:
        """The fields; the review of fields that have been seen need not be read to its end."""
        if page == "answer":
            return (self.fields,)
        return None if page == "step" or self.fields.unseen else ()

    def seen(self, content: Mapping[str, Any], *, page_read: bool) -> frozenset[str]:
        """The fields that go out."""
        unseen = () if page_read else self.fields.fields_unseen
        return frozenset(f"content.{name}" for name in content if name not in unseen)

    def showed(self, page: PageName, *, whole: bool) -> None:
        """On a review what goes out was all there: however it lies later, it was seen."""
        if page == "review" and whole:
            self.fields.count_as_seen()

    def resized(self) -> None:
        """Show or hide the JSON: there is room for it now, or none any more."""
        if self._fields_and_json.is_mounted:
            self._fields_and_json.show_live()

    def actions(self, page: PageName) -> tuple[Action, ...]:
        """Send where it can be sent; Yes and No where nothing is to be filled in."""
        if page == "step":
            return STEP_FORM
        if page == "review":
            if not self.takes_send:
                return (BACK,)
            return (*YES_OR_NO, BACK) if self.form.is_confirmation else (SEND, BACK)
        if self.form.refusal is not None:
            return REFUSED_FORM
        if self.form.is_confirmation:
            return (*YES_OR_NO, *FORM[2:])
        field = self.fields.focused_field if self.fields.is_attached else None
        searches = field is not None and field.searches
        decide = SEND, DECLINE, ALL_CHOICES if searches else CANCEL
        return (*decide, *self._last_time.actions, *FORM[len(decide) :])

    def summary(self) -> Content:
        """How many answers are missing or wrong; what was not seen of those that are not."""
        fields = self.fields
        at_fields = self.frame.page == "answer"
        if self.ready and self.goes_on and not (at_fields and fields.answers_unseen):
            return goes_on_below()
        if self.frame.page == "review":  # All that goes out stands there, and what is left out.
            return summary(self.form, fields.conversion, fields.entries)
        return summary(
            self.form,
            fields.conversion,
            fields.entries,
            below=fields.unset_unseen,
            unseen=fields.answers_unseen,
        )

    @property
    def content(self) -> Mapping[str, Any]:
        """What stands in the fields, once it was judged."""
        return self.fields.conversion.content if self.fields.judged else {}

    @property
    def ready(self) -> bool:
        """Whether it could be sent as it stands, once it was judged."""
        return self.form.refusal is None and not self.fields.conversion.problems

    @property
    def takes_send(self) -> bool:
        """Not on a review of what cannot be sent."""
        return self.frame.page != "review" or self.frame.shown.content is not None

    @property
    def goes_on(self) -> bool:
        """Whether the key that sends would show first what was never on the screen.

        Where it leads to another page first, that one is asked about.
        """
        frame = self.frame
        on_its_pages = frame.page in ("answer", "review") and self.is_judged
        if not on_its_pages or self.leads_to_a_page:
            return False
        if self.ready:
            return any(part.unseen for part in frame.to_be_seen)
        at_fields = frame.page == "answer" and self.form.refusal is None
        if not at_fields or self.fields.withholds_a_fault:
            return False
        return frame.message.unseen or self.fields.reads_on

    def shows_more(self, parts: Sequence[PartToSee]) -> bool:
        """Of a form that lacks an answer no page shows what its fields have no room for."""
        return self.goes_on if not self.ready else super().shows_more(parts)

    @property
    def leads_to_a_page(self) -> bool:
        """Whether the key that sends shows all that goes out once more, whatever was seen."""
        if not self.is_judged or self.frame.page not in ("answer", "review"):
            return False
        conversion = self.fields.conversion
        if self._examined is not conversion:  # For each letter it is asked several times.
            self._examined = conversion
            self._is_doubtful = bool(self.question.to_acknowledge_for(conversion.content))
        reviews = self.frame.page == "answer" and self.frame.around.review == "always"
        return reviews or self._is_doubtful

    @property
    def accepting(self) -> str:
        """What the key that accepts does, in a sentence."""
        return super().accepting if self.ready else "shows what lacks"

    # Focus and typing

    def focus(self) -> None:
        """The field one was in, else the first one; the message where there is none."""
        field = self.last_field or self._continued
        if field is not None:
            self.fields.focus_field(field)
        elif not self.fields.focus_first():
            self.frame.message.hear_the_keys()

    def focus_beside(self, by: int) -> None:
        """The fields know more of them than there are."""
        self.fields.focus_beside(by)

    @property
    def has_focus(self) -> bool:
        """Whether a field has the focus, or whatever takes the keys where there is none."""
        if any(spec.sendable for spec in self.form.fields):
            return self.fields.focused_field is not None
        focused = self.frame.screen.focused
        return focused is not None and self.frame in focused.ancestors

    def focused(self, field: FieldControl) -> None:
        """Remember where the person is; name the keys that act there, and what Esc does."""
        if self.last_field != field.spec.name and self.fields.judged:
            # What was below the fold may have come into view.
            self.frame.call_after_refresh(self.frame.summarise)
        self.last_field = field.spec.name
        if isinstance(field, TextLine):
            field.known = self.frame.around.known(field.spec.name)
        warned = self._warned
        if warned is not None and field is warned.field and field.not_taken != warned.not_taken:
            self.frame.query_one(StatusLine).hush_of(warned.sentence)()
        self.name_cancel()
        self.frame.query_one(StatusLine).name_keys()

    def name_cancel(self) -> None:
        """Say at its button what Esc does just now."""
        field = self.fields.focused_field
        searches = field is not None and field.searches
        self.frame.rename_button(ALL_CHOICES if searches else CANCEL)

    def finished(self) -> None:
        """The person is through with the fields: the button that sends comes next."""
        frame, again, last = self.frame, self.leads_to_a_page, "That was the last field"
        if self.form.refusal is not None:
            frame.tell(f"{last}. {frame.key('decline')} declines.")
        elif self.ready:
            does = "reads on" if self.goes_on else "shows it once more" if again else "sends"
            frame.go_on_to("send", f"{last}. Enter or {frame.key('send')} {does}.")
        else:
            frame.go_on_to("send", f"{last}: {self.summary().plain.lstrip('◌ ')}.")

    def accepts_by(self, button: Action) -> None:
        """Enter in the last field goes on to that."""
        if self.frame.page == "answer" and self.fields.lead_to(button.label):
            self.frame.query_one(StatusLine).name_keys()

    def write(self, key: events.Key) -> None:
        """Take a letter that was typed on a button as one for the field that one came from."""
        if self.last_field is not None and isinstance(self.frame.screen.focused, ActionButton):
            self.fields.focus_field(self.last_field)
            field = self.fields.focused_field
            if field is not None:
                field.post_message(events.Key(key.key, key.character))

    def again(self) -> None:
        """Fill in what was answered last time."""
        self._last_time.turn()

    def put_away(self) -> bool:
        """Show all choices again, where a search leaves some out; whether one did."""
        return (field := self.fields.focused_field) is not None and field.end_search()

    def keep_draft(self) -> None:
        """Write down what is typed, to the last letter."""
        fields = self.fields
        self.question.draft.write(fields.entries, fields.touched, fields.unread)
        self.question.draft.in_hand(self.last_field)

    @property
    def typed(self) -> bool:
        """Whether the person typed or chose anything."""
        return bool(self.fields.touched)

    # Deciding

    def review(self) -> None:
        """The exact JSON, whether it can be sent yet or not."""
        conversion, form, request = self.fields.conversion, self.form, self.question.request
        if self.ready:
            self._review(frozen(conversion.content))
        else:
            # One comes back to what is said there to be wrong.
            self.last_field = self.fields.show_problems() or self.last_field
            text, clear = self._texts(
                conversion.content,
                lambda shown: (overlays.problems(request, form, conversion, shown), None),
            )
            self.frame.turn_to(ShownPage("review", text, clear=clear))

    def _review(self, content: dict[str, Any], why: str = "") -> None:
        request = self.question.request
        text, clear = self._texts(
            content, lambda shown: overlays.review(request, self.form, shown, why)
        )
        self.frame.turn_to(ShownPage("review", text, content, clear=clear))

    def _texts(
        self, content: Mapping[str, Any], text: Callable[..., PageText]
    ) -> tuple[PageText, PageText | None]:
        """What a page says of what goes out, less the secrets that are not shown in their fields.

        A key shows them: then it says the other text, where there is one.
        """
        hint = f"{MASK} not shown: {key_of(self.frame, REVEAL)} shows it"
        hidden = {name: hint for name in self.fields.not_shown if name in content}
        return text({**content, **hidden}), text(content) if hidden else None

    def send(self, shown: ShownPage) -> None:
        """Send what is shown; what is missing is said, what is risky is asked once more."""
        if shown.page == "review":
            if shown.content is not None and not self._holds_back():
                self._step_or_accept(frozen(shown.content))
        elif self.form.refusal is None:
            self._send()

    def _holds_back(self) -> bool:
        """Say once that something was looked for that is not in the answer."""
        left = self.fields.not_taken()
        if left is not None:
            title, not_taken, kept = left
            sentence = f"{title}: {not_taken}. {self.frame.key('send')} again {kept}."
            self.frame.say(sentence)
            self._warned = Unchosen(sentence, self.fields.focused_field, not_taken)
        return left is not None

    def _send(self) -> None:
        conversion = self.fields.conversion
        if conversion.problems:
            if self.goes_on:
                self.frame.shows_unseen()
                return
            self.frame.hush()
            self.fields.reveal_problems()
            self.frame.summarise()  # From here on the key may read on.
            first = conversion.problems[0]
            if first.field is None:
                self.frame.say(first.message)
            return
        if self._holds_back():
            return
        content = frozen(conversion.content)
        if self.frame.around.review == "always":
            self._review(content)
        else:
            self._step_or_accept(content)

    def _step_or_accept(self, content: dict[str, Any]) -> None:
        # The answer's own come first: a server decides how many there are of the others.
        found = self.question.to_acknowledge_for(content)
        if not found:
            self.go_through(ShownPage(self.frame.page, content=content))
            return
        frame = self.frame
        request, form = frame.who.request, self.form
        text, clear = self._texts(
            content,
            lambda shown: overlays.second_step(
                request, found, frame.room, overlays.GoingThrough(form, shown)
            ),
        )
        frame.turn_to(ShownPage("step", text, content, found, clear=clear))

    def go_through(self, shown: ShownPage) -> None:
        """Send what is shown; what its field does not show whole is shown on the review."""
        if shown.content is None:
            return
        at_fields = shown.page == "answer" and not self.frame.message.unseen
        if at_fields and self.fields.wants_a_page:
            self._review(frozen(shown.content), self.fields.unseen_in_words)
        else:
            sentence = "You said yes." if self.form.is_confirmation else "You sent the form."
            self.accept(sentence, shown)
