"""The tokens of gateways on several machines: entries that only the store's secret can make.

et:{index}:tokens    hash   NAME → SHA-256 of the token, when it was added, and a seal
et:{index}:revoked   hash   SHA-256 → a seal

Whoever can write to Redis and has not the secret lets nobody in and shuts nobody out for longer
than it takes to put a revocation or an entry again.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterable
from typing import Final

from elicit_tui.store.redis_layout import json_object, pairs
from elicit_tui.store.redis_scripts import LuaScript
from elicit_tui.store.redis_server import RedisServer
from elicit_tui.store.sealing import Sealer
from elicit_tui.store.store import Token

TOKENS, REVOKED = "et:{index}:tokens", "et:{index}:revoked"
# Given once: an entry of this name stays as it is, also if the script runs twice. What is none of
# ours gives place, or a stranger's word would keep a token out for ever.
ADD: Final = LuaScript(
    """
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 1 then return 1 end
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
"""
)
"""KEYS: tokens; ARGV: name, entry, what may stand there that is no entry."""
REVOKE: Final = LuaScript(
    """
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
if ARGV[1] ~= '' then redis.call('HDEL', KEYS[1], ARGV[1]) end
""",
    "allow-oom",
)
"""KEYS: tokens, revoked; ARGV: name or nothing, SHA-256, seal."""
READ: Final = LuaScript(
    "return {redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2])}", "no-writes"
)
"""KEYS: tokens, revoked."""
_KEYS: Final = (TOKENS, REVOKED)


class RedisTokens:
    """`SharedTokenEntries` on Redis."""

    def __init__(self, server: RedisServer, sealer: Callable[[], Sealer]) -> None:
        self._server = server
        self._sealer = sealer

    async def add(self, token: Token) -> bool:
        """Let a token in."""
        entry = {"sha256": token.sha256, "added": token.added, "seal": self._seal_of(token)}
        entries, _ = map(pairs, await self._server.run(READ, _KEYS))
        name = token.name.encode()
        there = entries.get(name)
        not_ours = b"" if there is None or self._token(name, there) is not None else there
        return bool(await self._server.run(ADD, _KEYS, name, json.dumps(entry), not_ours))

    async def revoke(self, sha256: str, name: str = "") -> None:
        """Take a token back."""
        await self._server.run(REVOKE, _KEYS, name, sha256, self._seal("revoked", sha256))

    async def read(self) -> tuple[tuple[Token, ...], frozenset[str]]:
        """Who is let in, and who no more."""
        entries, ends = map(pairs, await self._server.run(READ, _KEYS))
        revoked = frozenset(self._revoked(ends.items()))
        found = (self._token(name, text) for name, text in sorted(entries.items()))
        tokens = (token for token in found if token is not None and token.sha256 not in revoked)
        return tuple(tokens), revoked

    def _token(self, name: bytes, text: bytes) -> Token | None:
        """The token of an entry; None where it was not made with our secret."""
        entry = json_object(text)
        token = Token(
            name.decode("utf-8", "replace"), str(entry.get("sha256")), str(entry.get("added"))
        )
        seal = str(entry.get("seal"))
        # What is no ASCII cannot be compared so, and is no seal.
        is_ours = seal.isascii() and hmac.compare_digest(seal, self._seal_of(token))
        return token if is_ours else None

    def _revoked(self, ends: Iterable[tuple[bytes, bytes]]) -> Iterable[str]:
        for name, seal in ends:
            sha256 = name.decode("utf-8", "replace")
            if hmac.compare_digest(seal, self._seal("revoked", sha256).encode()):
                yield sha256

    def _seal_of(self, token: Token) -> str:
        return self._seal("token", token.name, token.sha256, token.added)

    # An HMAC with the store's secret, which nobody has who can only write to Redis.
    def _seal(self, *parts: str) -> str:
        return self._sealer().digest("tokens", json.dumps(parts).encode())
