"""Outcomes, servers and what they offer, in the words of every pane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from rich.cells import cell_len

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, ServerEnd
from elicit_tui.elicitation.outcome import SERVER_ENDS, SIGNS
from elicit_tui.text import as_name, neutral_line, quoted, readable_json
from elicit_tui.tui.console.calls import SIGNS as SIGNS_OF_CALLS
from elicit_tui.tui.console.spans import (
    Line,
    Role,
    joined,
    labelled,
    shortened,
    text_lines,
    wrapped,
)
from elicit_tui.tui.names_on_screen import joined_by_or

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Resolved
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.servers import Offer, ServerRecord


# The console's sentences about outcomes and findings, for someone who reads them first.

DECIDERS: Final[Mapping[str, str]] = {
    "user": "you",
    "policy": "your policy",
    "guardian": "the guardian",
    "rule": "a rule of yours",
    "answers": "the answers file",
    "nobody": "nobody was there",
    "deadline": "its time ran out",
    "flood": "too many at once",
    "shutdown": "elicit-tui ended",
    "ledger": "it could not be recorded",
    "hook": "a program of yours",
    "client": "the agent's client",
    "agent": "the agent itself",
    "withdrawn": "the agent took its call back",
    "store": "it could not be kept",
}

FAMILIES: Final[Mapping[str, str]] = {
    "credentials": (
        "It asks for a secret: a password, a key, a token, a code or a card number. A form goes "
        "to the server as plain text and may be logged there, so honest servers do not ask for "
        "secrets in a form; they send you to a page of their own instead."
    ),
    "personal": (
        "It asks for something about you that is hard to take back: an identity number, health, "
        "a bank account."
    ),
    "exfiltration": (
        "It asks you to hand over what is on this machine or in your conversation: files, "
        "settings, source code. A server that may read them would not need to ask you."
    ),
    "destructive": "Saying yes may delete or change something that cannot be brought back.",
    "deception": (
        "It dresses up as somebody else, hurries you, or asks you to keep it secret. Those are "
        "the tricks of someone who does not want you to think."
    ),
    "hidden": (
        "The text holds characters that you cannot see or that look like other letters, so what "
        "you read is not what is really there."
    ),
    "url": "The link does not lead where it seems to lead, or it hides something.",
    "schema": "The form is built so that it cannot be answered safely.",
}

ROLES: Final[Mapping[str | None, Role]] = {
    "accept": "good",
    "decline": "bad",
    "cancel": "warn",
    None: "dim",
}
ACTIONS: Final[Mapping[str | None, str]] = {
    "accept": "accepted",
    "decline": "declined",
    "cancel": "cancelled",
    None: "no answer sent",
}


def family_of(rule: str) -> str:
    """The words for a rule's family; empty for one of the owner's own."""
    return FAMILIES.get(rule.partition(".")[0], "")


class QuestionEnd(Protocol):
    """How a question ended: an outcome, or what the ledger kept of one."""

    @property
    def action(self) -> str | None:
        """What was sent; None: nothing."""

    @property
    def decided_by(self) -> str | None:
        """Who decided; None: nobody yet."""

    @property
    def server_end(self) -> ServerEnd | None:
        """What ended it, where it was decided by `server`."""


def decider(ended: QuestionEnd) -> str:
    """Who or what decided, in words: `you`, `the server withdrew it`."""
    if ended.decided_by is None:
        return "not decided"
    if ended.decided_by == "server":
        return SERVER_ENDS[ended.server_end]
    return DECIDERS.get(ended.decided_by, ended.decided_by)


def ending(ended: QuestionEnd) -> str:
    """An end in a few words: `declined by you`; of one that nobody decided yet, just that."""
    who = decider(ended)
    if ended.decided_by is None:
        return who
    by = ended.decided_by in ("user", "policy", "guardian", "rule", "answers")
    return f"{ACTIONS.get(ended.action, ACTIONS[None])} {'by' if by else '·'} {who}"


@dataclass(frozen=True)
class InPassing:
    """What a notice says of a question that ended without the person."""

    title: str
    why: str
    message: str = ""
    """The question's own words; empty where `why` leads to it."""


