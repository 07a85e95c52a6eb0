"""Where logins are kept: one 0600 file each, its secrets in the keyring where one works.

A login is renewed by one process at a time, under `lock`, which is held from before the request to
behind the save: an authorization server that gives out a new refresh token with each renewal takes
the second use of an old one for theft, and ends the whole login (RFC 9700, 4.14.2).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from elicit_tui.errors import LoginError
from elicit_tui.logins.login import SECRETS, Login, LoginKey, login_from
from elicit_tui.paths import keep_private, lock_beside, private_directory, replace_file

SERVICE: Final = "elicit-tui"
"""Under which the keyring keeps secrets."""
LOCK_SECONDS: Final = 90.0
"""How long a renewal by another process is waited for: longer than a request may take."""
POLL_SECONDS: Final = 0.05
LARGEST: Final = 1024 * 1024
"""Bytes of a file that can be a login."""

Keeping = Literal["auto", "keyring", "file"]


class Keyring(Protocol):
    """What is needed of a keyring; the library's functions block and may ask the person."""

    def get_password(self, service_name: str, username: str) -> str | None:
        """The secret, if there is one."""

    def set_password(self, service_name: str, username: str, password: str) -> None:
        """Keep a secret."""

    def delete_password(self, service_name: str, username: str) -> None:
        """Forget a secret."""


def system_keyring() -> Keyring | None:
    """The system's keyring; None where there is none that keeps what it is given in safety."""
    if sys.platform.startswith("linux") and not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return None  # Nothing could answer, and the library takes a while to find that out.
    try:
        import keyring
        from keyring.backends import chainer, fail, null

        backend = keyring.get_keyring()
    except Exception:  # noqa: BLE001 - a backend that cannot be loaded is none
        return None
    if isinstance(backend, (fail.Keyring, null.Keyring)) or backend.priority < 1:
        return None
    if isinstance(backend, chainer.ChainerBackend) and not backend.backends:
        return None
    kept: Keyring = backend
    return kept


