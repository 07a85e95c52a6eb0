"""The words of a question's frame, as text that is safe to draw."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from textual.content import Content

from elicit_tui.elicitation import (
    Draft,
    ElicitationRequest,
    Finding,
    Question,
    Severity,
    Weight,
    what_changed,
)
from elicit_tui.host.number_text import as_spelled
from elicit_tui.text import as_name, countdown, neutral, neutral_line, quoted, readable_json
from elicit_tui.tui.names_on_screen import joined_by_or, naming_keys, quoting_signs
from elicit_tui.tui.secret_arguments import shown_arguments

SIGNS = {Severity.NOTE: "·", Severity.WARN: "▲", Severity.BLOCK: "■"}
STYLES = {
    Severity.NOTE: "$faint",
    Severity.WARN: "bold $warning",
    Severity.BLOCK: "bold $error",
}
LEAST_COLUMN: Final = 24
"""A column that is narrower than this is no column: text goes below what it belongs to."""
_ADDRESS_LIMIT = 400
_NAME_LIMIT = 80
_ARGUMENTS_LIMIT = 20_000
MESSAGE_CHARACTERS = 40_000
"""Of a message; of more than that the beginning and the end."""
_RESTORED = "Your earlier answers are back."
_FILLED_IN = "Filled in by the agent, not by you."
_PARTLY_FILLED_IN = "Your earlier answers are back; the agent filled in the rest."
_LINE = 60
"""Characters of a call that stand on one line."""
_FACT = 13
"""Cells for the name of a fact."""
_REACHED = {True: "program", False: "address"}
_VERBS = {"tools/call": "", "prompts/get": "prompt ", "resources/read": "resource "}


def goes_on_below(leads_to: str = "") -> Content:
    """That some of what is decided about was never on the screen, what shows it, and for what."""
    said = f"read to the end to {leads_to}" if leads_to else "not seen to its end"
    return naming_keys(f"◌ {said}: PgDn", "PgDn", style="bold")


def at_step(key: str, goes_on: bool) -> Content:
    """What takes the deliberate step; while it `goes_on` below, what shows the rest of it."""
    if goes_on:
        return goes_on_below()
    return naming_keys(f"{key} goes through with it", key)


def what_is_back(draft: Draft) -> str | None:
    """What stands in a question when it opens, and whose it is, in a sentence."""
    if draft.by_client:
        return _PARTLY_FILLED_IN if draft.typed else _FILLED_IN
    return _RESTORED if draft.typed else None


def server_name(request: ElicitationRequest) -> str:
    """The configured name, on one line."""
    return neutral_line(request.server.name, _NAME_LIMIT)


def _named(request: ElicitationRequest) -> str:
    return quoted(request.server.name, _NAME_LIMIT)


def title(request: ElicitationRequest) -> str:
    """What the border says: who asks; whether a tool may be called is our own question."""
    if not request.traits.from_server:
        return f"{request.handed_to or 'elicit-tui'} asks"
    return f"{_named(request)} asks"


def hanging(head: Content, body: Content, width: int, sign: str = "") -> Content:
    """A head, and beside it text that wraps in its own column; below it where it is narrow.

    The head's `sign`, of one cell, stands before each of its lines.
    """
    room, signed = width - head.cell_length, head[: len(sign)]
    if room < LEAST_COLUMN:
        begins = signed.append(" " * (2 - len(sign)))
        below = [begins.append(line.rstrip()) for line in body.wrap(max(width - 2, 1))]
        return Content("\n").join([head.rstrip(), *below])
    indent = signed.append(" " * (head.cell_length - len(sign)))
    lines = body.wrap(room)
    return Content("\n").join(
        (head if number == 0 else indent).append(line.rstrip()) for number, line in enumerate(lines)
    )


def sent_json(value: Any, request: ElicitationRequest) -> str:
    """A value as JSON that a person reads, each number as it goes out to the server that asks.

    Over a pipe a number keeps its text; over HTTP it is written as the float that it is.
    """
    if request.server.transport == "stdio":
        return as_spelled(value, readable_json)
    return readable_json(value)


def who(request: ElicitationRequest, about: Sequence[str]) -> Content:
    """One line about who asks: the tool with its arguments, a later round, a name that disagrees.

    `about` is what the program around the question knows of it. Whether a tool may be called is
    decided by who wants it: that comes first then, and stands out.
    """
    parts = [called(request)] if request.traits.from_server else []
    if len(request.calls) > 1:
        parts.append("the server does not say for which call")
    if request.round > 1:
        parts.append(f"round {request.round}")
    if request.group_size > 1:
        parts.append(f"{request.group_size} questions together")
    if not names_agree(request.server.name, request.server.calls_itself):
        # Our own question does not name the server there: its claim must not look the agent's.
        whose = "" if request.traits.from_server else f"{_named(request)} "
        parts.append(whose + calls_itself(request))
    known = list(about)
    if request.traits.about_call:
        styled = [(words, "$foreground") for words in known] + [
            (words, "$faint") for words in parts
        ]
    else:
        styled = [(words, "$faint") for words in [*parts, *known]]
    return Content.styled(" · ", "$faint").join(Content.styled(*each) for each in styled)


def wanted_by(request: ElicitationRequest, origin: str) -> str:
    """For whom another process asks, in words; empty where `origin` is: then nobody else does."""
    if not origin:
        return ""
    return f"wanted by {origin}" if request.traits.about_call else f"for {origin}"


def called(request: ElicitationRequest) -> str:
    """What it belongs to: the tool with all its arguments but secrets, each one that it may be."""
    calls = [
        f"{_VERBS.get(call.method, '')}{as_name(call.name, _ADDRESS_LIMIT)}"
        f"{arguments(shown_arguments(call.arguments, call.secrets))}"
        for call in request.calls
    ]
    return joined_by_or(calls) or "not tied to a tool call"


def _briefly_called(request: ElicitationRequest) -> str:
    """What it belongs to; arguments that take more than a line stand below, each on its own."""
    whole = called(request)
    if len(whole) <= _LINE:
        return whole
    names = [_VERBS.get(call.method, "") + as_name(call.name) for call in request.calls]
    return f"{joined_by_or(names)} (…)"


def names_agree(configured: str, claimed: str | None) -> bool:
    """Whether a server calls itself about as the owner does: one name stands in the other."""
    ours, theirs = (
        "".join(character for character in name.casefold() if character.isalnum())
        for name in (configured, claimed or "")
    )
    return not theirs or (bool(ours) and (ours in theirs or theirs in ours))


def calls_itself(request: ElicitationRequest) -> str:
    """`calls itself “deploy” “1.0”`: its own words, always quoted."""
    server = request.server
    if not server.calls_itself:
        return "does not say what it calls itself"
    version = f" {quoted(server.version, 40)}" if server.version else ""
    return f"calls itself {quoted(server.calls_itself, _NAME_LIMIT)}{version}"


def about(question: Question, left: float | None, width: int) -> Content:
    """All about who asks: names, how it is reached, round, time left, and what was found where."""
    request = question.request
    server = request.server
    facts = {
        "server": f"{server_name(request)}, {calls_itself(request)}",
        _REACHED[server.transport == "stdio"]: neutral_line(server.address, _ADDRESS_LIMIT),
        "asks before" if request.traits.about_call else "asks during": _briefly_called(request)
        if request.calls
        else "",
        "round": f"{request.round} of this call" if request.round > 1 else "",
        "protocol": request.protocol.shown,
        "request id": "" if request.wire_id is None else neutral_line(str(request.wire_id), 120),
        "time": time_left(left),
    }
    parts = [
        hanging(Content.styled(name.ljust(_FACT), "$faint"), Content(fact), width)
        for name, fact in facts.items()
        if fact
    ]
    if question.review.findings:
        parts += [Content(""), findings(question.review.findings, width, weighed=True)]
    return Content("\n").join(parts)


def arguments(values: Mapping[str, Any]) -> str:
    """A call's arguments as `(name=JSON, …)`."""
    if not values:
        return "()"
    written = ", ".join(f"{name}={_json(value)}" for name, value in values.items())
    return neutral_line(f"({written})", _ARGUMENTS_LIMIT)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "…"


