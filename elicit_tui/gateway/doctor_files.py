"""How `gateway doctor` and the gateways of one agent tell each other something: two private files.

The doctor's wish stands in one and is kept fresh while the doctor runs; gateways write what they
see of the agent's patience into the other, a JSON line each.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from elicit_tui.errors import ConfigError
from elicit_tui.paths import create_private, replace_file, state_directory

FRESH_SECONDS: Final = 15.0
"""A wish that was not renewed for so long is that of a doctor that died."""

How = Literal["gave up", "longest", "silent"]
"""How a measured call ended: its client took it back or hung up, it was held as long as was
wished, or its client went on without a word."""


@dataclass(frozen=True)
class Examination:
    """What a doctor wants to know."""

    agent: str
    longest: float
    """Seconds after which a call is answered that its agent still waits for."""
    every: float
    """Seconds between two signs of progress."""
    nonce: str


@dataclass(frozen=True)
class Sight:
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
    how: How | None = None
    proof: str | None = None
    """By which the doctor sees that both have the same secret of the store."""


def proof_of(secret: str | None, nonce: str) -> str | None:
    """A digest that tells two equal secrets, and nothing about them."""
    if not secret:
        return None
    return hmac.new(
        secret.encode("utf-8", "surrogateescape"), nonce.encode(), hashlib.sha256
    ).hexdigest()


class DoctorFiles:
    """The two files of one agent."""

    def __init__(self, agent: str) -> None:
        """Raises ConfigError where nobody knows where our files are."""
        folder = state_directory() / "gateway" / "doctor"
        self._wish = folder / f"{agent}.json"
        self._sights = folder / f"{agent}.jsonl"

    # The doctor's side

    @contextlib.contextmanager
    def wishing(self, wish: Examination) -> Iterator[None]:
        """Within this gateways of the agent offer the measuring tool. Raises ConfigError."""
        try:
            self._sights.unlink(missing_ok=True)
            replace_file(self._wish, json.dumps(asdict(wish)).encode())
        except OSError as error:
            raise ConfigError([f"{self._wish}: {error.strerror}"]) from None
        try:
            yield
        finally:
            self._wish.unlink(missing_ok=True)
            self._sights.unlink(missing_ok=True)

    def renew(self) -> None:
        """Say that the doctor is still there."""
        with contextlib.suppress(OSError):
            os.utime(self._wish)

    def sights(self) -> list[Sight]:
        """Everything that was seen so far, in order."""
        try:
            lines = self._sights.read_bytes().split(b"\n")[:-1]
        except OSError:
            return []
        return [Sight(**json.loads(line)) for line in lines]

    # The gateway's side

    def wish(self) -> Examination | None:
        """What a doctor that is there wants to know of this agent; None: there is none."""
        try:
            if not 0 <= time.time() - self._wish.stat().st_mtime + 1 < FRESH_SECONDS + 1:
                return None
            values: Mapping[str, Any] = json.loads(self._wish.read_bytes())
            return Examination(**values)
        except (OSError, ValueError, TypeError):
            return None

    def saw(self, sight: Sight) -> None:
        """Tell the doctor what was seen of a call."""
        with contextlib.suppress(FileExistsError, OSError):
            create_private(self._sights).close()
        with contextlib.suppress(OSError), Path(self._sights).open("ab") as file:
            file.write(json.dumps(asdict(sight)).encode() + b"\n")


def files_of(agent: str) -> DoctorFiles | None:
    """The same; None where nobody knows where our files are."""
    try:
        return DoctorFiles(agent)
    except ConfigError:
        return None