def in_passing(event: Resolved, key: str, *, kept: bool) -> InPassing | None:
    """What to tell of a question that ended without the person; None: nothing.

    `key` opens the list in which a stopped question can be looked at; `kept` says whether there is
    a draft of it.
    """
    outcome = event.outcome
    title = f"{event.request.server.name} · {ending(outcome)}"
    reason = neutral_line(outcome.reason, 300)
    if outcome.decided_by == "guardian":
        worst = max(event.review.findings, key=lambda finding: finding.severity, default=None)
        why = family_of(worst.rule).partition(". ")[0].partition(":")[0] if worst else ""
        text = f"{(why or reason).rstrip('.')}.\nUnder Questions ({key}): the question, and why."
        return InPassing(title, text)
    draft = " What you typed is kept." if kept else ""
    if outcome.decided_by == "policy":
        return InPassing(title, f"{reason}{draft}\nUnder Questions ({key}): the question.")
    if kept or outcome.decided_by in ("server", "deadline", "ledger", "nobody"):
        message = neutral_line(event.request.message or event.request.url or "", 100)
        return InPassing(title, f"{reason}{draft}", message)
    return None


def tool_of(request: ElicitationRequest) -> str:
    """The tool that a question belongs to; of each that it may be, where the server does not say.

    Empty for a question outside of calls.
    """
    return joined_by_or([as_name(call.name, 60) for call in request.calls])


def asked(request: ElicitationRequest) -> str:
    """The tool that a question belongs to, and its message, on one line."""
    tools = tool_of(request)
    message = neutral_line(request.message or request.url or "(no message)", 120)
    return f"{tools}: {message}" if tools and request.traits.from_server else message


