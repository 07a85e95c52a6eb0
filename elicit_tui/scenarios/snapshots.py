"""What a server asked last time, kept beside the scenario file: a changed question is told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
from elicit_tui.elicitation.eras import era_of
from elicit_tui.errors import UsageError
from elicit_tui.form.json_values import MISSING, same_json
from elicit_tui.form.limits import pointer_part
from elicit_tui.paths import rewrite_file
from elicit_tui.scenarios.scenario import excerpt
from elicit_tui.text import ascii_json
from elicit_tui.text.hostile_json import DEEPEST, once_each, too_deep

_MOST_OF_A_SCHEMA: Final = DEEPEST - 4
"""It stands in the file below scenario, revision, list and question."""


def snapshot_file(scenario_file: Path) -> Path:
    """`book.toml` has its snapshots in `book.snapshots.json`."""
    return scenario_file.with_name(f"{scenario_file.stem}.snapshots.json")


def question_snapshot(request: ElicitationRequest) -> dict[str, Any]:
    """What is kept of a question: mode, message, schema; of an address no query and no user."""
    kept: dict[str, Any] = {"mode": request.mode, "message": request.message}
    if request.mode == "url":
        kept["url"] = _address(request.url or "")
    else:
        schema = request.requested_schema
        deep = too_deep(schema, _MOST_OF_A_SCHEMA)
        kept["requestedSchema"] = "(nested too deep)" if deep else schema
    return kept


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        # No address that can be read: what may hold a secret begins at the query at the latest.
        return re.split("[?#]", url)[0]
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


class Kept(NamedTuple):
    """One question of a snapshot."""

    revision: str
    number: int
    """From 0."""
    question: Mapping[str, Any]
    line: int = 1
    """Where it stands in the file."""


def request_of(server: str, kept: Kept) -> ElicitationRequest:
    """The question again, as this server would ask it."""
    params = kept.question
    if params.get("mode") == "url":  # Its name is another one each time, and is not kept.
        params = {"elicitationId": "kept", **params}
    return ElicitationRequest(
        ServerIdentity(server, "stdio", ""),
        params,
        era_of(kept.revision),
        wire_id=kept.number,
    )


class Snapshots:
    """The snapshots of one scenario file, by scenario and protocol revision."""

    def __init__(self, scenario_file: Path) -> None:
        """Read them. Raises UsageError when the file is there and cannot be understood."""
        self.path = snapshot_file(scenario_file)
        self._kept: dict[str, dict[str, list[Any]]] = {}
        self._asked_now: dict[str, dict[str, list[Any]]] = {}
        self._changed = False
        self._text = ""
        remedy = "remove the file, and --update writes it anew"
        try:
            # The first run has none.
            if not self.path.exists():
                return
            if not self.path.is_file():
                raise UsageError(f"The snapshots {self.path} are no file.")
            self._text = self.path.read_text(encoding="utf-8")
            kept = json.loads(self._text, object_pairs_hook=once_each)
        except (OSError, ValueError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) else f"{error}; {remedy}"
            raise UsageError(f"The snapshots {self.path} cannot be read: {why}.") from None
        are_some = isinstance(kept, dict) and all(
            isinstance(entry, dict) for entry in kept.values()
        )
        if not are_some or too_deep(kept):
            raise UsageError(f"The snapshots {self.path} are none; {remedy}.")
        self._kept = kept

    def differences(self, name: str, revision: str, questions: Sequence[Any]) -> list[str] | None:
        """What changed in the questions of a scenario; None when there is nothing to compare.

        Every message is compared, also one for which the scenario has a glob: that only picks the
        answer.
        """
        kept = self._kept.get(name, {}).get(revision)
        if not isinstance(kept, list):
            return None
        found = []
        for number, (was, now) in enumerate(zip(kept, questions, strict=False)):
            for place, before, after in _differences(was, now):
                found.append(
                    f"question {number + 1} changed {place or '/'}: "
                    f"{_short(before)} became {_short(after)}"
                )
        # The lengths last: what changed in those that are in both is told first.
        if len(kept) != len(questions):
            found.append(f"{len(kept)} questions became {len(questions)}")
        return found

    def between_eras(self, name: str, revision: str, questions: Sequence[Any]) -> list[str]:
        """Where a scenario's questions are others than in another revision of this run.

        Of a schema its fields count: what else stands at its top some SDKs leave out in one.
        """
        others = self._asked_now.setdefault(name, {})
        found = []
        # Compared with what was asked in this run, whatever is kept.
        for other, asked in others.items():
            if other == revision:
                continue
            if len(asked) != len(questions):
                found.append(f"there are {len(questions)} questions, in {other} {len(asked)}")
            # As far as both go; that one of them has more is told above.
            for number, (was, now) in enumerate(zip(asked, questions, strict=False)):
                for place, before, after in _differences(_common(was), _common(now)):
                    found.append(
                        f"question {number + 1} is another one than in {other}, {place or '/'}: "
                        f"{_short(before)} there, {_short(after)} here"
                    )
        others[revision] = list(questions)
        return found

    def kept_questions(self, name: str, revision: str) -> tuple[str | None, Sequence[Any]]:
        """The questions that are kept of a scenario, with their revision; None: there are none.

        `auto` means the older one, which a server is asked for first.
        """
        kept = self._kept.get(name, {})
        # Revisions are dates, so that the oldest is the first in order.
        revisions = sorted(kept) if revision == "auto" else [revision]
        for dated in revisions:
            questions = kept.get(dated)
            if isinstance(questions, list) and all(isinstance(item, dict) for item in questions):
                return dated, questions
        return None, ()

    def questions(self, name: str) -> Iterator[Kept]:
        """The questions that are kept of a scenario, revision by revision, with their lines."""
        kept: dict[str, Any] = self._kept.get(name, {})
        for revision, questions in kept.items():
            if not isinstance(questions, list):
                continue
            lines = _lines(self._text, name, revision)
            for number, question in enumerate(questions):
                if isinstance(question, dict):
                    yield Kept(revision, number, question, lines[number])

    def take_over(self, name: str, revision: str, questions: Sequence[Any]) -> None:
        """Keep these questions."""
        # Whatever would be told as a difference, the order of fields too.
        if self.differences(name, revision, questions) != []:
            self._kept.setdefault(name, {})[revision] = list(questions)
            self._changed = True

    def write(self) -> bool:
        """Write what changed; whether anything had to be. Raises UsageError.

        What was kept before stays whole where it cannot be written.
        """
        if not self._changed:
            return False
        # A link came with the scenario, maybe from a stranger.
        if not self.path.resolve().is_relative_to(self.path.parent.resolve()):
            raise UsageError(f"{self.path} leads out of its folder, and is not followed.")
        try:
            rewrite_file(self.path, f"{ascii_json(self._kept, indent=2)}\n".encode("ascii"))
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror}") from None
        self._changed = False
        return True


_DECODER: Final = json.JSONDecoder()
_BEFORE_A_NAME: Final = re.compile(r"[\s,{]*")
_BEFORE_A_VALUE: Final = re.compile(r"[\s:]*")
_BEFORE_AN_ITEM: Final = re.compile(r"[\s,\[]*")


# Found by reading along, as JSON that was read knows no lines.
def _lines(text: str, name: str, revision: str) -> list[int]:
    """The line of each question that a file keeps of one scenario in one revision."""
    lines = []
    place = _past(_BEFORE_AN_ITEM, text, _member(text, _member(text, 0, name), revision))
    line, counted = 1, 0
    while text[place] != "]":
        line += text.count("\n", counted, place)
        counted = place
        lines.append(line)
        place = _past(_BEFORE_AN_ITEM, text, _DECODER.raw_decode(text, place)[1])
    return lines


def _member(text: str, place: int, name: str) -> int:
    """Where the value of a member stands in the object that begins here, which has it."""
    while True:
        key, end = _DECODER.raw_decode(text, _past(_BEFORE_A_NAME, text, place))
        place = _past(_BEFORE_A_VALUE, text, end)
        if key == name:
            return place
        place = _DECODER.raw_decode(text, place)[1]


def _past(signs: re.Pattern[str], text: str, place: int) -> int:
    found = signs.match(text, place)
    return place if found is None else found.end()


def _common(question: Mapping[str, Any]) -> dict[str, Any]:
    """What has to be the same in every revision."""
    schema = question.get("requestedSchema")
    if not isinstance(schema, Mapping):
        return dict(question)
    kept = {key: schema[key] for key in ("properties", "required") if key in schema}
    return {**question, "requestedSchema": kept}


def _differences(was: Any, now: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The places where two JSON values differ, as JSON pointers, with both values."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        # First what was there, then what is new, each in its own order.
        for key in [*was, *(key for key in now if key not in was)]:
            before, after = was.get(key, MISSING), now.get(key, MISSING)
            yield from _differences(before, after, f"{place}/{pointer_part(key)}")
        # The order of fields is what a person sees, so it counts where nothing else differs.
        if list(was) != list(now) and was.keys() == now.keys():
            yield f"{place} (order)", list(was), list(now)
    elif not same_json(was, now):
        yield place, was, now


def _short(value: Any) -> str:
    return "nothing" if value is MISSING else excerpt(value, 120)