class LoginShelf:
    """The logins of one person on one machine."""

    def __init__(
        self, directory: Path, keeping: Keeping = "auto", keyring: Keyring | None = None
    ) -> None:
        """`keyring`: in place of the system's."""
        self._directory = directory
        self._keeping = keeping
        self._given = keyring

    def _keyring(self) -> Keyring | None:
        return self._given if self._given is not None else system_keyring()

    def _file(self, key: LoginKey) -> Path:
        return self._directory / f"{key}.json"

    # Reading

    def stamp(self, key: LoginKey) -> int | None:
        """Changes whenever the login does; None: it is not there."""
        with suppress(OSError):
            # Enough to see that a login is another, without opening the file and asking the
            # keyring.
            return self._file(key).stat().st_mtime_ns
        return None

    def read(self, key: LoginKey) -> Login | None:
        """The login of this key, secrets included. Raises LoginError when its secrets are away."""
        held = self._open_part(self._file(key))
        if held is None or held.kept_in != "keyring":
            return held
        return replace(held, **self._secrets_in_keyring(held))

    def _open_part(self, file: Path) -> Login | None:
        """What a file holds; nothing where a keyring has its secrets under another name."""
        try:
            # What others may read or write is no login of this person's.
            if keep_private(file) is not None or file.stat().st_size > LARGEST:
                return None
            login = login_from(json.loads(file.read_bytes()))
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        if file.stem == login.key:
            return login
        # As earlier versions named it: by less than what makes it another.
        with suppress(OSError):
            if login.kept_in == "file" and not self._file(login.key).exists():
                file.rename(self._file(login.key))
                return login
        return None

    def _secrets_in_keyring(self, login: Login) -> dict[str, Any]:
        keyring = self._keyring()
        text = None
        if keyring is not None:
            try:
                text = keyring.get_password(SERVICE, login.key)
            # Only its kind is told: what it says may hold the secret.
            except Exception as error:  # noqa: BLE001 - backends raise what they like
                text, name = None, type(error).__name__
                raise LoginError(f"The keyring does not give out the login ({name}).") from None
        if keyring is None:
            raise LoginError("The login is kept in the keyring, which cannot be reached here.")
        with suppress(ValueError, AttributeError):
            held = json.loads(text or "{}")
            return {name: held[name] for name in SECRETS if isinstance(held.get(name), str)}
        return {}

    def kept(self) -> tuple[Login, ...]:
        """Every login, without the secrets that a keyring holds; the newest first."""
        files = sorted(self._directory.glob("*.json")) if self._directory.is_dir() else []
        found = [login for file in files if (login := self._open_part(file)) is not None]
        # Whoever logged in last meant this one.
        return tuple(sorted(found, key=lambda login: -login.saved_at))

    def of_server(self, server_url: str, client_id: str | None = None) -> Login | None:
        """The newest login for this address, secrets included. Raises LoginError.

        `client_id`: only one of this client.
        """
        for login in self.kept():
            if login.server_url == server_url and client_id in (None, login.client_id):
                return self.read(login.key)
        return None

    # Writing

    def save(self, login: Login) -> Login:
        """Keep a login, whole or not at all; with where its secrets are. Raises LoginError."""
        keyring = None if self._keeping == "file" else self._keyring()
        if keyring is None and self._keeping == "keyring":
            # The owner wants it there or nowhere.
            raise LoginError('logins.store = "keyring", and no keyring works here.')
        login = replace(
            login, saved_at=time.time(), kept_in="file", has_token=bool(login.access_token)
        )
        if keyring is not None:
            try:
                # Secrets first: a file that says "keyring" must find them there.
                keyring.set_password(SERVICE, login.key, json.dumps(login.secret_part()))
                login = replace(login, kept_in="keyring")
            except Exception as error:  # noqa: BLE001 - too long for it, locked, refused
                if self._keeping == "keyring":
                    name = type(error).__name__
                    raise LoginError(f"The keyring did not take the login ({name}).") from None
        held = login.open_part()
        # Both parts in one file, where the keyring takes nothing.
        if login.kept_in == "file":
            held.update(login.secret_part())
        try:
            private_directory(self._directory)
            replace_file(self._file(login.key), json.dumps(held).encode())
        except OSError as error:
            raise LoginError(f"The login could not be kept: {error.strerror}.") from None
        return login

    def forget(self, key: LoginKey) -> bool:
        """Remove a login, wherever it is; whether there was one. Raises LoginError."""
        login = self._open_part(self._file(key))
        if login is not None and login.kept_in == "keyring":
            # Secrets first here, too: without its file nobody would find them any more.
            self._forget_in_keyring(key)
        elif login is not None:
            # Older ones may be there still: it took them once, and refused those that came then.
            with suppress(LoginError):
                self._forget_in_keyring(key)
        try:
            self._file(key).unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise LoginError(f"The login could not be removed: {error.strerror}.") from None
        return True

    def _forget_in_keyring(self, key: LoginKey) -> None:
        keyring = self._keyring()
        if keyring is None:
            raise LoginError("The login is kept in the keyring, which cannot be reached here.")
        try:
            if keyring.get_password(SERVICE, key) is not None:
                keyring.delete_password(SERVICE, key)
        except Exception as error:  # noqa: BLE001 - backends raise what they like
            name = type(error).__name__
            raise LoginError(f"The keyring did not remove the login ({name}).") from None

    def forget_tokens(self, failed: Login) -> None:
        """Remove the tokens that failed, if they are the ones that are kept; never any others.

        The registration stays: another login of the same client needs it.
        """
        kept = self.read(failed.key)
        # Another process may have a newer one by now, which works.
        if kept is not None and kept.refresh_token == failed.refresh_token:
            self.save(replace(kept, access_token="", refresh_token=None, expires_at=None))

    @asynccontextmanager
    async def lock(self, key: LoginKey) -> AsyncIterator[None]:
        """Within this no other process renews or saves the login. Raises LoginError.

        The system lets go of it when the process ends, however it ends.
        """
        with ExitStack() as held:
            try:
                for _ in held.enter_context(lock_beside(self._directory / key, LOCK_SECONDS)):
                    await asyncio.sleep(POLL_SECONDS)
            except TimeoutError:
                sentence = "Another process has been renewing this login for too long."
                raise LoginError(sentence) from None
            except OSError as error:
                raise LoginError(f"The login could not be locked: {error.strerror}.") from None
            yield
