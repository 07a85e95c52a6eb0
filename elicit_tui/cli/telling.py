"""What `call` tells on standard error while it runs, in one sentence for each event."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Final

from elicit_tui.broker import Notice, Resolved
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.own_terminal import columns_of
from elicit_tui.elicitation import Outcome, Severity
from elicit_tui.elicitation.keeping import kept_content
from elicit_tui.elicitation.outcome import SERVER_ENDS, SIGNS
from elicit_tui.elicitation.request import ID_CHARACTERS
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.host.events import LogMessage, Progress, UrlCompleted
from elicit_tui.text import as_name, in_figures, neutral_line, readable_json
from elicit_tui.text.duration import A_HAIR

EACH_SECOND: Final = 20
"""A server's progress, log lines and flooding questions told in one second; more are counted."""

MOST_FINDINGS: Final = 20
"""A question's findings that are told, the same one once; all of them are in the data."""

LINE_CHARACTERS: Final = 2_000
DONE: Final = {"accept": "accepted", "decline": "declined", "cancel": "cancelled"}


class Telling:
    """Tells a person what happens; a chatty server cannot flood the terminal."""

    def __init__(
        self, narration: Narration, history_content: ContentPolicy, *, forms: bool = False
    ) -> None:
        """`forms`: a person is asked by forms under the prompt, which leave one line each."""
        self._narration = narration
        self._history_content = history_content
        self._forms = forms
        self._second = 0
        self._lines_told = 0
        self._left_out = 0
        self._figures = ""
        """How far a call was when that was last told."""

    def notice(self, event: Notice) -> None:
        """Something that is said once."""
        self._narration.of_server(event.server, event.sentence)

    def resolved(self, event: Resolved) -> None:
        """Who decided a question, how and why; a flood's are counted only beyond the first."""
        # Those of a flood come in numbers, and are told as progress is.
        if event.outcome.in_group and not self._may_tell():
            return
        by = event.outcome.decided_by
        # The form is gone from the terminal then, and this line stays in its place.
        if self._forms and by in ("user", "shutdown"):
            self._narration.say(_left_behind(event, self._history_content))
        else:
            self._narration.say("\n".join(_decision(event)))

    def completed(self, event: UrlCompleted) -> None:
        """A page's work is done, says the server."""
        self._narration.say(f"{event.server}: what the page was for is done.", urgent=True)

    def progress(self, event: Progress) -> None:
        """How far a call is; of one that only says that it goes on, what it says."""
        if not self._may_tell():
            return
        before, self._figures = self._figures, in_figures(event.progress)
        if event.message and (self._figures == before or 0 < event.progress < A_HAIR):
            self._narration.of_server(event.server, event.message)
            return
        of = f" of {in_figures(event.total)}" if event.total is not None else ""
        message = f": {neutral_line(event.message)}" if event.message else ""
        self._narration.say(f"{event.server}: progress {self._figures}{of}{message}")

    def log(self, event: LogMessage) -> None:
        """A log line of the server."""
        if self._may_tell():
            self._narration.of_server(event.server, event.sentence)

    def finish(self) -> None:
        """Tell how many lines were left out since the last one that was told."""
        if self._left_out:
            self._narration.say(f"({self._left_out} more lines of it are not shown)")
        self._left_out = 0

    def _may_tell(self) -> bool:
        # Whole seconds of a clock that nobody sets.
        second = int(time.monotonic())
        if second != self._second:
            # What was left out is told with the next line that may be.
            self.finish()
            self._second, self._lines_told = second, 0
        self._lines_told += 1
        if self._lines_told > EACH_SECOND:
            self._left_out += 1
        return self._lines_told <= EACH_SECOND


def _done(outcome: Outcome) -> str:
    """What became of a question; where no result went out, the server ended it or we refused it."""
    if outcome.action is not None:
        return DONE[outcome.action]
    return SERVER_ENDS[outcome.server_end] if outcome.decided_by == "server" else "refused"


def _left_behind(event: Resolved, history_content: ContentPolicy) -> str:
    """The one line that a form under the prompt leaves, no wider than the terminal."""
    from rich.cells import cell_len, set_cell_size

    outcome, request = event.outcome, event.request
    name = request.call.name if request.call is not None else request.server.name
    content = kept_content(outcome.content, event.review, history_content)
    if content:
        values = (
            f"{key}={value if isinstance(value, str) else readable_json(value, indent=None)}"
            for key, value in content.items()
        )
        text = ", ".join(values)
    else:
        text = "interrupted" if outcome.decided_by == "shutdown" else _done(outcome)
    if event.draft_kept:
        text += " · what you typed is kept for a day"
    line = neutral_line(f"{SIGNS[outcome.action]} {as_name(name, 60)} · {text}", LINE_CHARACTERS)
    # Of standard error, where the line is written; None where that is no terminal.
    columns = columns_of(sys.stderr)
    if columns is None or cell_len(line) <= columns:
        return line
    return set_cell_size(line, columns - 1).rstrip() + "…"


def _stopped(event: Resolved) -> Iterator[str]:
    """A question that the guardian stopped, in three lines: what, why, and where all of it is."""
    request, found = event.request, event.review.findings
    asked = neutral_line(request.message, 100) or "(no message)"
    yield f"■ {request.server.name}: the guardian stopped “{asked}” and declined it for you."
    # One of them stands for all: the rest is in the history.
    worst = max(found, key=lambda finding: finding.severity)
    evidence = f" “{neutral_line(worst.evidence, 60)}”" if worst.evidence else ""
    seen = f"{worst.severity.word} {worst.rule} in {neutral_line(worst.where, 60)}"
    more = len(found) - 1
    others = f" (and {more} more {'finding' if more == 1 else 'findings'})" if more else ""
    yield f"  {seen}:{evidence} {worst.advice}{others}"
    all_of_it = f"elicit-tui history show {request.id[:ID_CHARACTERS]}"
    yield f"  The server was told only that it was declined. All of it: {all_of_it}"


def _decision(event: Resolved) -> Iterator[str]:
    outcome, request = event.outcome, event.request
    if outcome.decided_by == "guardian" and event.review.findings:
        yield from _stopped(event)
        return
    message = neutral_line(request.message, 160)
    yield (
        f"{SIGNS[outcome.action]} {request.server.name} asked: {message or '(no message)'} -> "
        f"{_done(outcome)} by {outcome.decided_by}. {outcome.reason}"
    )
    if event.draft_kept:
        yield "  What you typed is kept: it is there again when the same is asked within a day."
    # The same words once, whichever part of the form they were found in.
    findings = dict.fromkeys(
        (finding.severity.word, finding.rule, neutral_line(finding.where, 100), finding.advice)
        for finding in (*event.review.at_least(Severity.WARN), *event.review.outgoing)
    )
    for severity, rule, where, advice in list(findings)[:MOST_FINDINGS]:
        yield f"  {severity} {rule} in {where}: {advice}"
    if len(findings) > MOST_FINDINGS:
        yield f"  (and {len(findings) - MOST_FINDINGS} more findings)"
