"""How `gateway doctor` and the gateways of one agent tell each other something: two private files.

The doctor's request stands in one and is kept fresh while the doctor runs; gateways write what they
see of the agent's patience into the other, a JSON line each. From these the doctor tells how long
an agent waits, and how long to hold.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ConfigError
from elicit_tui.paths import create_private, replace_file, state_directory

LEAST_HOLD_SECONDS: Final = 1.0
FRESH_SECONDS: Final = 15.0
"""A request that was not renewed for so long is that of a doctor that died."""

CallEnd = Literal["gave up", "longest", "silent"]
"""How a measured call ended: its client took it back or hung up, it was held as long as was
wished, or its client went on without a word."""


@dataclass(frozen=True)
class DoctorRequest:
    """What a doctor wants to know."""

    agent: str
    longest: float
    """Seconds after which a call is answered that its agent still waits for."""
    every: float
    """Seconds between two signs of progress."""
    nonce: str


@dataclass(frozen=True)
class Observation:
    """What a gateway saw of one call of `elicit_doctor`."""

    call: str
    event: Literal["began", "waits", "ended"]
    progress: bool
    """Whether signs of progress were sent: wished, and asked for by the client."""
    token: bool
    """Whether the client asked for progress."""
    http: bool
    seconds: float
    client: str
    """What the client calls itself, and its version."""
    how: CallEnd | None = None
    proof: str | None = None
    """By which the doctor sees that both have the same secret of the store."""
    started_by: Sequence[str] = ()
    """Over stdio: names of the processes that started it, the agent's as the last."""


def proof_of(secret: str | None, nonce: str) -> str | None:
    """A digest that tells two equal secrets, and nothing about them."""
    if not secret:
        return None
    import hmac  # here, since the front asks only whether there is a doctor

    return hmac.new(
        secret.encode("utf-8", "surrogateescape"), nonce.encode(), hashlib.sha256
    ).hexdigest()


def _folder() -> Path:
    return state_directory() / "gateway" / "doctor"


def doctor_asks() -> bool:
    """Whether a doctor that is there may want to know something of some agent."""
    with contextlib.suppress(ConfigError, OSError):
        return any(path.suffix == ".json" and _is_fresh(path) for path in _folder().iterdir())
    return False


def _is_fresh(request: Path) -> bool:
    """Whether the doctor whose request this is still renews it. Raises OSError."""
    # A second of room, as file systems and clocks round in their own ways.
    return 0 <= time.time() - request.stat().st_mtime + 1 < FRESH_SECONDS + 1


class DoctorFiles:
    """The two files of one agent."""

    def __init__(self, agent: str) -> None:
        """Raises ConfigError where nobody knows where our files are."""
        folder = _folder()
        self.request_file = folder / f"{agent}.json"
        self._observations = folder / f"{agent}.jsonl"

    # The doctor's side

    @contextlib.contextmanager
    def asking(self, request: DoctorRequest) -> Iterator[None]:
        """Within this gateways of the agent offer the measuring tool. Raises ConfigError."""
        try:
            self._observations.unlink(missing_ok=True)
            replace_file(self.request_file, json.dumps(asdict(request)).encode())
        except OSError as error:
            raise ConfigError([f"{self.request_file}: {error.strerror}"]) from None
        try:
            yield
        finally:
            self.request_file.unlink(missing_ok=True)
            self._observations.unlink(missing_ok=True)

    def renew(self) -> None:
        """Say that the doctor is still there."""
        with contextlib.suppress(OSError):
            os.utime(self.request_file)

    def observations(self) -> list[Observation]:
        """Everything that was seen so far, in order."""
        try:
            # The last piece is not whole yet.
            lines = self._observations.read_bytes().split(b"\n")[:-1]
        except OSError:
            return []
        return [seen for line in lines if (seen := _read(line)) is not None]

    # The gateway's side

    def request(self) -> DoctorRequest | None:
        """What a doctor that is there wants to know of this agent; None: there is none."""
        try:
            if not _is_fresh(self.request_file):
                return None
            values: Mapping[str, Any] = json.loads(self.request_file.read_bytes())
            return DoctorRequest(**values)
        except (OSError, ValueError, TypeError):
            return None

    def add(self, observation: Observation) -> None:
        """Tell the doctor what was seen of a call."""
        # Made first, so that it is private from its first moment.
        with contextlib.suppress(FileExistsError, OSError):
            create_private(self._observations).close()
        with contextlib.suppress(OSError), Path(self._observations).open("ab") as file:
            file.write(json.dumps(asdict(observation)).encode() + b"\n")


def _read(line: bytes) -> Observation | None:
    """What a gateway wrote; None: it is of another version, which tells other things."""
    try:
        return Observation(**json.loads(line))
    except (ValueError, TypeError):
        return None


def files_of(agent: str) -> DoctorFiles | None:
    """The same; None where nobody knows where our files are."""
    try:
        return DoctorFiles(agent)
    except ConfigError:
        return None


# What a doctor makes of it


@dataclass(frozen=True)
class Patience:
    """How long the agent waited in one measured call."""

    progress: bool
    token: bool
    http: bool
    seconds: float
    at_least: bool
    """It would have waited longer."""
    silent: bool
    """It gave up without a word; the time is that of its next call, and may be too long."""
    client: str

    @property
    def hold(self) -> int:
        """Seconds that a call may be held so that its answer still arrives."""
        # A fifth less than was measured, at most ten seconds and at least one: answers take time.
        return int(max(LEAST_HOLD_SECONDS, self.seconds - max(min(10, self.seconds / 5), 1)))


def measured(observations: Sequence[Observation]) -> list[Patience]:
    """Every call that has ended, in order."""
    return [
        Patience(
            observation.progress,
            observation.token,
            observation.http,
            observation.seconds,
            observation.how == "longest",
            observation.how == "silent",
            observation.client,
        )
        for observation in observations
        if observation.event == "ended"
    ]


def decisive(found: Sequence[Patience]) -> Patience | None:
    """The one that holds in a session: with progress, where the client asks for it."""
    ticked = [observation for observation in found if observation.progress]
    # The last one that was measured: an agent may have been set to another time since.
    return next(reversed(ticked or found), None)
