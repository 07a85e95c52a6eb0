"""A server, and one thing that it offers, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len

from elicit_tui.text import neutral, neutral_line, quoted, readable_json
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.console.spans import (
    Line,
    fitting,
    joined,
    key_lines,
    labelled,
    shortened,
    text_lines,
    text_of,
)

if TYPE_CHECKING:
    from elicit_tui.form.field import Field
    from elicit_tui.form.form import Form
    from elicit_tui.tui.console.servers import Offer, ServerRecord

ADDRESS_CHARACTERS: Final = 4_000
INSTRUCTIONS_CHARACTERS: Final = 20_000
DESTRUCTIVE: Final = "▲ destructive"
"""What a tool says of itself, wherever one may be about to call it; in the colour of a warning."""
_ADDRESS_LEAST: Final = 16
"""Cells; what is left of an address in fewer says nothing."""


def offered(record: ServerRecord) -> list[str]:
    """What it offers, kind by kind; how it is reached, before that is known."""
    if not record.offers_read:
        return [neutral_line(record.address, 200)]
    kinds = Counter(offer.kind for offer in record.offers)
    nothing = "lists not read" if record.list_failed else "offers nothing"
    return [plural(count, kind) for kind, count in kinds.items()] or [nothing]


def title(record: ServerRecord) -> str:
    """Its name, and how often it asked so far, which is not how many of its questions wait."""
    asked = f" · asked {record.questions:,}, last {record.last_asked}" if record.questions else ""
    return neutral_line(record.name, 40) + asked


def introduction(record: ServerRecord, width: int) -> str:
    """`“deploy-server” “1.4” · 2025-11-25 · stdio: …`: what is known of the connection."""
    identity = record.connection.identity if record.connection is not None else None
    parts = []
    if identity is not None and identity.calls_itself:
        version = f" {quoted(identity.version, 40)}" if identity.version else ""
        parts.append(f"{quoted(identity.calls_itself, 60)}{version}")
    if identity is not None and identity.protocol_version:
        parts.append(neutral_line(identity.protocol_version, 20))
    fitted = fitting(parts, width)
    room = width - cell_len(f"{fitted} · ")
    if not parts or fitted.endswith("…") or room < _ADDRESS_LEAST:
        return fitted if parts else shortened(record.address, width)
    return f"{fitted} · {shortened(record.address, room)}"


def why_away(record: ServerRecord, key: str) -> str:
    """Why nothing of a server can be called just now, and what helps; empty where it can.

    `key`: the one that starts it again, in the list of servers.
    """
    if record.state == "ready" and record.offers_read:
        return ""
    if record.state in ("waiting", "starting", "ready"):
        return "is still starting: once it is ready, this can be called"
    if record.state == "refused":
        return "may not run"
    if record.state == "off":
        return "is not enabled"
    if record.wants_login:
        return f"wants a login: {key} under Servers asks you to log in"
    stands = "did not start" if record.connection is None else "has ended"
    return f"{stands}: {key} under Servers starts it again"


START_IT: Final = "Start it"
"""The field of a server's form that has it started."""


def way_on(record: ServerRecord, key_of: Callable[[str], str], width: int) -> list[Line]:
    """What starts a server that was not started, did not start, or has ended."""
    ids = ("servers.edit", "servers.restart", "servers.remove", "pane.activity")
    edits, again, removes, activity = keys = [key_of(action_id) for action_id in ids]
    return key_lines(_way_on(record, edits, again, removes, activity), width, keys)


def _way_on(record: ServerRecord, edits: str, again: str, removes: str, activity: str) -> str:
    if record.state == "off":
        return f"{edits}, then “{START_IT}”, starts it."
    if record.settings.missing:
        names = " and ".join(record.settings.missing)
        return (
            f"Leave, set {names} in your shell, and start elicit-tui again. "
            f"{edits} changes the server, {removes} removes it."
        )
    if record.wants_login:
        return f"{again} asks you to log in."
    written = f"{activity} Activity has what it wrote."
    return f"{again} starts it again. {edits} changes how it is reached. {written}"


def server_words(record: ServerRecord, width: int) -> list[Line]:
    """Every fact about a server, a label beside each; then what it says of its use."""
    identity = record.connection.identity if record.connection is not None else None
    claimed = [identity.calls_itself, identity.version] if identity is not None else []
    asked = plural(record.questions, "question")
    facts = {
        "server": neutral_line(record.name, 80),
        "calls itself": " ".join(quoted(claim, 200) for claim in claimed if claim),
        "protocol": neutral_line((identity and identity.protocol_version) or "", 40),
        "reached by": neutral_line(record.address, ADDRESS_CHARACTERS),
        "offers": " · ".join(offered(record)) if record.offers_read else "",
        "asked": f"{asked}, last {record.last_asked}" if record.questions else "",
        "not ready": neutral_line(record.failure or "", 2_000),
    }
    lines = [labelled(name, fact, width, label_width=14) for name, fact in facts.items() if fact]
    told = record.connection.instructions if record.connection is not None else None
    return joined([[line for group in lines for line in group], _instructions(told, width)])


