"""Who may use the gateway over HTTP: named bearer tokens, of which only the SHA-256 is kept.

One 0600 file a token in the state directory; where several machines share a store on Redis, an
entry there, which all of them know. Nobody is let in without one, also on loopback: other users and
any web page can reach that too.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import math
import re
import secrets
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from elicit_tui.elicitation.request import now, rfc3339
from elicit_tui.errors import StoreError, UsageError
from elicit_tui.paths import replace_file, state_directory, write_private
from elicit_tui.store.store import SharedTokenEntries, Token

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
DIGEST: Final = re.compile(r"[0-9a-f]{64}")
PREFIX: Final = "elicit-tui_"
"""So that a token in a wrong place is recognised for what it is."""

REFRESH_SECONDS: Final = 2.0
"""How often Redis is asked who may come in."""
STALE_SECONDS: Final = 10.0
"""How old its last answer may be where somebody new is let in."""
SUFFIX: Final = ".json"
SETTLED_NANOSECONDS: Final = 2_000_000_000
"""A directory that has not changed for so long will be seen to change."""


class Tokens:
    """The tokens on disk, read anew whenever they change."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or state_directory() / "gateway" / "tokens"
        self._read_at: int | None = None
        self._tokens: tuple[Token, ...] = ()

    def add(self, name: str) -> str:
        """Make a token under a new name; what a client must show. Raises UsageError."""
        token_text, token = _fresh(name)
        kept = asdict(token)
        path = self._directory / f"{name}{SUFFIX}"
        try:
            write_private(path, json.dumps(kept).encode())
        except FileExistsError:
            raise _name_taken(name) from None
        except OSError as error:
            raise UsageError(
                f"The token could not be kept, so there is no token {name!r}: {_reason(error)}."
            ) from error
        return token_text

    def revoke(self, name: str) -> None:
        """Take a token back; its sessions end at once. Raises UsageError."""
        if name not in (token.name for token in self.listed()):
            raise UsageError(f"There is no token {name!r}.")
        try:
            (self._directory / f"{name}{SUFFIX}").unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(
                f"The token {name!r} could not be revoked and still lets in: {_reason(error)}."
            ) from error

    async def add_everywhere(self, name: str) -> str:
        """As `add`, on every machine that there is. Raises UsageError, StoreError."""
        return self.add(name)

    async def revoke_everywhere(self, name: str) -> None:
        """As `revoke`, on every machine that there is. Raises UsageError, StoreError."""
        self.revoke(name)

    @property
    def shared(self) -> tuple[Token, ...]:
        """Those that every machine knows."""
        return ()

    def listed(self) -> tuple[Token, ...]:
        """Every token, by name; those of before while they cannot be read, as without descriptors.

        Else all agents would lose their sessions, and questions, for a moment of the machine's.
        """
        try:
            changed_at = self._directory.stat().st_mtime_ns
            if changed_at == self._read_at:
                return self._tokens
            found = [_read(path) for path in sorted(self._directory.glob(f"*{SUFFIX}"))]
        except _NOBODY:
            return ()
        except OSError:
            return self._tokens
        self._tokens = tuple(token for token in found if token is not None)
        # What changes within the same tick of the file system's clock, or is still being written,
        # would not be seen otherwise.
        settled = time.time_ns() - changed_at > SETTLED_NANOSECONDS
        self._read_at = changed_at if settled else None
        return self._tokens

    def token_of(self, shown: str) -> Token | None:
        """The token that a client shows; None when it is none of ours."""
        digest = _digest(shown)
        found = None
        for token in self.listed():
            # Each is looked at, in the same time whether it is the one or not.
            if hmac.compare_digest(token.sha256, digest):
                found = token
        return found


