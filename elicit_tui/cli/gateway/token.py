"""`elicit-tui gateway token`: who may use the gateway over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.errors import UsageError

if TYPE_CHECKING:
    from elicit_tui.gateway.tokens import Tokens


def run_tokens(words: Sequence[str]) -> int:
    """`token add NAME`, `token list` and `token revoke NAME`. Raises UsageError."""
    from elicit_tui.gateway.tokens import Tokens

    tokens = Tokens()
    match list(words):
        case ["add", name]:
            _show_once(tokens, name)
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


def _show_once(tokens: Tokens, name: str) -> None:
    """Make a token and write it; one that nobody could see is none. Raises UsageError."""
    output = Output()
    output.text(tokens.add(name))
    if output.failure is not None:
        tokens.revoke(name)
        why = output.failure.strerror or output.failure
        raise UsageError(f"The token could not be shown, so there is no token {name!r}: {why}.")