def finding_lines(alike: Sequence[Finding], width: int, *, weighed: bool = False) -> Content:
    """Findings that say the same: sign, severity and advice; then rule, where and what was there.

    `weighed`: each piece of evidence too, for whoever asked for all of it.
    """
    severity = alike[0].severity
    lines = [Content(neutral_line(alike[0].advice, 400))]
    lines += [_evidence(finding, weighed=weighed) for finding in alike]
    head = Content.styled(f"{SIGNS[severity]} {severity.word:<5} ", STYLES[severity])
    return hanging(head, Content("\n").join(lines), width)


def _evidence(finding: Finding, *, weighed: bool) -> Content:
    rule = neutral_line(finding.rule, 80)
    where = neutral_line(finding.where, 120)
    because = [weight for weight in finding.because if weight.amount] if weighed else []
    weighs = f", weighs {sum(evidence.amount for evidence in because)}" if because else ""
    found = Content.styled(f"rule {rule}{weighs}, in {where}", "$faint")
    if finding.evidence:
        found = Content.assemble(found, (": ", "$faint"), neutral_line(finding.evidence, 300))
    for evidence in because:
        found = Content.assemble(found, "\n", (_piece(evidence, finding.where), "$faint"))
    return found


def _piece(evidence: Weight, where: str) -> str:
    """`+2 it is asked for: “password”`, and where, if that is elsewhere than the finding."""
    from elicit_tui.guardian.pages import frame_words

    words = f": {quoted(evidence.text, 80)}" if evidence.text else ""
    place = f", in {evidence.where}" if evidence.where != where else ""
    return neutral_line(f"{evidence.amount:+d}  {frame_words(evidence.frame)}{words}{place}", 300)


