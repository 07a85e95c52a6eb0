"""One question that has ended: stopped before it was seen, or out of the history."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.binding import Binding, BindingType

from elicit_tui.elicitation import Severity
from elicit_tui.elicitation.kind import KINDS
from elicit_tui.elicitation.outcome import PUBLIC_REASONS, SIGNS, Outcome
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.text import local_time, neutral, neutral_line, quoted, readable_json
from elicit_tui.tui.console.outcome_words import (
    GUARDIAN,
    ROLES,
    decider,
    ending,
    family_of,
    tool_of,
)
from elicit_tui.tui.console.screens.searched_text import SearchedText
from elicit_tui.tui.console.spans import Line, Role, joined, labelled, text_lines, wrapped
from elicit_tui.tui.console.state import Stopped
from elicit_tui.tui.console.taking import copy_json
from elicit_tui.tui.question.frame_words import SIGNS as SEVERITY_SIGNS

if TYPE_CHECKING:
    from elicit_tui.ledger.rows import Row


# What the guardian found, explained: for a question that was stopped, and for the history.

SEVERITIES: Final[Mapping[str, tuple[str, Role]]] = {
    "note": (SEVERITY_SIGNS[Severity.NOTE], "dim"),
    "warn": (SEVERITY_SIGNS[Severity.WARN], "warn"),
    "block": (SEVERITY_SIGNS[Severity.BLOCK], "bad"),
}
"""A finding's sign, as a question shows it, by the ledger's spelling of its severity."""


def finding_groups(
    findings: Iterable[Mapping[str, Any]], width: int, said: Collection[str] = ()
) -> list[list[Line]]:
    """One group of lines for each finding, in the ledger's spelling; its rule comes last.

    A family is explained once, and what is `said` above is not said again.
    """
    groups: list[list[Line]] = []
    told = set(said)
    for finding in findings:
        severity = str(finding.get("severity"))
        sign, role = SEVERITIES.get(severity, ("·", "dim"))
        rule = neutral_line(finding.get("rule") or "", 80)
        advice = neutral(finding.get("advice") or "", 400)
        evidence = neutral(finding.get("evidence") or "", 400)
        heads = (family_of(rule), advice, evidence)
        head = next((text for text in heads if text and text not in told), rule)
        first, *others = list(wrapped(head, max(8, width - 2))) or [""]
        group: list[Line] = [((f"{sign} ", role), (first, "plain"))]
        group += [((f"  {part}", "plain"),) for part in others]
        told.add(head)
        for label, text in (("seen", evidence), ("advice", advice)):
            if text and text not in told:
                group.extend(labelled(f"  {label}", text, width))
            elif text and label == "seen" and text != head:
                group.extend(labelled(f"  {label}", "as above", width))
        told.add(advice)
        where = neutral(finding.get("where") or "", 200)
        ids = " · ".join(text for text in (severity, rule, where) if text)
        group += [((f"  {part}", "dim"),) for part in wrapped(ids, max(8, width - 2))]
        groups.append(group)
    return groups


class OfCall(SearchedText):
    """A question that has ended, from which a key leads to the call that asked it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "call", "Its call", id="record.call"),
    ]

    @property
    @abstractmethod
    def asked_by(self) -> str | None:
        """The call that asked it, by its id; None where that is not known."""

    @property
    def _listed(self) -> bool:
        return self.app.state.calls.get(self.asked_by) is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only to a call that is listed."""
        return self._listed if action == "call" else super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """It may have been asked by none of the calls that are listed."""
        unknown = "No call under Calls is recorded as the one that asked this."
        return unknown if action == "call" else super().why_not(action)

    async def action_call(self) -> None:
        """Show the call that asked it."""
        self.app.point_at_call(self.asked_by or "")
        self.dismiss(None)
        await self.app.show_pane("calls")


# A question that was refused before a person saw it: what it was, and why it was stopped.


class StoppedScreen(OfCall):
    """To be read only: it was answered already, and cannot be answered again."""

    def __init__(self, stopped: Stopped) -> None:
        super().__init__("Stopped before you saw it", stopped.request.server.name)
        self._stopped = stopped
        self.set_class(stopped.outcome.decided_by == "guardian", "-blocked")

    def lines(self, width: int) -> list[Line]:
        """What was stopped, why, and what the server was told; then all that is known of it."""
        return stopped_words(self._stopped, width, self.app.muted)

    @property
    def asked_by(self) -> str | None:
        """The call that asked it; None where it may have been one of several."""
        calls = self._stopped.request.calls
        return calls[0].id if len(calls) == 1 else None


def stopped_words(stopped: Stopped, width: int, muted: Collection[str]) -> list[Line]:
    """What was stopped, why, and what the server was told; then all that is known of it.

    `muted`: the servers that are so by now.
    """
    request, outcome = stopped.request, stopped.outcome
    server, named = quoted(request.server.name, 80), request.server.calls_itself
    action = {"decline": "declined", "cancel": "cancelled"}.get(
        outcome.action or "", "refused with an error"
    )
    by = f": {decider(outcome)}" if outcome.unasked else f" by {decider(outcome)}"
    is_guardian = outcome.decided_by == "guardian"
    who = f", {GUARDIAN}" if is_guardian else ""
    happened = f"{server} asked this; it was {action} for you{by}{who}."
    told = _learned(outcome, server, action)
    told += " Its page was not opened." if request.url else ""
    told += f" It calls itself {quoted(named, 80)}." if named else ""
    tools = tool_of(request)
    schema = request.params if isinstance(request.params, dict) else {"params": request.params}
    raw = readable_json(schema)
    wrote = neutral(request.message, 20_000)
    quote = _in_quotes(wrote) or "(nothing)"
    found = [finding.as_json() for finding in stopped.review.findings]
    said = _said_first(stopped)
    return joined(
        [
            text_lines(happened, width),
            _card(said, width),
            text_lines(told, width),
            _way_out(stopped, width, muted),
            [
                *([] if wrote and wrote in said else labelled("it wrote", quote, width)),
                *(labelled("url", neutral(request.url, 4_000), width) if request.url else []),
                *(labelled("for", tools, width) if tools else []),
            ],
            *finding_groups(found, width, said),
            labelled("why", neutral(outcome.reason, 2_000), width),
            [
                (("as it arrived", "accent"),),
                *text_lines(neutral(raw, 100_000), width, "dim"),
            ],
        ]
    )


def _learned(outcome: Outcome, server: str, action: str) -> str:
    """What a server was sent for an answer, word for word, and that it was no more."""
    if outcome.action is None and outcome.error_code is None:
        return f"{server} was told nothing."
    sentence = PUBLIC_REASONS[outcome.decided_by]
    return f"{server} was told that it was {action}, and “{sentence}” It learned nothing else."


def _said_first(stopped: Stopped) -> list[str]:
    """Of what the guardian stopped: what it was, why, and the evidence for that."""
    findings = stopped.review.findings
    if stopped.outcome.decided_by != "guardian" or not findings:
        return []
    worst = max(findings, key=lambda finding: finding.severity)
    wrote = neutral_line(stopped.request.message, 200) or "(no message)"
    return [wrote, neutral(worst.advice, 400), neutral(worst.evidence, 400)]


def _in_quotes(text: str) -> str:
    """A text of a server, line by line, in quotation marks that it cannot leave."""
    return "“" + re.sub('["“”„«»]', "'", text) + "”" if text else ""


def _card(said: Sequence[str], width: int) -> list[Line]:
    if not said:
        return []
    wrote, advice, evidence = said
    lines = labelled("it wrote", quoted(wrote, 200), width)
    if evidence and evidence != wrote:
        lines += labelled("seen", evidence, width)
    why = wrapped(f"■ {advice or 'The guardian stopped this.'}", max(8, width - 2))
    return [
        *lines,
        (),
        *(((("  " * bool(number)) + part, "bad"),) for number, part in enumerate(why)),
    ]


def _way_out(stopped: Stopped, width: int, muted: Collection[str]) -> list[Line]:
    """Which key would let such a question through."""
    outcome, server = stopped.outcome, stopped.request.server.name
    if outcome.unasked and server not in muted:
        words = f"{quoted(server, 80)} was muted then: what it asks now comes to you."
    elif outcome.unasked:
        words = f"It would come to you once {quoted(server, 80)} is unmuted."
    elif outcome.layer == "managed":
        words = f"{outcome.key} is set by your organisation; nothing of yours changes it."
    else:
        words = way_through(outcome.decided_by, outcome.key or "", server)
    return text_lines(words, width, "dim") if words else []


def way_through(decided_by: str, key: str, server: str) -> str:
    """The sentence with the key that would let a question like this one through; may be empty."""
    last, table = key.rpartition(".")[2], dotted("mcp_servers", server)
    setting = {
        "approval_policy": 'approval_policy = "on-request"',
        "elicitations": f'{table}.elicitations = "ask"',
        "mcp_elicitations": "approval_policy.granular.mcp_elicitations = true",
        "rules": "approval_policy.granular.rules = true",
        "tool_calls": "approval_policy.granular.tool_calls = true",
        "elicitation_modes": f'{table}.elicitation_modes = ["form", "url"]',
        "disabled_tools": f"{key} without this tool",
        "enabled_tools": f"{key} with this tool",
    }.get(last, key)
    if decided_by == "guardian":
        return (
            "To decide such questions of every server yourself, set "
            'guardian.on_block = "ask" in your configuration (elicit-tui config path tells where).'
        )
    return f"It would come to you with {setting} in your configuration." if setting else ""


# One row of the ledger, whole.


_OURS: Final = frozenset(kind for kind, traits in KINDS.items() if not traits.from_server)
"""The kinds of questions that no server wrote."""
_LABELS: Final = {"verdict": "guardian verdict"}
"""Of fields whose own name says too little: beside a decline it would be taken for that."""


class RecordScreen(OfCall):
    """What was asked, what was found, who decided, why and when; then every field as kept."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "copy", "Copy", id="record.copy"),
    ]

    def __init__(self, row: Row, server: str = "") -> None:
        """`server`: what whoever asked is called now, where that is another name by now."""
        self._row, self._server = row, server or row.server
        super().__init__("Recorded", neutral_line(self._server, 60))

    def lines(self, width: int) -> list[Line]:
        """The decision, what led to it, then every field."""
        row = self._row
        sign, role = SIGNS.get(row.action, "–"), ROLES.get(row.action, "dim")
        head = text_lines(f"{sign} {ending(row)}", width, role)
        if row.decided_by == "guardian":
            head += text_lines(f"  {GUARDIAN}", width, "dim")
        message = row.message or ""
        then = f"{self._server}, called {quoted(row.server, 80)} then"
        about = (
            ("server", then if self._server != row.server else ""),
            ("asked", local_time(row.asked_at)),
            ("tool", row.tool),
            ("we asked", message) if row.kind in _OURS else ("it wrote", _in_quotes(message)),
        )
        for label, text in about:
            if text:
                head.extend(labelled(label, neutral(text, 20_000), width))
        kept = (("arguments", row.details.get("arguments")), ("answer", row.content))
        note = row.details.get("note")
        return joined(
            [
                head,
                *finding_groups(row.findings, width, (neutral(row.message or "", 400),)),
                labelled("why", neutral(row.reason, 20_000), width) if row.reason else [],
                labelled("note", neutral(note, 20_000), width) if note else [],
                *(
                    [((label, "accent"),), *text_lines(readable_json(value), width)]
                    for label, value in kept
                    if value is not None
                ),
                [(("as it is recorded", "accent"),), *self._fields(width)],
            ]
        )

    @property
    def asked_by(self) -> str | None:
        """The call that asked it, as it is recorded."""
        call_id = self._row.details.get("callId")
        return call_id if isinstance(call_id, str) else None

    def action_copy(self) -> None:
        """Copy it as JSON, every field as it is recorded."""
        copy_json(self.app, _fields_of(self._row), "The JSON of the record")

    def _fields(self, width: int) -> list[Line]:
        lines: list[Line] = []
        for name, value in as_pairs(self._row):
            label = _LABELS.get(name, name)
            lines.extend(labelled(label, neutral(value, 20_000), width, label_width=17))
        return lines


def _fields_of(row: Any) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = row.as_json() if hasattr(row, "as_json") else vars(row)
    return fields


def as_pairs(row: Any) -> list[tuple[str, str]]:
    """The row's fields as label and text, in their own order; empty ones are left out."""
    pairs = []
    for name, value in _fields_of(row).items():
        if value in (None, "", [], {}, ()):
            continue
        text = value if isinstance(value, str) else readable_json(value)
        pairs.append((str(name), text))
    return pairs
