"""One call, told: its row in the list, and beside it how it stands and what came back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len

from elicit_tui.text import neutral, neutral_line, quoted, readable_json
from elicit_tui.text.hostile_json import bounded_json
from elicit_tui.text.spread import texts_as_lines
from elicit_tui.tui.console.call_words import (
    bar,
    briefly,
    called_name,
    log_words,
    question_words,
    shown_standing,
)
from elicit_tui.tui.console.diffs import diff_lines
from elicit_tui.tui.console.outcome_words import duration, plural
from elicit_tui.tui.console.results import binaries
from elicit_tui.tui.console.spans import (
    GUTTER,
    Line,
    apart,
    joined,
    labelled,
    received,
    shortened,
    shortened_within,
    text_lines,
    text_of,
)

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.state import ConsoleState

ARGUMENTS_CHARACTERS: Final = 20_000
ROOMY: Final = 40
"""Cells of a row; with fewer a bar of progress leaves room for the arguments."""

TOLD_WAITING: Final = 1.0
"""From so many seconds on it is told how long the person was waited for."""

LISTED_SECONDS: Final = 1.0
"""A server that lists its tools within this is not said to be waited for."""

BESIDE: Final = 20
"""Other calls that one is told apart from."""

ARGUMENT_ROWS: Final = 8
"""Of arguments above the result; longer ones would hide it."""


def _arguments(record: CallRecord, width: int) -> list[Line]:
    """What it was made with; a text of several lines as lines."""
    made_with = dict(record.shown_arguments)
    written = texts_as_lines(spread := readable_json(made_with))
    text = readable_json(made_with, indent=None) if written == spread else written
    return labelled("arguments", neutral(text, ARGUMENTS_CHARACTERS), width)


def _took(record: CallRecord) -> str:
    """How long it took by itself, and beside that how long the person and its turn did."""
    beside = ("you", record.waited), ("in line", record.held)
    waited = [f"{who} {duration(seconds)}" for who, seconds in beside if seconds >= TOLD_WAITING]
    return ", ".join([duration(record.own_seconds), *waited])


def _size(record: CallRecord) -> Sequence[str]:
    """How big its result is; what reads results is loaded once there is one."""
    if record.result is None:
        return ()
    from elicit_tui.tui.console.result_size import size_of

    return size_of(record)


def _at_a_glance(record: CallRecord) -> object:
    """What its row in the list says of it."""
    made_with = tuple(record.told_texts.items())
    return record.server, record.call.name, record.at, shown_standing(record)[1], made_with


class CallTelling:
    """Tells of calls as they stand; what was laid out last is laid out once."""

    def __init__(self, state: ConsoleState, app: Controller) -> None:
        self._state = state
        self._app = app
        self._laid_out: tuple[object, int, list[Line]] = (None, 0, [])
        self._made_with: tuple[object, int, list[Line]] = (None, 0, [])
        self._counted_at = -1, -1
        self._alike: Counter[object] = Counter()
        """How many calls are alike at a glance, counted once for each state."""

    def row(self, record: CallRecord, width: int) -> list[Line]:
        """Its two lines in the list."""
        name = called_name(record, 200)
        sign, _, role = shown_standing(record)
        at = record.at_second if self._looks_alike(record) else record.at
        before: Line = ((f" {sign} ", role), (f"{at}  ", "dim"))
        room = width - cell_len(text_of(before)) - 1
        took = f"{duration(record.own_seconds)} "
        if cell_len(name) + cell_len(took) > room:
            took = ""
        left: Line = (*before, (shortened_within(name, room), "strong"))
        first = apart(left, ((took, "dim"),), width)
        return [first, ((f"   {self._about(record, width - 4)}", "dim"),)]

    def _about(self, record: CallRecord, width: int) -> str:
        """How it stands, what it was made with, and whose it is where there is room for that too.

        What tells two calls of one tool apart has the room before what the chosen one says anyway.
        """
        waits = self._waits_for(record)
        waits = waits or ("waits for its turn" if self._before(record) else "")
        waits = waits or ("waits for its server" if self._unlisted(record) else "")
        cells = 10 if width >= ROOMY else 4
        under_way = record.state == "running" and record.sent
        stands = waits or (bar(record, cells) if under_way else shown_standing(record)[1])
        room = width - cell_len(stands) - 3
        more = shortened(neutral_line(record.note, 80), room)
        more = more or briefly(record.told_texts, room, self._beside(record))
        about = f"{stands} · {more}" if more else stands
        whose = [record.server] if len(self._state.servers) > 1 else []
        for beside in ([*_size(record)[-1:], *whose], whose):
            whole = " · ".join([about, *beside])
            if cell_len(whole) <= width:
                return whole
        return shortened(about, width)

    def _beside(self, record: CallRecord) -> list[Mapping[str, str]]:
        """The arguments of other calls of the same, the newest."""
        same = (each for each in self._state.calls if each.is_like(record))
        return [each.told_texts for each in islice(same, BESIDE)]

    def _looks_alike(self, record: CallRecord) -> bool:
        """Whether another call of the same was made with the same in the same minute."""
        calls = self._state.calls
        now = self._state.version, len(calls)
        if now != self._counted_at:
            self._counted_at, self._alike = now, Counter(map(_at_a_glance, calls))
        return self._alike[_at_a_glance(record)] > 1

    def lines(self, record: CallRecord, width: int, *, as_json: bool) -> list[Line]:
        """All of it, beside the list; `as_json`: how its result is read."""
        return joined(
            [
                self._head(record, width),
                question_words(record, width),
                self._result(record, width, as_json),
                log_words(record, width),
                self._rest_of_arguments(record, width),
            ]
        )

    def brief_lines(self, record: CallRecord, width: int, *, as_json: bool) -> list[Line]:
        """All of it where there are few rows: one for how it stands, then what came back."""
        if record.result is None:
            return self.lines(record, width, as_json=as_json)
        sign, state, role = shown_standing(record)
        stands: Line = ((f"{sign} {state}", role), (f"  {_took(record)}", "dim"))
        _, *result = self._result(record, width, as_json)
        rest = [question_words(record, width), log_words(record, width)]
        return [stands, *result, *joined([[()], *rest, self._arguments(record, width)])]

    def _head(self, record: CallRecord, width: int) -> list[Line]:
        sign, state, role = shown_standing(record)
        fails = "the tool says that it failed" if record.is_error else ""
        if fails and record.refusal is None:
            state, fails = fails, ""
        rounds = f" · round {record.round}" if record.round > 1 else ""
        took = f"{_took(record)}{rounds}"
        head: list[Line] = [((f"{sign} {state}", role), (f"  {took}", "dim"))]
        if cell_len(text_of(head[0])) > width:
            head = [*text_lines(f"{sign} {state}", width, role), ((took, "dim"),)]
        if fails:
            head.extend(text_lines(f"{fails[0].upper()}{fails[1:]}.", width, "bad"))
        if waits := self._waits_for(record):
            head.extend(text_lines(f"It {waits} to answer.", width, "warn"))
        elif before := self._before(record):
            words = (
                f"It waits for its turn: {before} is not done yet. Of two calls at once nobody "
                "could say which one a question of this server belongs to."
            )
            head.extend(text_lines(words, width, "dim"))
        elif self._unlisted(record):
            words = (
                f"It has not gone out yet: {quoted(record.server, 60)} was asked what its tools "
                f"are now, and does not answer. {self._app.key_of('calls.cancel')} cancels the "
                "call."
            )
            head.extend(text_lines(words, width, "warn"))
        if record.state == "running":
            if record.progress is not None:
                room = max(10, min(60, width - 20))
                head.append(((bar(record, room), "accent"),))
            if record.progress_message:
                head.extend(received(text_lines(record.progress_message, width - len(GUTTER))))
        if record.call.arguments:
            arguments = self._arguments(record, width)
            head.extend(arguments[:ARGUMENT_ROWS])
            if len(arguments) > ARGUMENT_ROWS:
                more = plural(len(arguments) - ARGUMENT_ROWS, "more line")
                head.append(((f"… {more} of arguments at the end", "dim"),))
        if record.note:
            head.extend(labelled("your note", neutral(record.note, 1_000), width))
        if record.withheld:
            head.extend(labelled("not kept", ", ".join(record.withheld), width))
        if record.confirmation:
            head.extend(labelled("this call", record.confirmation, width))
        if record.failure:
            # It begins with words of ours; what follows may be the server's.
            first, *rest = text_lines(neutral(record.failure, 4_000), width - len(GUTTER), "bad")
            head.extend([first, *received(rest)])
        return head

    def _arguments(self, record: CallRecord, width: int) -> list[Line]:
        if self._made_with[:2] != (record, width):
            self._made_with = (record, width, _arguments(record, width))
        return self._made_with[2]

    def _rest_of_arguments(self, record: CallRecord, width: int) -> list[Line]:
        """Long ones stand whole where they hide nothing."""
        arguments = self._arguments(record, width)
        return arguments if len(arguments) > ARGUMENT_ROWS else []

    def _before(self, record: CallRecord) -> str:
        """The call that has its turn before this one, by name; empty where it has gone out."""
        if record.state != "running" or not self._state.waits_for_turn(record):
            return ""
        earlier = (
            call.call.name
            for call in self._state.calls.running
            if call.server == record.server and call.sent
        )
        # Until it is its turn in a moment, nothing need be ahead of it.
        return neutral_line(next(earlier, ""), 60)

    def _unlisted(self, record: CallRecord) -> bool:
        """Whether its server lets it wait before it was sent."""
        late = record.state == "running" and record.elapsed > LISTED_SECONDS
        return late and self._state.waits_for_list(record)

    def _waits_for(self, record: CallRecord) -> str:
        """That a running call waits for the person, or may; empty where none of its questions is.

        Of a question that may be another call's nobody knows which of them waits.
        """
        if record.state != "running":
            return ""
        asked = [
            request
            for waiting in self._state.questions
            if (request := self._state.as_it_stands(waiting.question.request)).may_belong_to(
                record.call.id
            )
        ]
        if any(len(request.calls) == 1 for request in asked):
            return "waits for you"
        return "may wait for you" if asked else ""

    def _result(self, record: CallRecord, width: int, as_json: bool) -> list[Line]:
        if record.result is None:
            return self._no_result(record, width)
        key = (record, as_json, record.is_saved)
        if self._laid_out[:2] != (key, width):
            lines = received(self._read(record.result, width - len(GUTTER), as_json))
            found = [part for part in binaries(record.result) if not part.text]
            if found:
                words = f"{self._app.key_of('calls.save')} saves what is not text"
                if pictures := sum(part.is_picture for part in found):
                    words = f"{self._how_to_see(pictures)} · {words}"
                lines.extend(text_lines(words, width, "dim"))
            head = self._result_head(record, width, as_json)
            self._laid_out = (key, width, [head, *self._goes_with_the_run(record, width), *lines])
        return self._laid_out[2]

    def _whence(self, record: CallRecord) -> str:
        """Where one that is none of this run was made."""
        if record.in_shell:
            return "made in the shell"
        is_new = record.began.astimezone() > self._state.began.astimezone()
        return "of another console" if is_new else "of an earlier run"

    def _result_head(self, record: CallRecord, width: int, as_json: bool) -> Line:
        """How big it is, as far as there is room for that, and of which run."""
        of_run = f"  {self._whence(record)}" if record.ended_as else ""
        if of_run and self._state.settings.history.content == "redacted":
            of_run += ", secrets masked"
        sizes, title = [*_size(record)], "result"
        room = width - cell_len(title)
        rest = of_run + "  as JSON" * as_json
        while sizes and cell_len(" · ".join(["", *sizes]) + rest) > room:
            sizes.pop()
        return (title, "accent"), (shortened(" · ".join(["", *sizes]) + rest, room), "dim")

    def _goes_with_the_run(self, record: CallRecord, width: int) -> list[Line]:
        """That a result is too long for the next run, and what keeps it."""
        from elicit_tui.tui.console.kept_calls import is_lost
        from elicit_tui.tui.console.kept_results import how_large

        if self._state.settings.history.content == "none" or not is_lost(record):
            return []
        saves = f"{self._app.key_of('calls.save')} saves it."
        words = f"Too large to be kept, so it goes with this run: {saves}"
        return text_lines(f"{words} {how_large(record.result)}", width, "dim")

    def _read(self, result: Mapping[str, Any], width: int, as_json: bool) -> list[Line]:
        """Rows as a table where that has room, else its text, or all of it as JSON."""
        from elicit_tui.tui.console.result_data import at_a_glance
        from elicit_tui.tui.console.table_lines import table_lines

        rows = [] if as_json else table_lines(result, width, self._app.key_of("calls.whole"))
        text = "" if rows else bounded_json(result) if as_json else at_a_glance(result)
        return rows or diff_lines(text.removesuffix("\n"), width)

    def _how_to_see(self, pictures: int) -> str:
        """The key that shows them, or what has to be installed first."""
        from elicit_tui.tui.console.pictures import WANTED, can_draw

        shows = f"shows the picture{'s' if pictures > 1 else ''}"
        return f"{self._app.key_of('calls.whole')} {shows}" if can_draw() else WANTED

    def _no_result(self, record: CallRecord, width: int) -> list[Line]:
        if record.result_file:
            return text_lines("Reading what came back …", width, "dim")
        if not record.ended_as:
            return []
        is_here, why = record.server in self._state.servers, record.no_result
        again = f" {self._app.key_of('calls.again')} calls it again." * is_here
        words = f"A call {self._whence(record)}{why and f': {why}'}.{again}"
        return text_lines(words, width, "dim")
