"""Who may use the gateway over HTTP: named bearer tokens, of which only the SHA-256 is kept.

One 0600 file a token in the state directory. Nobody is let in without one, also on loopback: other
users and any web page can reach that too.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from elicit_tui.elicitation.request import now, rfc3339
from elicit_tui.errors import UsageError
from elicit_tui.paths import create_private, state_directory

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
PREFIX: Final = "elicit-tui_"
"""So that a token in a wrong place is recognised for what it is."""

SUFFIX: Final = ".json"
SETTLED_NANOSECONDS: Final = 2_000_000_000
"""A directory that has not changed for so long will be seen to change."""


@dataclass(frozen=True)
class Token:
    """A token as it is kept: enough to know it again, not to use it."""

    name: str
    sha256: str
    added: str
    """RFC 3339."""


class Tokens:
    """The tokens on disk, read anew whenever they change."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or state_directory() / "gateway" / "tokens"
        self._read_at: int | None = None
        self._tokens: tuple[Token, ...] = ()

    def add(self, name: str) -> str:
        """Make a token under a new name; what a client must show. Raises UsageError."""
        if not NAME.fullmatch(name):
            raise UsageError(
                f"A token's name is letters, digits, '.', '_' and '-': {name!r} is not."
            )
        token = PREFIX + secrets.token_urlsafe(32)
        kept = {"name": name, "sha256": _digest(token), "added": rfc3339(now())}
        path = self._directory / f"{name}{SUFFIX}"
        try:
            file = create_private(path)
        except FileExistsError:
            raise UsageError(
                f"There is a token {name!r} already; `elicit-tui gateway token revoke {name}` "
                "takes it back."
            ) from None
        except OSError as error:
            raise self._not_kept(name, error) from error
        try:
            with file:
                file.write(json.dumps(kept).encode())
        except OSError as error:
            path.unlink()
            raise self._not_kept(name, error) from error
        return token

    @staticmethod
    def _not_kept(name: str, error: OSError) -> UsageError:
        why = error.strerror or type(error).__name__
        return UsageError(f"The token could not be kept, so there is no token {name!r}: {why}.")

    def revoke(self, name: str) -> None:
        """Take a token back; its sessions end at once. Raises UsageError."""
        if name not in (token.name for token in self.listed()):
            raise UsageError(f"There is no token {name!r}.")
        (self._directory / f"{name}{SUFFIX}").unlink(missing_ok=True)

    def listed(self) -> tuple[Token, ...]:
        """Every token, by name."""
        try:
            changed_at = self._directory.stat().st_mtime_ns
        except OSError:
            return ()
        if changed_at != self._read_at:
            found = (_read(path) for path in sorted(self._directory.glob(f"*{SUFFIX}")))
            self._tokens = tuple(token for token in found if token is not None)
            # What changes within the same tick of the file system's clock, or is still being
            # written, would not be seen otherwise.
            settled = time.time_ns() - changed_at > SETTLED_NANOSECONDS
            self._read_at = changed_at if settled else None
        return self._tokens

    def known(self, shown: str) -> Token | None:
        """The token that a client shows; None when it is none of ours."""
        digest = _digest(shown)
        found = None
        for token in self.listed():
            # Each is looked at, in the same time whether it is the one or not.
            if hmac.compare_digest(token.sha256, digest):
                found = token
        return found


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _read(path: Path) -> Token | None:
    try:
        kept = json.loads(path.read_bytes())
        token = Token(str(kept["name"]), str(kept["sha256"]), str(kept["added"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return token if token.name == path.name.removesuffix(SUFFIX) else None
