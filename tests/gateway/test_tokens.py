"""The tokens of one machine: what in their folder is one, and what stays true without it."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.errors import StoreError, UsageError
from elicit_tui.gateway import tokens as module
from elicit_tui.gateway.tokens import SharedTokens, Tokens
from elicit_tui.store.store import Token
from tests.gateway.world import until

pytestmark = pytest.mark.anyio


async def test_what_is_no_token_lets_nobody_in_and_keeps_nobody_out(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    shown = tokens.add("good")
    good = (tmp_path / "good.json").read_bytes()
    odd = {
        "copied": good,
        "cut": good[:-9],
        "list": b"[]",
        "half": b'{"name": "half"}',
        "no": b"\xff",
        "changed": b'{"name": "changed", "sha256": "\\u00e4", "added": "now"}',
    }
    for name, text in odd.items():
        (tmp_path / f"{name}.json").write_bytes(text)
    assert [token.name for token in Tokens(tmp_path).listed()] == ["good"]
    (found,) = tokens.listed()
    assert tokens.token_of(shown) == found
    assert tokens.token_of(f"{shown}x") is None
    assert found.sha256 not in shown


def test_what_cannot_be_read_for_a_moment_takes_no_token_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Tokens(tmp_path)
    tokens.add("one")
    (known,) = tokens.listed()
    tokens.add("two")

    def out_of_descriptors(path: Path) -> bytes:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", out_of_descriptors)
        assert tokens.listed() == (known,)
    assert [token.name for token in tokens.listed()] == ["one", "two"]
    (tmp_path / "two.json").unlink()
    assert tokens.listed() == (known,)
    (tmp_path / "one.json").unlink()
    tmp_path.rmdir()
    assert tokens.listed() == ()


async def test_a_token_that_is_made_in_the_same_moment_as_another_is_listed_too(
    tmp_path: Path,
) -> None:
    tokens, moment = Tokens(tmp_path), time.time() + 60.0
    for names in (["one"], ["one", "two"]):
        tokens.add(names[-1])
        # A clock of files that goes no finer than this tells the two apart by nothing.
        os.utime(tmp_path, (moment, moment))
        assert [token.name for token in tokens.listed()] == [
            token.name for token in Tokens(tmp_path).listed()
        ]
        assert len(tokens.listed()) == len(names)


async def test_a_token_that_is_revoked_while_redis_is_away_is_revoked_here_for_good(
    tmp_path: Path,
) -> None:
    token = Token("one", "digest", "now")

    async def read() -> tuple[tuple[Token, ...], frozenset[str]]:
        return (token,), frozenset()

    async def revoke(sha256: str, name: str = "") -> None:
        raise StoreError("It is away.")

    entries: Any = SimpleNamespace(read=read, revoke=revoke)
    with pytest.raises(StoreError):
        await SharedTokens(entries, tmp_path / "tokens").revoke_everywhere("one")
    told: list[str] = []

    async def takes(sha256: str, name: str = "") -> None:
        told.append(sha256)

    entries.revoke = takes
    again = SharedTokens(entries, tmp_path / "tokens")
    await again.refresh()
    assert again.listed() == ()
    assert told == ["digest"]


async def test_a_token_of_all_machines_ends_also_where_its_end_cannot_be_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    token, revoked = Token("one", "digest", "now"), set[str]()

    async def read() -> tuple[tuple[Token, ...], frozenset[str]]:
        return (token,), frozenset(revoked)

    entries: Any = SimpleNamespace(read=read)
    tokens = SharedTokens(entries, tmp_path / "file" / "tokens")
    await tokens.refresh()
    assert tokens.listed() == tokens.shared == (token,)
    revoked.add("digest")
    await tokens.refresh()
    assert tokens.listed() == ()


class Everywhere:
    """What all machines know, as a store that is never away has it."""

    def __init__(self) -> None:
        self.tokens: dict[str, Token] = {}
        self.revoked: set[str] = set()

    async def read(self) -> tuple[tuple[Token, ...], frozenset[str]]:
        return tuple(self.tokens.values()), frozenset(self.revoked)

    async def add(self, token: Token) -> bool:
        return self.tokens.setdefault(token.name, token) is token

    async def revoke(self, sha256: str, name: str = "") -> None:
        self.revoked.add(sha256)
        self.tokens.pop(name, None)


async def test_a_name_stands_for_one_token_whether_of_this_machine_or_of_all(
    tmp_path: Path,
) -> None:
    tokens = SharedTokens(Everywhere(), tmp_path / "tokens")
    here = tokens.add("here")
    with pytest.raises(UsageError, match="already"):
        await tokens.add_everywhere("here")
    assert tokens.shared == ()
    # So that what is revoked by its name is all that bore it.
    await tokens.revoke_everywhere("here")
    assert tokens.token_of(here) is None


async def test_with_the_token_of_all_machines_goes_this_ones_own_of_the_same_name(
    tmp_path: Path,
) -> None:
    everywhere = Everywhere()
    tokens, others = (SharedTokens(everywhere, tmp_path / name / "tokens") for name in "ab")
    own, of_all = tokens.add("ci"), await others.add_everywhere("ci")
    await tokens.revoke_everywhere("ci")
    assert tokens.token_of(own) is tokens.token_of(of_all) is None
    with pytest.raises(UsageError, match="no token"):
        await tokens.revoke_everywhere("ci")


async def test_what_is_revoked_everywhere_lets_in_no_more_from_that_moment(tmp_path: Path) -> None:
    tokens = SharedTokens(Everywhere(), tmp_path / "tokens")
    shown = await tokens.add_everywhere("ci")
    await tokens.refresh()
    assert tokens.token_of(shown) is not None
    await tokens.revoke_everywhere("ci")
    assert tokens.token_of(shown) is None


async def test_who_is_let_in_is_asked_again_and_again_also_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REFRESH_SECONDS", 0)
    asked: list[int] = []

    async def read() -> tuple[tuple[Token, ...], frozenset[str]]:
        asked.append(1)
        if len(asked) == 2:
            raise StoreError("It is away.")
        return (Token("one", "digest", str(len(asked))),), frozenset()

    entries: Any = SimpleNamespace(read=read)
    tokens = SharedTokens(entries, tmp_path / "tokens")
    asking = asyncio.ensure_future(tokens.keep_fresh())
    await until(lambda: len(asked) > 3 and tokens.shared[0].added != "1")
    asking.cancel()


async def test_what_was_revoked_is_known_beside_a_damaged_line_and_else_nobody_is_let_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = SharedTokens(Everywhere(), tmp_path / "tokens")
    shown = await first.add_everywhere("ci")
    await first.refresh()
    (token,) = first.shared
    await first.revoke_everywhere("ci")
    # Another machine's store never heard of it, and this one's list has a damaged line.
    again = Everywhere()
    again.tokens["ci"] = token
    revoked = tmp_path / "revoked-tokens"
    revoked.write_bytes(b"\xff\xfe\n" + revoked.read_bytes())
    tokens = SharedTokens(again, tmp_path / "tokens")
    await tokens.refresh()
    assert tokens.token_of(shown) is None

    def out_of_descriptors(path: Path, **how: str) -> str:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, "read_text", out_of_descriptors)
    with pytest.raises(UsageError, match="nobody is let in: Too many open files"):
        SharedTokens(again, tmp_path / "tokens")


async def test_a_token_that_cannot_be_kept_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(UsageError, match="could not be kept, so there is no token 'ci'"):
        Tokens(tmp_path / "file" / "tokens").add("ci")


async def test_a_token_that_cannot_be_revoked_is_said_to_let_in_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = Tokens(tmp_path)
    shown = tokens.add("ci")

    def refuses(path: Path, **how: bool) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", refuses)
    with pytest.raises(UsageError, match="'ci' could not be revoked and still lets in: Permission"):
        tokens.revoke("ci")
    assert tokens.token_of(shown) is not None


async def test_a_token_that_another_process_revoked_after_a_long_silence_is_known_no_more(
    tmp_path: Path,
) -> None:
    directory = tmp_path / "tokens"
    tokens = Tokens(directory)
    shown = tokens.add("ci")
    os.utime(directory, (1_000_000_000, 1_000_000_000))
    assert tokens.token_of(shown) is not None
    Tokens(directory).revoke("ci")
    assert tokens.token_of(shown) is None