class SharedTokens(Tokens):
    """The tokens of this machine, and those that all machines know by their store on Redis.

    What was revoked there is kept here too, and put again where Redis has lost it; so is a token
    that was let in here, unless it was revoked. Who shows a token for the first time is let in only
    while Redis can be asked.
    """

    def __init__(self, entries: SharedTokenEntries, directory: Path | None = None) -> None:
        super().__init__(directory)
        self._entries = entries
        self._shared: tuple[Token, ...] = ()
        self._asked_at = -math.inf
        self._let_in: set[Token] = set()
        self._revoked_file = self._directory.with_name("revoked-tokens")
        self._revoked = self._read_revoked()

    async def add_everywhere(self, name: str) -> str:
        """As `add`, for every machine. Raises UsageError, StoreError."""
        await self.refresh()
        shown, token = _fresh(name)
        if name in (listed.name for listed in self.listed()) or not await self._entries.add(token):
            raise _name_taken(name)
        return shown

    async def revoke_everywhere(self, name: str) -> None:
        """As `revoke`, on every machine. Raises UsageError, StoreError."""
        await self.refresh()
        shared = [token for token in self._shared if token.name == name]
        for token in shared:
            self._keep_revoked(self._revoked | {token.sha256})
            await self._entries.revoke(token.sha256, name)
        if shared:
            await self.refresh()
        # This machine may have had one of the same name before all of them did.
        if not shared or name in (token.name for token in self.listed()):
            self.revoke(name)

    async def refresh(self) -> None:
        """Ask Redis who is let in and who no more. Raises StoreError."""
        tokens, revoked = await self._entries.read()
        for lost in self._revoked - revoked:
            await self._entries.revoke(lost)
        if not revoked <= self._revoked:
            self._keep_revoked(self._revoked | revoked)
        there = [token for token in tokens if token.sha256 not in self._revoked]
        for token in self._let_in.difference(tokens):
            if token.sha256 not in self._revoked and await self._entries.add(token):
                there.append(token)
        self._shared = tuple(there)
        self._asked_at = time.monotonic()

    async def keep_fresh(self) -> None:
        """For ever: ask every now and then."""
        while True:
            with suppress(StoreError):
                await self.refresh()
            await asyncio.sleep(REFRESH_SECONDS)

    def listed(self) -> tuple[Token, ...]:
        """Every token, those of this machine first."""
        return (*super().listed(), *self._shared)

    @property
    def shared(self) -> tuple[Token, ...]:
        """Those that every machine knows."""
        return self._shared

    def token_of(self, shown: str) -> Token | None:
        """The token that a client shows; None when it is none of ours, or cannot be asked for."""
        found = super().token_of(shown)
        # One of this machine's own files, for which Redis need not be asked.
        if found is None or found not in self._shared:
            return found
        if found not in self._let_in and time.monotonic() - self._asked_at > STALE_SECONDS:
            return None
        self._let_in.add(found)
        return found

    def _read_revoked(self) -> frozenset[str]:
        """Raises UsageError: as if nothing had been revoked, some would be let in again."""
        try:
            words = self._revoked_file.read_text(encoding="ascii", errors="replace").split()
        except (FileNotFoundError, NotADirectoryError):
            return frozenset()
        except OSError as error:
            raise UsageError(
                "Which tokens were revoked cannot be read, so nobody is let in: "
                f"{_reason(error)} ({self._revoked_file})."
            ) from error
        return frozenset(filter(str.isascii, words))

    def _keep_revoked(self, revoked: frozenset[str]) -> None:
        self._revoked = revoked
        try:
            replace_file(self._revoked_file, "\n".join(sorted(revoked)).encode() + b"\n")
        except OSError:
            return  # It is known here as long as this process lives, and on the others.


def _fresh(name: str) -> tuple[str, Token]:
    """What a client must show, and how it is kept. Raises UsageError."""
    if not NAME.fullmatch(name):
        raise UsageError(f"A token's name is letters, digits, '.', '_' and '-': {name!r} is not.")
    shown = PREFIX + secrets.token_urlsafe(32)
    return shown, Token(name, _digest(shown), rfc3339(now()))


def _name_taken(name: str) -> UsageError:
    return UsageError(
        f"There is a token {name!r} already; `elicit-tui gateway token revoke {name}` takes it"
        " back."
    )


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


_NOBODY: Final = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)
"""What lets nobody in; any other failure to read says nothing of a token."""


def _read(path: Path) -> Token | None:
    try:
        kept = json.loads(path.read_bytes())
        token = Token(str(kept["name"]), str(kept["sha256"]), str(kept["added"]))
    except (*_NOBODY, ValueError, KeyError, TypeError):
        return None
    # A file that was copied, renamed or changed by hand lets nobody in, and keeps nobody out.
    is_whole = DIGEST.fullmatch(token.sha256) and token.name == path.name.removesuffix(SUFFIX)
    return token if is_whole else None