def findings(all_found: tuple[Finding, ...], width: int, *, weighed: bool = False) -> Content:
    """All findings, the worst first; each sentence once, with all that it is said of."""
    alike: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in sorted(all_found, key=lambda finding: -finding.severity):
        alike.setdefault((finding.severity, finding.advice), []).append(finding)
    return Content("\n").join(
        finding_lines(findings, width, weighed=weighed) for findings in alike.values()
    )


def found(question: Question, width: int) -> Content:
    """What was found, in the sentences for a person, the worst first; why it is asked at all."""
    lines: dict[str, Content] = {}
    for finding in sorted(question.review.findings, key=lambda finding: -finding.severity):
        advice = neutral_line(finding.advice, 400) + _only_if_sent(finding, question)
        sign, style = SIGNS[finding.severity], STYLES[finding.severity]
        shown = Content.styled(advice, "$faint" if finding.severity is Severity.NOTE else "bold")
        lines.setdefault(advice, hanging(Content.styled(f"{sign} ", style), shown, width))
    parts = [*lines.values()]
    changed, why = what_changed(question.request), told_above(question)
    if changed:
        mark = Content.styled(f"{SIGNS[Severity.WARN]} ", STYLES[Severity.WARN])
        parts.append(hanging(mark, Content.styled(changed, "bold"), width))
        why = why.removeprefix(changed).strip()
    if why:
        parts.append(hanging(Content("· "), Content.styled(neutral(why), "$faint"), width))
    return Content("\n").join(parts)


def told_above(question: Question) -> str:
    """What the note of a question tells before all else; why a call is asked stands behind it."""
    note, why = question.note or "", why_asked(question)
    return " ".join(note.replace(why, "").split()) if why else note


def why_asked(question: Question) -> str:
    """Why a call is confirmed at all and what changes it; empty where the note does not say it."""
    why = question.request.param("why")
    return why if isinstance(why, str) and why and why in (question.note or "") else ""


def _only_if_sent(finding: Finding, question: Question) -> str:
    """The optional fields that alone carry a finding: left unset, they make it a hint."""
    if not finding.fields or question.form is None:
        return ""
    titles = {spec.name: spec.title for spec in question.form.fields}
    named = joined_by_or([neutral_line(titles.get(name, name), 40) for name in finding.fields])
    return f" Only if you fill in {named}."


def blocks(question: Question) -> bool:
    """Whether the worst that was found would have been stopped."""
    return any(finding.severity is Severity.BLOCK for finding in question.review.findings)


def message(request: ElicitationRequest) -> tuple[str, int]:
    """The server's message, and how many characters of it are left out."""
    shown, left_out = shortened(request.message or "", MESSAGE_CHARACTERS)
    return quoting_signs(shown) or "(the server sent no message)", left_out


def shortened(text: str, limit: int) -> tuple[str, int]:
    """A text with every invisible character made visible, and how many characters are left out.

    Of one that nobody reads to its end, the beginning and the end are shown.
    """
    kept = min(len(text), limit)
    # What is made visible takes more room than it had.
    while len(shown := _ends(text, kept)) > 2 * limit:
        kept //= 2
    return shown, len(text) - kept


def _ends(text: str, kept: int) -> str:
    if kept == len(text):
        return neutral(text)
    end = max(kept // 4, 1)
    lines = f"⟨… {len(text) - kept:,} of {len(text):,} characters are left out here …⟩"
    return f"{neutral(text[: kept - end])}\n{lines}\n{neutral(text[-end:])}"


def time_left(seconds: float | None) -> str:
    """`4:31 left`; empty while nothing counts."""
    return "" if seconds is None else f"{countdown(seconds)} left"


def count(number: int, thing: str, things: str | None = None) -> str:
    """`1 answer`, `2 answers`."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"
