"""How a question ended, what it was and how long it took, in the words of every pane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Protocol

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, ServerEnd
from elicit_tui.elicitation.outcome import MUTED, SERVER_ENDS
from elicit_tui.text import as_name, countdown, neutral_line, quoted
from elicit_tui.tui.console.spans import Role
from elicit_tui.tui.names_on_screen import joined_by_or

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Resolved
    from elicit_tui.elicitation.queue import Pending


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

GUARDIAN: Final = "the rules that weigh every question before you see it"
"""What the guardian is, for somebody who reads its name for the first time."""

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
    """The words for a rule's family; empty where its rules have nothing to say in common."""
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
    def reason(self) -> str | None:
        """Why, in a sentence."""

    @property
    def server_end(self) -> ServerEnd | None:
        """What ended it, where it was decided by `server`."""


def decider(ended: QuestionEnd) -> str:
    """Who or what decided, in words: `you`, `the server withdrew it`."""
    if ended.decided_by is None:
        return "not decided"
    if ended.decided_by == "server":
        return SERVER_ENDS[ended.server_end]
    if _is_muted(ended):
        return "you muted its server"
    return DECIDERS.get(ended.decided_by, ended.decided_by)


def _is_muted(ended: QuestionEnd) -> bool:
    return ended.decided_by == "policy" and (ended.reason or "").startswith(MUTED)


def ending(ended: QuestionEnd) -> str:
    """An end in a few words: `declined by you`; of one that nobody decided yet, just that."""
    who = decided(ended)
    if ended.decided_by is None:
        return who
    between = " " if _somebody(ended) else " · "
    return f"{ACTIONS.get(ended.action, ACTIONS[None])}{between}{who}"


def decided(ended: QuestionEnd) -> str:
    """Who or what decided, where no verb stands before it: `by you`, `its time ran out`."""
    who = decider(ended)
    return f"by {who}" if _somebody(ended) else who


def _somebody(ended: QuestionEnd) -> bool:
    """Whether it was decided by somebody; else something happened."""
    by = ended.decided_by in ("user", "policy", "guardian", "rule", "answers")
    return by and not _is_muted(ended)


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
        family = family_of(worst.rule).partition(". ")[0].partition(":")[0] if worst else ""
        why = family or (neutral_line(worst.advice, 300) if worst else "")
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
    """The tool that a question belongs to, and its message in quotation marks, on one line."""
    tools, message = tool_of(request), said(request, 120)
    return f"{tools}: {message}" if tools and request.traits.from_server else message


def said(request: ElicitationRequest, limit: int) -> str:
    """What a question says, or the page that it is about, in quotation marks, on one line."""
    text = request.message or request.url
    return quoted(text, limit) if text else "(no message)"


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


def time_of_the_first(waiting: Iterable[Pending]) -> str:
    """What is left to the question that ends first, behind what is said of all: `, 4:31 left`."""
    left = [seconds for pending in waiting if (seconds := pending.deadline.left) is not None]
    return f", {countdown(min(left))} left" if left else ""


def plural(count: int, word: str) -> str:
    """`1 question`, `2 questions`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
