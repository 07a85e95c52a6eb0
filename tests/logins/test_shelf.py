"""Where logins are kept, and that one process at a time renews one."""

from __future__ import annotations

import asyncio
import errno
import json
import stat
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui import paths
from elicit_tui.cli.logins import described
from elicit_tui.errors import LoginError
from elicit_tui.logins import Login, LoginShelf
from elicit_tui.logins import shelf as shelf_module
from elicit_tui.logins.login import login_from
from elicit_tui.logins.shelf import system_keyring
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
        self.most = most

    def get_password(self, service_name: str, username: str) -> str | None:
        return self.held.get(username)

    def set_password(self, service_name: str, username: str, password: str) -> None:
        if len(password) > self.most:
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


@pytest.mark.parametrize("keeping", ["auto", "file"])
def test_what_a_keyring_took_before_it_refused_is_forgotten_with_the_login(
    tmp_path: Path, keeping: Any
) -> None:
    keyring = FakeKeyring()
    LoginShelf(tmp_path, keyring=keyring).save(LOGIN)
    keyring.most = 10
    shelf = LoginShelf(tmp_path, keeping, keyring)
    assert shelf.save(LOGIN).kept_in == "file"
    assert shelf.forget(LOGIN.key)
    assert not keyring.held


def test_a_login_in_its_file_is_forgotten_whatever_a_keyring_says(tmp_path: Path) -> None:
    LoginShelf(tmp_path, "file").save(LOGIN)
    assert LoginShelf(tmp_path, keyring=Refusing()).forget(LOGIN.key)
    assert not [*tmp_path.glob("*.json")]


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


@pytest.mark.parametrize("keyring", [None, FakeKeyring()], ids=["file", "keyring"])
def test_without_its_tokens_a_login_is_of_no_use_wherever_it_is_kept(
    tmp_path: Path, keyring: FakeKeyring | None
) -> None:
    shelf = LoginShelf(tmp_path, "file" if keyring is None else "keyring", keyring)
    shelf.save(LOGIN)
    (kept,) = shelf.kept()
    assert kept.is_of_use
    shelf.forget_tokens(LOGIN)
    (kept,) = shelf.kept()
    assert not kept.is_of_use


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


def test_two_servers_of_one_host_with_one_client_have_a_login_each(tmp_path: Path) -> None:
    shelf = LoginShelf(tmp_path, "file")
    host = replace(LOGIN, resource="https://mcp.example/")
    one, other = (replace(host, server_url=f"https://mcp.example/{name}") for name in "ab")
    for login in (one, other):
        shelf.save(replace(login, access_token=f"of {login.server_url}"))
    for login in (one, other):
        found = shelf.of_server(login.server_url)
        assert found is not None
        assert found.access_token == f"of {login.server_url}"


def test_a_login_under_an_earlier_name_is_kept_under_its_own(tmp_path: Path) -> None:
    shelf = LoginShelf(tmp_path, "file")
    shelf.save(LOGIN)
    (file,) = tmp_path.glob("*.json")
    file.rename(tmp_path / "earlier.json")
    found = shelf.of_server(LOGIN.server_url)
    assert found is not None
    assert found.access_token == LOGIN.access_token
    assert [*tmp_path.glob("*.json")] == [file]
    # A second one of the same login is none beside it.
    (tmp_path / "earlier.json").write_bytes(file.read_bytes())
    (tmp_path / "earlier.json").chmod(0o600)
    assert len(shelf.kept()) == 1
    by_keyring = LoginShelf(tmp_path / "other", "keyring", FakeKeyring())
    by_keyring.save(LOGIN)
    (file,) = (tmp_path / "other").glob("*.json")
    file.rename(tmp_path / "other" / "earlier.json")
    assert by_keyring.kept() == ()


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


class Refusing(FakeKeyring):
    """A keyring that fails whatever is asked of it, in words that hold a secret."""

    def get_password(self, service_name: str, username: str) -> str | None:
        raise RuntimeError(CANARY)

    def set_password(self, service_name: str, username: str, password: str) -> None:
        raise RuntimeError(CANARY)


