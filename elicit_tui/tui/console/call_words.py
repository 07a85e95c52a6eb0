"""How a call stands, with what it was made and what it asked, in words for lists and heads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.outcome import SIGNS
from elicit_tui.text import in_figures, neutral_line, quoted, readable_json
from elicit_tui.text.duration import A_HAIR
from elicit_tui.tui.console.calls import SIGNS as SIGNS_OF_CALLS
from elicit_tui.tui.console.outcome_words import ROLES, plural
from elicit_tui.tui.console.spans import (
    GUTTER,
    Line,
    Role,
    received,
    shortened,
    shortened_within,
    text_lines,
    wrapped,
)

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord

STATE_ROLES: dict[str, Role] = {
    "running": "accent",
    "answered": "good",
    "failed": "bad",
    "cancelled": "warn",
    "refused": "warn",
}


def shown_standing(record: CallRecord) -> tuple[str, str, Role]:
    """How a call stands: its sign, a word or what became of its question, and their role."""
    refusal = record.refusal
    if refusal is not None:
        return SIGNS[refusal.action], record.standing, ROLES[refusal.action]
    if record.is_error:
        return "✗", record.standing, "bad"
    if record.maybe_refused is not None:
        return SIGNS_OF_CALLS[record.state], record.standing, "warn"
    return SIGNS_OF_CALLS[record.state], record.standing, STATE_ROLES[record.state]


TITLE_CELLS: Final = 60
"""Of what was called, in the title of a frame."""


def called_name(record: CallRecord, room: int = TITLE_CELLS) -> str:
    """What was called, in so many cells: of a long address both ends."""
    return shortened_within(neutral_line(record.call.name, 400), room)


def bar(record: CallRecord, width: int) -> str:
    """A progress bar in characters; without a total only what was told."""
    if record.progress is None or (not record.total and 0 < record.progress < A_HAIR):
        return "running"
    if not record.total or record.total <= 0:
        return f"{in_figures(record.progress)} so far"
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
        unsure = f" · {quoted(record.server, 40)} does not say for which of its calls"
        summary = f"{end.summary}{'' if end.of_one else unsure}"
        first, *others = wrapped(summary, max(8, width - 2))
        lines.append(((f"{SIGNS[end.action]} ", role), (first, "dim")))
        lines.extend(((f"  {part}", "dim"),) for part in others)
        message = wrapped(quoted(end.message), max(8, width - 2))
        lines.extend(((f"  {part}", "plain"),) for part in message)
        if end.sent:
            sent = wrapped(f"sent {end.sent}", max(8, width - 2))
            lines.extend(((f"  {part}", "plain"),) for part in sent)
    return lines


_ROOMY: Final = 60
"""Cells in which a sign and its call are told in full words."""


def compared_words(other: CallRecord, this: CallRecord, width: int) -> list[Line]:
    """Which two calls a difference is of, by their signs in it; whether they were made alike."""
    lines: list[Line] = []
    both = (("-", other, this, "the call at"), ("+", this, other, "this call, at"))
    for sign, record, beside, name in both:
        stands = "" if record.filed_under == "done" else f", {record.standing}"
        head = f"{sign} {'only in ' * (width >= _ROOMY)}{name} {record.at_second}{stands}"
        made_with = briefly(record.told_texts, width - len(head) - 2, [beside.told_texts])
        role: Role = "gone" if sign == "-" else "good"
        lines.append(((head, role), (f"  {made_with}" if made_with else "", "dim")))
    if alike := _in_common(other, this):
        lines.extend(((f"  {part}", "dim"),) for part in wrapped(alike, max(8, width - 2)))
    return lines


def _in_common(other: CallRecord, this: CallRecord) -> str:
    """What two calls have in common, and what they answered to what they asked; else empty.

    Of what is withheld or masked nobody can say whether it is the same.
    """
    if other.call.arguments != this.call.arguments:
        return ""
    known = " as far as they are kept" * bool(other.withheld or this.withheld)
    reads = this.call.method == "resources/read"
    words = "both of the same resource" if reads else f"both with the same arguments{known}"
    answers, others = ([(e.action, e.sent) for e in each.answered] for each in (this, other))
    if answers != others or this.questions != other.questions:
        return f"{words}, but with other answers to what they asked"
    unknown = any(MASK in sent for _, sent in answers)
    return f"{words} and the same answers" if answers and not unknown else words


LOG_SHOWN: Final = 200


def log_words(record: CallRecord, width: int) -> list[Line]:
    """The newest lines of its log."""
    if not record.log:
        return []
    shown = list(record.log)[-LOG_SHOWN:]
    head: Line = ((f"log · {plural(record.logged, 'line')}", "accent"),)
    lines = (part for text in shown for part in text_lines(text, width - len(GUTTER), "dim"))
    return [head, *received(lines)]


LEAST_ARGUMENTS: Final = 8
"""Cells; in fewer they tell no two calls apart."""


SHARED: Final = 6
"""Characters; a beginning that is no longer is shown, whatever else begins so."""


def briefly(texts: Mapping[str, str], room: int, beside: Sequence[Mapping[str, str]] = ()) -> str:
    """`path=/srv, depth=2`: so that two calls of one tool are told apart; empty without room.

    `texts`, and each of `beside`: the `told_texts` of a call.

    Where it does not fit, what is other than in the calls `beside` it comes first, and without the
    beginning that it shares with theirs; then of paths their last parts, where these tell it from
    them, and names only where their values have room.
    """
    if room < LEAST_ARGUMENTS:
        return ""
    words = _in_one_line(texts)
    if cell_len(words) <= room:
        return words
    told = _differing_first(texts, beside)
    words = _in_one_line(told)
    if cell_len(words) <= room or _end_alike(texts, beside, room):
        return shortened(words, room)
    return shortened(_ends_of_paths(told, room), room)


def _end_alike(texts: Mapping[str, str], beside: Sequence[Mapping[str, str]], room: int) -> bool:
    """Whether in this room the ends of paths do not tell it from another call."""
    seen = _ends_of_paths(texts, room)
    return any(other != texts and _ends_of_paths(other, room) == seen for other in beside)


def _in_one_line(texts: Mapping[str, str]) -> str:
    return neutral_line(", ".join(f"{name}={text[:200]}" for name, text in texts.items()), 200)


_PATH: Final = re.compile(r"(?:~|\.{1,2}|[A-Za-z][\w+.-]*:)?[/\\][^\n]*|[^\s/\\…]+[/\\]\S*")


def _ends_of_paths(texts: Mapping[str, str], room: int) -> str:
    """What tells most in little room: ends of paths, and no name before a long first value."""
    words = ""
    for name, text in texts.items():
        before = f"{words}, {name}=" if words else f"{name}="
        end = _path_end(text, room - cell_len(before))
        named = f"{before}{end}"
        words = named if words or cell_len(named) <= room else _path_end(text, room)
        if cell_len(words) >= room:
            break
    return neutral_line(words, 200)


def is_path(text: str) -> bool:
    """Whether a text is a path or an address, whose end tells more than its middle."""
    return _PATH.fullmatch(text) is not None


def _path_end(text: str, room: int) -> str:
    """Of a path as many of its last parts as have room, at least one; any other text as it is."""
    if cell_len(text) <= room or not is_path(text):
        return text[:200]
    parts = re.split(r"(?<=[^/\\])(?=[/\\])", text.rstrip("/\\"))
    end = parts.pop()
    while parts and cell_len(f"…{parts[-1]}{end}") <= room:
        end = f"{parts.pop()}{end}"
    return f"…{end}" if parts else end


def _differing_first(
    texts: Mapping[str, str], beside: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    differing, alike = {}, {}
    for name, text in texts.items():
        others = (each[name] for each in beside if name in each)
        shared = [_shared(text, other) for other in others if other != text]
        if shared:
            begins = max(shared)
            differing[name] = f"…{text[begins:]}" if begins > SHARED else text
        else:
            alike[name] = text
    return differing | alike


def _shared(text: str, other: str) -> int:
    """Where the word begins in which two texts differ."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False))
    end = sum(1 for _ in same)
    while end and text[end - 1].isalnum():
        end -= 1
    return end


SEARCHED_CHARACTERS: Final = 50_000
"""Of a result, where calls are searched; more of each would be waited for with every letter."""


def search_words(record: CallRecord) -> str:
    """What a search of the calls looks at, folded."""
    arguments = readable_json(dict(record.shown_arguments), indent=None)
    shown = _in_one_line(record.told_texts)
    words = (record.call.name, record.server, record.standing, arguments, shown, record.note)
    asked = (f"{end.message} {end.sent}" for end in record.answered)
    return " ".join((*words, record.failure or "", *asked)).casefold() + _result_words(record)


def _result_words(record: CallRecord) -> str:
    """The beginning of its result, folded once."""
    if record.result is not None and record.result_words is None:
        from elicit_tui.tui.console.results import texts_of

        words, room = "", SEARCHED_CHARACTERS
        for text in texts_of(record.result):
            words += f" {text[: room - len(words)]}"
            if len(words) >= room:
                break
        record.result_words = words.casefold()
    return record.result_words or ""