def age(seconds: float) -> str:
    """How old something is: `4 s`, `4:31`."""
    return f"{seconds:.0f} s" if seconds < 10 else duration(seconds)


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `4:31`, `1:02:09`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def plural(count: int, word: str) -> str:
    """`1 question`, `2 questions`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


# A server, and one thing that it offers, in words.

ADDRESS_CHARACTERS: Final = 4_000


def offered(record: ServerRecord) -> list[str]:
    """What it offers, kind by kind; how it is reached, before that is known."""
    if not record.offers_read:
        return [neutral_line(record.address, 200)]
    kinds = Counter(offer.kind for offer in record.offers)
    return [plural(count, kind) for kind, count in kinds.items()] or ["offers nothing"]


def counts(record: ServerRecord) -> list[str]:
    """What it offers, and how often it asked if it did."""
    asked = [how_often(record)] if record.questions and record.offers_read else []
    return [*offered(record), *asked]


def how_often(record: ServerRecord) -> str:
    """How often it asked, and when last: `3 questions, last 09:30`."""
    return f"{plural(record.questions, 'question')}, last {record.last_asked}"


def server_words(record: ServerRecord, width: int) -> list[Line]:
    """Every fact about a server, a label beside each."""
    identity = record.connection.identity if record.connection is not None else None
    claimed = [identity.calls_itself, identity.version] if identity is not None else []
    facts = {
        "server": neutral_line(record.name, 80),
        "calls itself": " ".join(quoted(claim, 200) for claim in claimed if claim),
        "protocol": neutral_line((identity and identity.protocol_version) or "", 40),
        "reached by": neutral_line(record.address, ADDRESS_CHARACTERS),
        "offers": " · ".join(counts(record)) if record.offers_read else "",
        "not ready": neutral_line(record.failure or "", 2_000),
    }
    lines = [labelled(name, fact, width, label_width=14) for name, fact in facts.items() if fact]
    return [line for group in lines for line in group]


def offer_words(offer: Offer, width: int) -> list[Line]:
    """Its title, what it is, and all that it says of itself."""
    properties = offer.schema.get("properties")
    arguments = len(properties) if isinstance(properties, Mapping) else 0
    about = [offer.kind, plural(arguments, "argument"), *offer.hints]
    title, facts = shortened(offer.title or offer.shown, width), " · ".join(about)
    beside = cell_len(title) + 3 + cell_len(facts) <= width
    head: list[Line] = (
        [((title, "strong"), (f"   {facts}", "dim"))]
        if beside
        else [((title, "strong"),), *text_lines(facts, width, "dim")]
    )
    described = offer.description or "It says nothing about itself."
    return joined([[*head, *text_lines(described, width)], argument_words(offer, width)])


ARGUMENTS_SHOWN: Final = 60
CHOICES_SHOWN: Final = 12


def argument_words(offer: Offer, width: int) -> list[Line]:
    """Its arguments: what each is, whether it has to be there, what is said of it."""
    from elicit_tui.form.schema_reading import read_form

    form = read_form(offer.schema, purpose="arguments")
    lines: list[Line] = []
    for field in form.fields[:ARGUMENTS_SHOWN]:
        choices = [choice.label for choice in field.choices[:CHOICES_SHOWN]]
        more = ["…"] if len(field.choices) > CHOICES_SHOWN else []
        what = ", ".join([*choices, *more]) or field.kind
        facts = [what, field.hint, field.description or ""]
        name = field.title + (" *" if field.required else "")
        text = " · ".join(fact for fact in facts if fact)
        lines += labelled(shortened(name, 18), neutral_line(text, 600), width, label_width=20)
    if len(form.fields) > ARGUMENTS_SHOWN:
        lines.append(((f"{len(form.fields) - ARGUMENTS_SHOWN:,} more", "dim"),))
    return lines


# How a call stands, for the lists and the heads of calls.

STATE_ROLES: dict[str, Role] = {
    "running": "accent",
    "answered": "good",
    "failed": "bad",
    "cancelled": "warn",
    "refused": "warn",
}


def how(record: CallRecord) -> tuple[str, str, Role]:
    """How a call stands: its sign, a word or what became of its question, and their role."""
    refusal = record.refusal
    if refusal is not None:
        return SIGNS[refusal.action], record.standing, ROLES[refusal.action]
    if record.is_error:
        return "✗", record.standing, "bad"
    if record.maybe_refused is not None:
        return SIGNS_OF_CALLS[record.state], record.standing, "warn"
    return SIGNS_OF_CALLS[record.state], record.standing, STATE_ROLES[record.state]


def bar(record: CallRecord, width: int) -> str:
    """A progress bar in characters; without a total only what was told."""
    if record.progress is None:
        return "running"
    if not record.total or record.total <= 0:
        return f"{record.progress:g} so far"
    part = max(0.0, min(1.0, record.progress / record.total))
    filled = round(part * width)
    return f"{'━' * filled}{'╌' * (width - filled)} {part:>4.0%}"


def question_words(record: CallRecord, width: int) -> list[Line]:
    """What a call asked, and how each of that ended."""
    if not record.answered:
        return []
    kept = len(record.answered)
    more = f" · these {kept} and {record.questions - kept:,} more"
    head: Line = (
        (plural(record.questions, "question"), "accent"),
        (more if record.questions > kept else "", "dim"),
    )
    lines = [head]
    for end in record.answered:
        role = ROLES[end.action]
        first, *others = wrapped(end.message, max(8, width - 2))
        lines.append(((f"{SIGNS[end.action]} ", role), (first, "plain")))
        lines.extend(((f"  {part}", "plain"),) for part in others)
        whose = "" if end.of_one else f" · {record.server} does not say for which of its calls"
        end_lines = wrapped(f"{end.summary}{whose}", max(8, width - 2))
        lines.extend(((f"  {part}", "dim"),) for part in end_lines)
        if end.sent:
            sent = wrapped(f"sent {end.sent}", max(8, width - 2))
            lines.extend(((f"  {part}", "plain"),) for part in sent)
    return lines


LEAST_ARGUMENTS: Final = 8
"""Cells; in fewer they tell no two calls apart."""


def briefly(arguments: Mapping[str, Any], room: int) -> str:
    """`path=/srv, depth=2`: so that two calls of one tool are told apart; empty without room."""
    if room < LEAST_ARGUMENTS:
        return ""
    texts = (v if isinstance(v, str) else readable_json(v, indent=None) for v in arguments.values())
    pairs = zip(arguments, texts, strict=True)
    words = ", ".join(f"{name}={text[:200]}" for name, text in pairs)
    return shortened(neutral_line(words, 200), room)


def searched(record: CallRecord) -> str:
    """What a search of the calls looks at, folded."""
    arguments = readable_json(dict(record.call.arguments), indent=None)
    words = (record.call.name, record.server, record.standing, arguments, record.note)
    return " ".join(words).casefold()