@pytest.mark.parametrize("what", ["read", "forget"])
def test_a_keyring_that_fails_is_told_without_its_words_and_the_login_stays(
    tmp_path: Path, what: str
) -> None:
    LoginShelf(tmp_path, keyring=FakeKeyring()).save(LOGIN)
    shelf = LoginShelf(tmp_path, keyring=Refusing())
    with pytest.raises(
        LoginError, match=r"The keyring d.* not .* the login \(RuntimeError\)"
    ) as raised:
        getattr(shelf, what)(LOGIN.key)
    assert CANARY not in str(raised.value)
    assert (raised.value.__cause__, raised.value.__suppress_context__) == (None, True)
    assert len(shelf.kept()) == 1


def test_a_login_whose_keyring_is_away_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    LoginShelf(tmp_path, keyring=FakeKeyring()).save(LOGIN)
    monkeypatch.setattr("elicit_tui.logins.shelf.system_keyring", lambda: None)
    shelf = LoginShelf(tmp_path)
    for reached in (shelf.read, shelf.forget):
        with pytest.raises(LoginError, match="kept in the keyring, which cannot be reached"):
            reached(LOGIN.key)
    assert len(shelf.kept()) == 1


@pytest.mark.parametrize("held", [None, "", "no JSON", "[]", '{"access_token": 5}'])
def test_what_a_keyring_lost_or_garbled_is_a_login_without_tokens(
    tmp_path: Path, held: str | None
) -> None:
    keyring = FakeKeyring()
    shelf = LoginShelf(tmp_path, keyring=keyring)
    shelf.save(LOGIN)
    del keyring.held[LOGIN.key]
    if held is not None:
        keyring.held[LOGIN.key] = held
    found = shelf.read(LOGIN.key)
    assert found is not None
    assert (found.access_token, found.refresh_token, found.client_secret) == ("", None, None)
    assert found.client_id == LOGIN.client_id
    assert shelf.forget(LOGIN.key)
    assert shelf.kept() == ()


def test_who_wants_the_file_has_it_and_who_wants_the_keyring_has_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring = FakeKeyring()
    assert LoginShelf(tmp_path, "file", keyring).save(LOGIN).kept_in == "file"
    assert keyring.held == {}
    assert LoginShelf(tmp_path, "keyring", keyring).save(LOGIN).kept_in == "keyring"
    assert CANARY not in (tmp_path / f"{LOGIN.key}.json").read_text()
    monkeypatch.setattr("elicit_tui.logins.shelf.system_keyring", lambda: None)
    with pytest.raises(LoginError, match="no keyring works here"):
        LoginShelf(tmp_path / "other", "keyring").save(LOGIN)
    assert not (tmp_path / "other").exists()
    assert LoginShelf(tmp_path).save(LOGIN).kept_in == "file"


def test_without_a_session_bus_no_keyring_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert system_keyring() is None


def test_a_login_changes_its_stamp_and_what_is_not_there_has_none(tmp_path: Path) -> None:
    shelf = LoginShelf(tmp_path / "logins", "file")
    assert (shelf.stamp(LOGIN.key), shelf.read(LOGIN.key), shelf.kept()) == (None, None, ())
    assert not shelf.forget(LOGIN.key)
    shelf.save(LOGIN)
    first = shelf.stamp(LOGIN.key)
    shelf.save(replace(LOGIN, scope="more"))
    assert first is not None
    assert shelf.stamp(LOGIN.key) not in (None, first)
    assert shelf.of_server("https://elsewhere.example/mcp") is None
    assert shelf.of_server(LOGIN.server_url, "client-2") is None
    assert shelf.forget(LOGIN.key)
    assert shelf.kept() == ()


def test_logins_are_listed_the_newest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = LoginShelf(tmp_path, "file")
    for moment, client in ((20.0, "b"), (30.0, "c"), (10.0, "a")):
        monkeypatch.setattr(shelf_module, "time", SimpleNamespace(time=lambda now=moment: now))
        shelf.save(replace(LOGIN, client_id=client))
    assert [(login.client_id, login.saved_at) for login in shelf.kept()] == [
        ("c", 30.0),
        ("b", 20.0),
        ("a", 10.0),
    ]


