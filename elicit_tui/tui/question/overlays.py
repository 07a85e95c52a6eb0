"""The pages that lie over the fields: review, the second step, the raw request, help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from textual.content import Content
from textual.widget import Widget

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, Finding, Question, Scope, accept
from elicit_tui.form.choices import value_label
from elicit_tui.form.field import Choice, Field
from elicit_tui.form.form import Conversion, Form
from elicit_tui.form.json_values import json_key
from elicit_tui.text import neutral_line, quoted, quoted_name, readable_json
from elicit_tui.text.hostile_json import bounded_json
from elicit_tui.tui.names_on_screen import joined_by_or, key_of
from elicit_tui.tui.question import frame_words
from elicit_tui.tui.question.actions import BY_ACTION, Action
from elicit_tui.tui.secret_arguments import is_long_text, is_secret_field, shown_arguments
from elicit_tui.tui.widgets.control import CLEAR, DEFAULT, EMPTY, REVEAL, UNDO
from elicit_tui.tui.widgets.lines import TODAY
from elicit_tui.tui.widgets.text_block import EDITOR

_ROOMY: Final = 48
"""Cells; with no more, the keys of a question, which are short, have a column of their own."""

_IN_BROWSER: Final = "this page in your browser"

REQUEST_VALUES: Final = 1_000
"""Of a request that are drawn: each is a line at least, and all lines are laid out at once."""


Write: TypeAlias = Callable[[Any], str]
"""A value as JSON that a person reads, as it goes out."""


def _writes(request: ElicitationRequest) -> Write:
    return partial(frame_words.sent_json, request=request)


def _json_block(write: Write, content: Mapping[str, Any]) -> Content:
    return Content("\n").join(
        Content.assemble(("│ ", "$accent"), line) for line in write(content).split("\n")
    )


def _left_out(
    form: Form | None, content: Mapping[str, Any], named: Sequence[str | None] = ()
) -> Content | None:
    """The fields that are not sent; `named`: those of which something is said already."""
    if form is None:
        return None
    absent = [
        spec.title for spec in form.fields if spec.name not in content and spec.name not in named
    ]
    if not absent:
        return None
    return Content.styled(f"Left out, because unset: {', '.join(absent)}", "$faint")


def _chosen(write: Write, form: Form | None, content: Mapping[str, Any]) -> Content | None:
    """What is called otherwise than it is sent: `Seat: In the quiet corner ("quiet")`."""
    lines = [
        Content.assemble(
            (f"{spec.title}: ", "bold"), ", ".join(_titled(write, spec, content[spec.name]))
        )
        for spec in (form.fields if form is not None else ())
        if spec.name in content and _has_titles(spec)
    ]
    return Content("\n").join(lines) if lines else None


def whole_label(choice: Choice) -> str:
    """What a server calls a choice, to the end."""
    return neutral_line(choice.title, None) if choice.title else choice.label


def _has_titles(spec: Field) -> bool:
    return any(choice.label != value_label(choice.value) for choice in spec.choices)


def _titled(write: Write, spec: Field, sent: Any) -> Iterator[str]:
    """Each choice that was made by its title, with the value beside it where that differs."""
    labels = {json_key(choice.value): whole_label(choice) for choice in spec.choices}
    for value in sent if isinstance(sent, list) else [sent]:
        written = write(value)
        label = labels.get(json_key(value), written)
        yield label if label in (written, value_label(value)) else f"{label} ({written})"


def _stack(parts: Sequence[Content | None]) -> Content:
    return Content("\n\n").join(part for part in parts if part is not None)


def review(
    request: ElicitationRequest, form: Form | None, content: Mapping[str, Any], why: str = ""
) -> tuple[Content, Content]:
    """Exactly what will be sent, what is left out; and the beginning of it: what will be sent."""
    sent = all_of_it(request.server.name, form, content, _writes(request), why)
    return _stack([sent, _left_out(form, content), _said_beside(content)]), sent


def all_of_it(
    server: str, form: Form | None, content: Mapping[str, Any], write: Write, why: str
) -> Content:
    """Exactly what goes out, each choice with what it is called, to the end.

    `why`: what was not seen of it, if it is shown although nobody asked for it.
    """
    parts = [
        Content.styled(f"This is what {quoted(server, 80)} will get", "bold"),
        _json_block(write, content),
        _chosen(write, form, content),
    ]
    if why:
        why = f"{why}: here it stands, with all that goes out."
        parts.insert(0, Content.styled(why, "bold $warning"))
    return _stack(parts)


def _said_beside(content: Mapping[str, Any]) -> Content:
    """What goes out with every answer, as it goes."""
    beside = readable_json(accept("user", "", content).public_meta, indent=None)
    return Content.styled(f"Beside it goes who answered, as _meta: {beside}", "$faint")


def problems(
    request: ElicitationRequest, form: Form, conversion: Conversion, shown: Mapping[str, Any]
) -> Content:
    """A review that cannot be sent yet: what is wrong, and the content so far, as it is `shown`."""
    titles = {spec.name: f"{spec.title}: " for spec in form.fields}
    wrong = Content("\n").join(
        Content.assemble(
            ("✗ ", "bold $error"), (titles.get(problem.field or "", ""), "bold"), problem.message
        )
        for problem in conversion.problems
    )
    return _stack(
        [
            Content.styled("Not ready to be sent", "bold"),
            wrong,
            _json_block(_writes(request), shown),
            _chosen(_writes(request), form, shown),
            _left_out(form, conversion.content, [problem.field for problem in conversion.problems]),
        ]
    )


@dataclass(frozen=True)
class GoingThrough:
    """What a person goes through with at the second step."""

    form: Form | None = None
    content: Mapping[str, Any] | None = None
    """The answers; None: a page."""
    address: Content | None = None
    elsewhere: bool = False
    """Whether the person opened that page themselves."""


def second_step(
    request: ElicitationRequest, found: Sequence[Finding], width: int, going: GoingThrough
) -> tuple[Content, Content]:
    """What will happen, why it is asked once more, and exactly what is sent; what is to be seen."""
    form, content = going.form, going.content
    will = Content(_will(request, found, going))
    if content is not None and not (form is not None and form.is_confirmation):
        will = Content("\n").join([will, _json_block(_writes(request), content)])
    decides = [
        _one_more_look(found, width) if found else Content.styled("Before it happens", "bold"),
        will,
        going.address,
        _chosen(_writes(request), form, content) if content is not None else None,
    ]
    left_out = _left_out(form, content) if content is not None else None
    return _stack([*decides, left_out]), _stack(decides)


def _one_more_look(found: Sequence[Finding], width: int) -> Content:
    head = Content.styled("▲ One more look, because of this:", "bold $warning")
    return Content("\n").join([head, frame_words.findings(tuple(found), width)])


def _will(request: ElicitationRequest, found: Sequence[Finding], going: GoingThrough) -> str:
    """What happens then."""
    name = quoted(request.server.name, 80)
    tools = joined_by_or([quoted_name(call.name, 120) for call in request.calls])
    during = f" (for {tools})" if tools and tools != name else ""
    if request.traits.takes_redirect:
        where = "the page that you opened yourself" if going.elsewhere else _IN_BROWSER
        will = f"You log in on {where}; the server {name} may then do what it asks for."
    elif going.elsewhere:
        will = f"This tells {name}{during} that you agreed, and opened the page yourself."
    elif going.content is None:
        will = f"This opens the page in your browser and tells {name}{during} that you agreed."
    elif going.content:
        will = f"This hands the answer below to {name}{during}. It cannot be taken back."
    else:
        will = f"This says yes to {name}{during}. It cannot be taken back."
    if any(finding.rule.partition(".")[0] == "destructive" for finding in found):
        will += f" {name} may then change or delete what you cannot get back."
    return will


def second_step_of_call(
    found: Sequence[Finding], width: int, scope: Scope
) -> tuple[Content, Content]:
    """Why it is asked once more whether an agent may do something; all of it is to be seen."""
    session = " So it does with any arguments later in this session, unasked."
    why = _stack(
        [
            _one_more_look(found, width),
            Content(
                "The agent does it at once. It may not be possible to take it back."
                + (session if scope == "session" else "")
            ),
        ]
    )
    return why, why


def about(question: Question, left: float | None, width: int) -> Content:
    """Who asks and what was found, whole; then the request as it arrived, as far as one reads."""
    request = question.request
    return _stack(
        [
            frame_words.about(question, left, width),
            *_arguments(request),
            Content.styled("As it arrived", "bold"),
            Content(bounded_json(request.params, REQUEST_VALUES)),
        ]
    )


def _arguments(request: ElicitationRequest) -> Iterator[Content]:
    """What the calls that it may belong to were made with, as JSON that a person reads.

    Secrets stand there only where it is asked whether to call with them.
    """
    for call in request.calls:
        if made_with := dict(call.arguments):
            if not request.traits.about_call:
                made_with = shown_arguments(made_with, call.secrets)
            yield Content.styled(f"The arguments of {quoted_name(call.name)}", "bold")
            yield Content(bounded_json(made_with, REQUEST_VALUES))


def _kinds(form: Form | None) -> set[str]:
    """The kinds of fields that a form has; `text`: of several lines, `secret`: not shown."""
    if form is None:
        return set()
    long = {"text" for spec in form.fields if is_long_text(spec)}
    secret = {"secret" for spec in form.fields if is_secret_field(spec)}
    return {spec.kind for spec in form.fields} | long | secret


def help_page(
    frame: Widget,
    actions: Sequence[Action],
    form: Form | None,
    width: int,
    letters: Mapping[str, str],
) -> Content:
    """What can be done here, with the keys that the owner gave to it.

    `letters`: the action, by its name, that does the same by a key beside its own.
    """
    kinds = _kinds(form)

    def keys_of(name: str) -> str:
        names = filter(None, (name, letters.get(name)))
        return " ".join(key_of(frame, BY_ACTION[each]) for each in names)

    question = [(keys_of(do.name), f"{do.label}: {do.does}") for do in actions if do.name != "help"]
    question.append((key_of(frame, BY_ACTION["more_time"]), "More time: the clock begins anew"))
    field = [
        ("Enter Tab", "the next field, from the last one the button; Shift+Tab the one before"),
        (key_of(frame, CLEAR), "clear the field: unset, left out of the answer"),
        (key_of(frame, EMPTY), "in an empty field: send it empty, on purpose"),
        (key_of(frame, DEFAULT), "back to the default of the server"),
        (key_of(frame, UNDO), "undo; pressed again it goes through all that stood there"),
        ("^A ^E", "the beginning and the end of the line, as in a shell"),
        ("↑ ↓", "step a number, move a date, move in a list, an earlier answer"),
        ("Space", "choose what stands under the bar; turn yes into no, or back"),
        *([(key_of(frame, TODAY), "today, in a date")] if kinds & {"date", "date-time"} else []),
        *([(key_of(frame, REVEAL), "show a secret, or no more")] if "secret" in kinds else []),
        *(
            [(key_of(frame, EDITOR), "write a long text in $EDITOR (vi: :wq comes back)")]
            if "text" in kinds
            else []
        ),
        ("PgUp PgDn", "show what is hidden"),
        ("y n ← →", "answer yes or no"),
        ("1 2 a b", "pick a choice by its number or first letter"),
    ]
    own, column = _column(question), _column([*question, *(field if kinds else ())])
    fields = [_table("In a field (* must be answered)", field, column, width)] if kinds else []
    return _stack(
        [
            _table("This question", question, column if width > _ROOMY else own, width),
            *fields,
            Content.styled(
                "Closing this program while a question waits cancels it, and says so truthfully.",
                "$faint",
            ),
        ]
    )


def _column(rows: Sequence[tuple[str, str]]) -> int:
    return max(len(key) for key, _ in rows) + 2


def _table(title: str, rows: Sequence[tuple[str, str]], column: int, width: int) -> Content:
    """Keys in a column of so many cells, and beside it what they do."""
    return Content("\n").join(
        [
            Content.styled(title, "bold"),
            *(
                frame_words.hanging(
                    Content.styled(key.ljust(column), "$accent"), Content(meaning), width
                )
                for key, meaning in rows
            ),
        ]
    )
