"""Where logins are kept, and that one process at a time renews one."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from elicit_tui.cli.logins import described
from elicit_tui.errors import LoginError
from elicit_tui.logins import Login, LoginShelf
from elicit_tui.paths import logins_directory

CANARY = "canary-3f9a"
LOGIN = Login(
    "https://mcp.example/mcp",
    "https://as.example/",
    "https://mcp.example/mcp",
    "client-1",
    access_token=f"access-{CANARY}",
    refresh_token=f"refresh-{CANARY}",
    client_secret=f"secret-{CANARY}",
    expires_at=1000.0,
)


class FakeKeyring:
    """A keyring that holds so many characters at most, as that of Windows does."""

    def __init__(self, most: int = 2500) -> None:
        self.held: dict[str, str] = {}
        self._most = most

    def get_password(self, service_name: str, username: str) -> str | None:
        return self.held.get(username)

    def set_password(self, service_name: str, username: str, password: str) -> None:
        if len(password) > self._most:
            raise OSError("The stub received bad data.")
        self.held[username] = password

    def delete_password(self, service_name: str, username: str) -> None:
        del self.held[username]


def test_a_login_is_there_again_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    shelf = LoginShelf(tmp_path / "logins", "file")
    saved = shelf.save(LOGIN)
    assert saved.kept_in == "file"
    (file,) = (tmp_path / "logins").glob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert LoginShelf(tmp_path / "logins").of_server(LOGIN.server_url) == saved
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert CANARY not in repr(saved)


def test_the_keyring_holds_the_secrets_where_one_works(tmp_path: Path) -> None:
    keyring = FakeKeyring()
    shelf = LoginShelf(tmp_path, keyring=keyring)
    assert shelf.save(LOGIN).kept_in == "keyring"
    assert all(CANARY not in file.read_text() for file in tmp_path.glob("*.json"))
    found = shelf.of_server(LOGIN.server_url)
    assert found is not None
    assert found.access_token == LOGIN.access_token
    assert shelf.forget(LOGIN.key)
    assert not keyring.held


def test_where_a_login_is_kept_is_said() -> None:
    assert described(replace(LOGIN, kept_in="keyring")).endswith("; kept in the keyring")
    assert described(LOGIN).endswith(f"; kept in {logins_directory()}")


def test_what_a_keyring_does_not_take_is_kept_in_the_file(tmp_path: Path) -> None:
    assert LoginShelf(tmp_path, keyring=FakeKeyring(10)).save(LOGIN).kept_in == "file"
    with pytest.raises(LoginError, match="did not take the login"):
        LoginShelf(tmp_path, "keyring", FakeKeyring(10)).save(LOGIN)


def test_a_login_whose_keyring_is_away_says_so_and_holds_no_token(tmp_path: Path) -> None:
    LoginShelf(tmp_path, keyring=FakeKeyring()).save(LOGIN)
    (file,) = tmp_path.glob("*.json")
    assert json.loads(file.read_text())["kept_in"] == "keyring"
    if sys.platform.startswith("linux"):
        with pytest.raises(LoginError, match="keyring"):
            LoginShelf(tmp_path, "file").read(LOGIN.key)


@pytest.mark.parametrize("broken", [b"", b"[]", b'{"server_url": 1}', b'{"x":' * 5000, b"\xff"])
def test_a_broken_file_is_no_login_and_harms_no_other(tmp_path: Path, broken: bytes) -> None:
    shelf = LoginShelf(tmp_path, "file")
    shelf.save(LOGIN)
    (tmp_path / f"{'0' * 32}.json").write_bytes(broken)
    assert [login.client_id for login in shelf.kept()] == ["client-1"]


def test_only_the_tokens_that_failed_are_forgotten(tmp_path: Path) -> None:
    shelf = LoginShelf(tmp_path, "file")
    shelf.save(replace(LOGIN, refresh_token="newer"))
    shelf.forget_tokens(LOGIN)
    kept = shelf.read(LOGIN.key)
    assert kept is not None
    assert kept.refresh_token == "newer"
    shelf.forget_tokens(kept)
    kept = shelf.read(LOGIN.key)
    assert kept is not None
    assert (kept.access_token, kept.refresh_token, kept.client_id) == ("", None, "client-1")


def test_the_newest_login_of_a_server_counts_and_a_named_client_has_its_own(
    tmp_path: Path,
) -> None:
    shelf = LoginShelf(tmp_path, "file")
    shelf.save(LOGIN)
    shelf.save(replace(LOGIN, issuer="https://other.example/", client_id="client-2"))
    newest, first = shelf.of_server(LOGIN.server_url), shelf.of_server(LOGIN.server_url, "client-1")
    assert newest is not None
    assert first is not None
    assert (newest.client_id, first.client_id) == ("client-2", "client-1")


def test_one_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    shelf, order = LoginShelf(tmp_path), []

    async def renew(name: str) -> None:
        async with shelf.lock(LOGIN.key):
            order.append(f"{name} in")
            await asyncio.sleep(0)
            order.append(f"{name} out")

    async def both() -> None:
        await asyncio.gather(renew("a"), renew("b"))

    asyncio.run(both())
    assert [entry.split()[1] for entry in order] == ["in", "out", "in", "out"]
