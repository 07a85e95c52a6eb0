"""A form at the prompt: each field in turn, then the exact JSON, and only then the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from elicit_tui.elicitation import Outcome, accept
from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Problem, Ticked, Typed, Unset
from elicit_tui.form.form import Form
from elicit_tui.form.formats import FORMATS
from elicit_tui.form.plain_text import entry_from_text
from elicit_tui.responders.dialogue import Dialogue, indented
from elicit_tui.responders.typed_lines import FIELD_HELP, REVIEW_HELP, PromptCommand
from elicit_tui.text import neutral, neutral_line, readable_json

if TYPE_CHECKING:
    from elicit_tui.form.field import Entry, Field
    from elicit_tui.form.form import Form


CHOICES_SHOWN: Final = 200

WANTED: Final = {
    **{name: known.wanted for name, known in FORMATS.items()},
    "number": "a number",
    "integer": "a whole number",
    "boolean": "yes or no",
    "single": "the number of one choice",
    "multi": "the numbers of your choices with commas between, such as 1,3",
}


def describe(form: Form, field: Field, entry: Entry, number: int, count: int) -> str:
    """The lines above the prompt of one field of a form."""
    return "\n".join(_lines(form, field, entry, number, count))


def _lines(form: Form, field: Field, entry: Entry, number: int, count: int) -> Iterator[str]:
    need = "required" if field.required else "optional"
    yield f"Field {number} of {count}: {neutral_line(field.title)} ({need})"
    if field.description:
        yield indented(neutral(field.description))
    for note in form.notes_for(field.name):
        yield f"  Note: {neutral_line(note, None)}"
    for place, choice in enumerate(field.choices[:CHOICES_SHOWN], start=1):
        yield f"  {place}) {neutral_line(choice.label)}"
    if len(field.choices) > CHOICES_SHOWN:
        hidden = len(field.choices) - CHOICES_SHOWN
        yield f"  and {hidden} more: /raw shows them all"
    wanted = "; ".join(part for part in (WANTED.get(field.kind, ""), field.hint) if part)
    if wanted:
        yield f"  Wanted: {neutral_line(wanted)}"
    yield f"  {_standing(field, entry)}"


def _standing(field: Field, entry: Entry) -> str:
    answer = entry_text(field, entry)
    if answer != LEFT_OUT:
        return f"Press Enter to keep: {answer}"
    return "Nothing yet." if field.required else "Press Enter to leave it out."


LEFT_OUT: Final = "(left out)"


def entry_text(field: Field, entry: Entry) -> str:
    """What stands in a field, in words, on one line."""
    if isinstance(entry, Typed) and entry.text:
        return neutral_line(entry.text)
    if isinstance(entry, EmptyOnPurpose):
        return "(empty on purpose)"
    if isinstance(entry, Ticked):
        return "yes" if entry.value else "no"
    if isinstance(entry, Chosen) and entry.value is not None:
        return _label(field, entry.value)
    if isinstance(entry, ChosenMany) and entry.values:
        return ", ".join(_label(field, value) for value in entry.values)
    return LEFT_OUT


def _label(field: Field, value: object) -> str:
    for choice in field.choices:
        # True is 1 in Python; only the type tells which of two choices was taken.
        if type(choice.value) is type(value) and choice.value == value:
            return neutral_line(choice.label)
    return neutral_line(str(value))


class FormDialogue:
    """Walks through one form; keeps what is typed so that the same form can be asked again."""

    def __init__(self, dialogue: Dialogue, form: Form) -> None:
        self._dialogue = dialogue
        self._form = form
        self._draft = dialogue.question.draft
        # What cannot be sent is told of once, and not asked.
        self._fields: tuple[Field, ...] = tuple(field for field in form.fields if field.sendable)
        names = {field.name for field in self._fields}
        # Only what a person typed or a client filled in; defaults come from the form each time.
        self._typed = {
            name: entry
            for name, entry in self._draft.entries.items()
            if name in names and name in self._draft.touched
        }

    @property
    def _entries(self) -> dict[str, Entry]:
        return {**self._form.initial(), **self._typed}

    async def run(self) -> Outcome:
        """Ask until the person sends; raises Decided for every other end."""
        self._introduce()
        # Nothing of it can be sent, so no field is asked either.
        if self._form.refusal is not None:
            why = neutral_line(self._form.refusal, None)
            self._dialogue.say(f"This form cannot be answered: {why}")
            await self._dialogue.only_refuse()
        place = 0
        while True:
            # Past the last field comes the review, from which a person may go back to any of them.
            if place < len(self._fields):
                place = await self._ask_field(place)
                continue
            chosen = await self._review()
            if isinstance(chosen, Outcome):
                return chosen
            place = chosen

    def _keep_draft(self) -> None:
        self._draft.write(self._typed, frozenset(self._typed))

    def _introduce(self) -> None:
        say = self._dialogue.say
        for text in (self._form.title, self._form.description):
            if text:
                say(indented(neutral(text)))
        for note in self._form.notes:
            say(f"Note: {neutral_line(note, None)}")
        for field in self._form.fields:
            if not field.sendable:
                why = " ".join(neutral_line(note, None) for note in field.notes)
                say(f"{neutral_line(field.title)}: left out. {why}")
        if self._form.refusal is None and self._fields:
            say(f"{_counted(len(self._fields))}. /help lists the commands, /cancel leaves.")
        if self._draft.by_client:
            titles = [field.title for field in self._fields if field.name in self._draft.by_client]
            say(f"Filled in by the agent, not by you: {neutral_line(', '.join(titles), None)}.")
            say("Press Enter to keep an answer.")
        elif self._typed:
            say("What you typed before is kept: press Enter to keep an answer.")

    async def _ask_field(self, place: int) -> int:
        """Ask one field once; the place of the next one."""
        field = self._fields[place]
        dialogue = self._dialogue
        dialogue.say()
        entry = self._entries[field.name]
        dialogue.say(describe(self._form, field, entry, place + 1, len(self._fields)))
        line = await dialogue.ask("> ", FIELD_HELP)
        if isinstance(line, PromptCommand):
            return self._obey(line, field, place)
        # Blanks alone are an answer to a text, and none to anything else.
        if line == "" or (field.kind != "string" and not line.strip()):
            return self._after(field, self._problem_of(field), place)
        return self._after(field, self._enter(field, line), place)

    def _after(self, field: Field, problem: str | None, place: int) -> int:
        """The place of the next field; this one, once told, where there is a problem."""
        if problem is None:
            return place + 1
        self._dialogue.say(f"! {neutral_line(field.title)}: {neutral_line(problem, None)}")
        return place

    def _obey(self, command: PromptCommand, field: Field, place: int) -> int:
        number = command.number
        if number is not None:
            if 1 <= number <= len(self._fields):
                return number - 1
            self._dialogue.say(f"The fields are numbered 1 to {len(self._fields)}.")
            return place
        if command.word == "back":
            return max(0, place - 1)
        if command.word == "review":
            return len(self._fields)
        if command.word == "default":
            self._typed.pop(field.name, None)
            self._keep_draft()
            return place
        # `/empty` is an answer, the empty text; `/clear` is none.
        entry: Entry = EmptyOnPurpose() if command.word == "empty" else Unset()
        return self._after(field, self._try(field, entry), place)

    def _enter(self, field: Field, line: str) -> str | None:
        """Take a line as the field's answer; what is wrong with it, or None."""
        entry = entry_from_text(field, line)
        if isinstance(entry, Problem):
            return entry.message
        return self._try(field, entry)

    def _try(self, field: Field, entry: Entry) -> str | None:
        """Keep an entry if it is a good answer; what is wrong with it, or None."""
        # Put in to be judged with the others, and taken out again where it is wrong.
        before = dict(self._typed)
        self._typed[field.name] = entry
        problem = self._problem_of(field)
        if problem is not None:
            self._typed = before
            return problem
        self._keep_draft()
        return None

    def _problem_of(self, field: Field) -> str | None:
        """What is wrong with this field as it stands; other fields are not looked at."""
        problems = self._form.convert(self._entries).problems
        return next((problem.message for problem in problems if problem.field == field.name), None)

    async def _review(self) -> Outcome | int:
        """Show exactly what would be sent; the accept, or the place of the field to go back to."""
        dialogue = self._dialogue
        converted = self._form.convert(self._entries)
        problems, content = converted.problems, converted.content
        dialogue.say()
        if self._form.is_confirmation:
            dialogue.say("This question has no fields: to send it means yes.")
        else:
            self._show_answers()
        for problem in problems:
            where = f"{neutral_line(problem.field)}: " if problem.field is not None else ""
            dialogue.say(f"! {where}{neutral_line(problem.message, None)}")
        dialogue.say("This is what would be sent:")
        dialogue.say(readable_json(content))
        while True:
            back = "/back or the number of a field such as /1, " if self._fields else ""
            prompt = f"/send, {back}/decline or /cancel: "
            line = await dialogue.ask(prompt, REVIEW_HELP, deciding=True)
            if not isinstance(line, PromptCommand):
                dialogue.say("Nothing was sent. Type /send to send it.")
                continue
            if line.word != "send":
                # From behind the last field, so that `/back` leads to it.
                return self._obey(line, self._fields[-1], len(self._fields)) if self._fields else 0
            if problems:
                dialogue.say("It cannot be sent yet: see the lines that begin with an !")
                continue
            question = dialogue.question
            seen = await dialogue.agree_to_risks(question.to_acknowledge_for(content))
            if seen is not None:
                return accept("user", "You sent the form.", content, acknowledged=seen)

    def _show_answers(self) -> None:
        entries = self._entries
        for number, field in enumerate(self._fields, start=1):
            answer = entry_text(field, entries[field.name])
            self._dialogue.say(f"  {number}. {neutral_line(field.title)}: {answer}")
            # What became known only when the answer was judged, after its field was described.
            for note in self._form.notes_for(field.name)[len(field.notes) :]:
                self._dialogue.say(f"     Note: {neutral_line(note, None)}")


def _counted(fields: int) -> str:
    return "One field" if fields == 1 else f"{fields} fields, one after the other"