def _instructions(told: str | None, width: int) -> list[Line]:
    """How a server wants to be used: its own words, for whoever works with it."""
    if not told or not told.strip():
        return []
    words = neutral(told.strip(), INSTRUCTIONS_CHARACTERS)
    return [(("its instructions, in its own words", "accent"),), *text_lines(words, width)]


def offer_words(offer: Offer, width: int) -> list[Line]:
    """Its title, what it is, and all that it says of itself."""
    properties = offer.schema.get("properties")
    arguments = len(properties) if isinstance(properties, Mapping) else 0
    about = [offer.kind, plural(arguments, "argument")]
    about += [hint for hint in offer.hints if hint != "destructive"]
    head = _offer_head(offer, " · ".join(about), width)
    described = offer.description or "It says nothing about itself."
    return joined([[*head, *text_lines(described, width)], argument_words(offer, width)])


def _offer_head(offer: Offer, facts: str, width: int) -> list[Line]:
    """Its title and what it is, on one line where that has room; that it destroys stands out."""
    title = shortened(offer.own_title or offer.shown, width)
    warning: Line = ((" · ", "dim"), (DESTRUCTIVE, "warn")) if offer.destructive else ()
    about: Line = ((facts, "dim"), *warning)
    room = width - cell_len(text_of(about))
    if cell_len(title) + 3 <= room:
        return [((title, "strong"), ("   ", "plain"), *about)]
    apart = [warning[1:]] if warning else []
    below = [about] if room >= 0 else [*text_lines(facts, width, "dim"), *apart]
    return [((title, "strong"),), *below]


FIELDS_SHOWN: Final = 60
NAME_COLUMN: Final = 20
"""Cells of the names of fields; of longer ones a third of the width."""
CHOICES_SHOWN: Final = 12
DEFAULT_CHARACTERS: Final = 60


def argument_words(offer: Offer, width: int) -> list[Line]:
    """Its arguments: what each is, whether it has to be there, what is said of it."""
    from elicit_tui.form.schema_reading import read_form

    return field_words(read_form(offer.schema, purpose="arguments"), offer.schema, width)


def field_words(form: Form, schema: Any, width: int) -> list[Line]:
    """The fields of a form before it is opened: what each is, what is said of it.

    `schema`: what the form was read from, in which references of it are looked up.
    """
    from elicit_tui.form.shape import shape

    fields = form.fields[:FIELDS_SHOWN]
    names = [f"{field.title}{' *' * field.required}" for field in fields]
    longest = max(map(cell_len, names), default=0) + 2
    column = max(NAME_COLUMN, min(longest, width // 3))
    lines: list[Line] = []
    for field, name in zip(fields, names, strict=True):
        what = _choices(field) or field.kind
        if not field.sendable:
            what = f"JSON: {shape(field.schema, schema)}"
        facts = [what, field.hint, _default(field), field.description or ""]
        text = " · ".join(fact for fact in facts if fact)
        told = neutral_line(text, 600)
        lines += labelled(shortened(name, column - 2), told, width, label_width=column)
    if len(form.fields) > FIELDS_SHOWN:
        lines.append(((f"{len(form.fields) - FIELDS_SHOWN:,} more", "dim"),))
    return lines


def _choices(field: Field) -> str:
    """What there is to choose from; empty where it is no choice."""
    labels = [choice.label for choice in field.choices[:CHOICES_SHOWN]]
    more = ["…"] if len(field.choices) > CHOICES_SHOWN else []
    several = "any of" if field.kind == "multi" else "one of"
    return f"{several} {', '.join([*labels, *more])}" if labels else ""


def _default(field: Field) -> str:
    """The value that it has where nothing is chosen, by the name that a choice has."""
    from elicit_tui.form.field import Unset

    if isinstance(field.initial, Unset):
        return ""
    values = field.default if isinstance(field.default, list) else [field.default]
    labels = {readable_json(choice.value): choice.label for choice in field.choices}
    named = (
        labels.get(readable_json(v)) or (v if isinstance(v, str) else readable_json(v))
        for v in values
    )
    return f"default {neutral_line(', '.join(named), DEFAULT_CHARACTERS)}"


def welcome(width: int, config_path: str, add: str, take: str, *, narrow: bool) -> list[Line]:
    """What to do when no server is configured, in words; where it is narrow the keys first."""
    intro = text_lines(
        "elicit-tui is where you answer the questions that MCP servers ask. "
        "It needs to know at least one server:",
        width,
    )
    ways = [
        (add, "add one here: a command line or a URL"),
        (f"{take}  or  elicit-tui config import", "take over the servers of another program"),
        ("elicit-tui demo", "try it on a bundled server that asks every kind of question"),
        ('elicit-tui --with name="command line or URL"', "use a server for this run only"),
        ("elicit-tui config init", "write a first configuration file, to be found here:"),
    ]
    groups = [
        [
            *text_lines(way, width, "accent"),
            *text_lines(f"  {what}", width),
        ]
        for way, what in ways
    ]
    groups[-1] += text_lines(f"  {config_path}", width, "strong")
    title = text_lines("No server is configured yet.", width, "strong")
    return joined([title, *groups] if narrow else [title, intro, *groups])
