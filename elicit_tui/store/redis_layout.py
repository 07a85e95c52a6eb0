"""How the store stands in Redis: its keys, and what a question and a process are in them.

et:{SESSION}:session      hash    there while the session lives
et:{SESSION}:questions    zset    ids by when they were put
et:{SESSION}:q:ID         hash    one question; `version` is another one after each change,
                              `number` tells in which order they were put
et:{SESSION}:grants       hash    what is allowed, and since when
et:{index}:meta           hash    version of this layout, a name for this life of Redis, key id
et:{index}:sessions       hash    session → process and agent
et:{index}:ended          zset    sessions that ended within the hour
et:{index}:processes      hash    process → what it is
et:{index}:beats          zset    process → when it last said that it lives
et:{index}:log            stream  N-0 → session, question
et:{index}:number         string  N

`redis_scripts` has all that changes them; the calls of agents are in `redis_calls`, their tokens in
`redis_tokens`. Whoever can write to that Redis may have written anything: what is read here is a
noun of the right types, or it is nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, Final, TypeVar, get_args, get_type_hints

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import StoreError
from elicit_tui.store.living import is_same_process, machine_id
from elicit_tui.store.nouns import whole
from elicit_tui.store.store import Role
from elicit_tui.store.transitions import StoredQuestion

Noun = TypeVar("Noun")

LAYOUT: Final = 1
META, SESSIONS, ENDED = "et:{index}:meta", "et:{index}:sessions", "et:{index}:ended"
PROCESSES, BEATS = "et:{index}:processes", "et:{index}:beats"
LOG, NUMBER = "et:{index}:log", "et:{index}:number"

_READERS: Final[Mapping[Any, Callable[[bytes], Any]]] = {bytes: bytes, int: int, float: float}
"""How a column is read that is no text."""


def _reader(kind: Any) -> Callable[[bytes], Any]:
    """How a column of this type is read, with `None` beside it or without."""
    found = (_READERS[part] for part in (kind, *get_args(kind)) if part in _READERS)
    return next(found, bytes.decode)


_COLUMNS: Final = {name: _reader(kind) for name, kind in get_type_hints(StoredQuestion).items()}


@dataclass(frozen=True)
class Process:
    """A process as the others see it."""

    life: str
    number: int
    began: float
    machine: str
    role: Role
    last_key_at: float | None
    beat_at: float

    @property
    def is_here(self) -> bool:
        """Whether it is, or was, a process of this machine."""
        return self.machine == machine_id()

    def lives(self, at: float, limit: float) -> bool:
        """Whether it lives: on this machine the system knows, elsewhere its beats tell."""
        if self.is_here:
            return is_same_process(self.number, self.began)
        return at - self.beat_at <= limit


def key(session: str, name: str) -> str:
    """A key of a session; what stands in braces decides its node."""
    return f"et:{{{session}}}:{name}"


def read_command(key: str) -> tuple[str, ...]:
    """The command that reads a key of this layout as what it is."""
    name = key.rpartition("}:")[2].partition(":")[0]
    if name in ("questions", "ended", "beats"):
        return ("ZRANGE", key, "0", "0")
    if name == "log":
        return ("XRANGE", key, "-", "+", "COUNT", "1")
    return ("GET", key) if name in ("number", "last") else ("HGET", key, "version")


def pairs(reply: Any) -> dict[bytes, bytes]:
    """What HGETALL returns, by a script or by itself."""
    return (
        dict(reply)
        if isinstance(reply, Mapping)
        else dict(zip(reply[::2], reply[1::2], strict=True))
    )


def json_object(text: bytes) -> dict[str, Any]:
    """Reads a JSON object; an empty one where it is none."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def name_in(word: bytes) -> str:
    """A name as it stands in Redis; what nobody of ours wrote there is one that leads nowhere."""
    return word.decode("utf-8", "replace")


def figures_in(word: bytes | None) -> int:
    """A number that all of the store hangs on. Raises StoreError for what is none."""
    try:
        return int(word or b"")
    except ValueError:
        raise StoreError("The store cannot be read: something else wrote to it.") from None


def number_in(columns: Mapping[bytes, bytes]) -> int:
    """In which order a question was put."""
    try:
        return int(columns.get(b"number", b"0"))
    except ValueError:
        return 0


def columns_of(question: StoredQuestion) -> dict[str, Any]:
    """A question as the fields of a hash; what is None stands in none."""
    return {
        # `repr` keeps all digits of a time; Redis would take a float in its own spelling.
        part.name: repr(value) if isinstance(value, float) else value
        for part in fields(StoredQuestion)
        if (value := getattr(question, part.name)) is not None
    }


def question_in(columns: Mapping[bytes, bytes]) -> StoredQuestion | None:
    """The question in the fields of a hash; None where there is none, or none of ours."""
    try:
        found = {
            name: None if (word := columns.get(name.encode())) is None else read(word)
            for name, read in _COLUMNS.items()
        }
    except ValueError:
        return None
    # What is None stands in no field, so that the column's default holds.
    optional = {part.name for part in fields(StoredQuestion) if part.default is not MISSING}
    given = {name: v for name, v in found.items() if v is not None or name not in optional}
    return whole(StoredQuestion, **given)


def question_at(
    session: str, question_id: str, columns: Mapping[bytes, bytes]
) -> StoredQuestion | None:
    """The question that stands there; None also for the copy of one that belongs elsewhere."""
    found = question_in(columns)
    is_there = found is not None and (found.session, found.id) == (session, question_id)
    return found if is_there else None


def processes_in(about: Any, beats: Sequence[bytes]) -> list[Process]:
    """The processes that said that they live, with when they last did."""
    beat_at = dict(zip(beats[::2], map(float, beats[1::2]), strict=True))
    found = []
    for life, text in pairs(about).items():
        values = {**json_object(text), "life": name_in(life), "beat_at": beat_at.get(life, 0.0)}
        if (process := whole(Process, **values)) is not None:
            found.append(process)
    return found
