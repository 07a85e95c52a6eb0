"""`elicit-tui gateway token`: who may use the gateway over HTTP."""

from __future__ import annotations

from collections.abc import Sequence

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.errors import UsageError


def run_tokens(words: Sequence[str]) -> int:
    """`token add NAME`, `token list` and `token revoke NAME`. Raises UsageError."""
    from elicit_tui.gateway.tokens import Tokens

    tokens = Tokens()
    match list(words):
        case ["add", name]:
            Output().text(tokens.add(name))
            Narration().tell(
                "this token is shown once. A client gives it as "
                "`Authorization: Bearer TOKEN`, from its environment or a 0600 file."
            )
        case [] | ["list"]:
            for token in tokens.listed():
                Output().text(f"{token.name}  added {token.added}")
        case ["revoke", name]:
            tokens.revoke(name)
            Narration().tell(f"{name} is revoked; its sessions end.")
        case _:
            raise UsageError("gateway token takes: add NAME, list, or revoke NAME.")
    return 0