def test_a_file_that_is_too_large_or_others_could_write_is_no_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = LoginShelf(tmp_path, "file")
    shelf.save(LOGIN)
    file = tmp_path / f"{LOGIN.key}.json"
    monkeypatch.setattr(shelf_module, "LARGEST", file.stat().st_size - 1)
    assert shelf.kept() == ()
    monkeypatch.undo()
    assert len(shelf.kept()) == 1
    target = tmp_path / "target"
    file.rename(target)
    file.symlink_to(target)
    assert shelf.kept() == ()


def test_where_nothing_can_be_written_a_login_is_not_kept_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "logins").write_text("no folder")
    with pytest.raises(LoginError, match="could not be kept"):
        LoginShelf(tmp_path / "logins", "file").save(LOGIN)


def test_a_lock_that_another_holds_for_too_long_is_given_up_and_is_free_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf_module, "LOCK_SECONDS", 0.05)
    shelf = LoginShelf(tmp_path)

    async def twice() -> None:
        async with shelf.lock(LOGIN.key):
            async with shelf.lock("another"):
                pass
            with pytest.raises(LoginError, match="renewing this login for too long"):
                async with shelf.lock(LOGIN.key):
                    raise AssertionError
        async with shelf.lock(LOGIN.key):
            pass

    asyncio.run(twice())


def test_a_file_system_that_knows_no_locks_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(file: int) -> bool:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(paths, "lock_open_file", refuses)

    async def locked() -> None:
        async with LoginShelf(tmp_path).lock(LOGIN.key):
            raise AssertionError

    with pytest.raises(LoginError, match="could not be locked: No locks available"):
        asyncio.run(locked())


def test_a_lock_is_no_link_to_anything_else(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / f"{LOGIN.key}.lock").symlink_to(tmp_path / "elsewhere")

    async def locked() -> None:
        async with LoginShelf(tmp_path).lock(LOGIN.key):
            raise AssertionError

    with pytest.raises(LoginError, match="could not be locked"):
        asyncio.run(locked())


# One login


def test_a_login_is_named_by_server_issuer_resource_and_client_alone() -> None:
    assert replace(LOGIN, scope="y", access_token="z").key == LOGIN.key
    assert len({LOGIN.key, *(replace(LOGIN, **{name: "x"}).key for name in NAMING)}) == 5


NAMING = ("server_url", "issuer", "resource", "client_id")


def test_a_token_ends_when_somebody_said_so() -> None:
    assert not replace(LOGIN, expires_at=None).ends_within(1e9, 0)
    assert LOGIN.ends_within(60, 940)
    assert not LOGIN.ends_within(60, 939.9)
    assert LOGIN.until is not None
    assert LOGIN.until.timestamp() == 1000
    assert replace(LOGIN, expires_at=None).until is None
    assert replace(LOGIN, expires_at=1e30).until is None
    assert replace(LOGIN, scope=" read  write ").scopes == ("read", "write")
    assert LOGIN.scopes == ()


@pytest.mark.parametrize(
    "wrong",
    [
        *({name: 1} for name in ("server_url", "issuer", "resource", "client_id", "access_token")),
        *({name: 1} for name in ("kept_in", "refresh_token", "client_secret", "scope")),
        *({name: [1]} for name in ("client", "authorization_server", "protected_resource")),
        *({name: "tomorrow"} for name in ("expires_at", "saved_at")),
    ],
)
def test_what_a_login_is_kept_as_is_read_again_and_nothing_else(wrong: dict[str, Any]) -> None:
    held = {**LOGIN.open_part(), **LOGIN.secret_part()}
    assert login_from({**held, "of a later version": 1}) == LOGIN
    assert not set(LOGIN.open_part()) & set(LOGIN.secret_part())
    assert replace(LOGIN, refresh_token=None, client_secret=None).secret_part().keys() == {
        "access_token"
    }
    for broken in ({**held, **wrong}, [], {"server_url": "only"}):
        with pytest.raises(TypeError):
            login_from(broken)
