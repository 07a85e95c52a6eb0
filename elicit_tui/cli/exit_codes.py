"""The exit codes, and the one place where an error becomes one (docs/ci.md, "Exit codes")."""

from __future__ import annotations

from typing import Final

from elicit_tui.errors import (
    ConfigError,
    ElicitTuiError,
    HookError,
    Interrupted,
    LedgerError,
    LimitReached,
    LoginError,
    ProtocolCallError,
    ServerError,
    StoreError,
    ToolRefused,
    UsageError,
)

OK: Final = 0
FAILED: Final = 1
"""The tool answered with `isError`, or the call with an error; `check` found something to block."""
USAGE: Final = 2
"""Wrong usage or configuration, or a tool call that policy does not allow."""
NOT_ACCEPTED: Final = 3
"""A question did not get its answer of `--answers`; with `--strict`, any was not accepted, or an
entry answered nothing."""
SERVER: Final = 4
"""The server could not be started, reached or understood, or it went away; with `--strict`, also a
message of it that could not be read."""
LIMIT: Final = 5
"""A limit of time or rounds passed."""
INTERRUPTED: Final = 130

_CODES: Final[tuple[tuple[tuple[type[BaseException], ...], int], ...]] = (
    ((UsageError, ConfigError, ToolRefused, LedgerError, StoreError, HookError), USAGE),
    ((LoginError, ServerError), SERVER),
    ((ProtocolCallError,), FAILED),
    ((LimitReached,), LIMIT),
    ((Interrupted, KeyboardInterrupt), INTERRUPTED),
)


def code_of(error: BaseException) -> int:
    """The exit code of an error that ended a command; an unforeseen one counts as the server's."""
    return next((code for kinds, code in _CODES if isinstance(error, kinds)), SERVER)


def name_of(error: BaseException) -> str:
    """The `code` of the document's `error`: a JSON-RPC code as text, or a word of ours."""
    if isinstance(error, ProtocolCallError):
        return error.shown_code
    if isinstance(error, (ServerError, LimitReached)):
        return error.code
    if isinstance(error, LoginError):
        return "login"
    if isinstance(error, ToolRefused):
        return "tool_not_allowed"
    if isinstance(error, (Interrupted, KeyboardInterrupt)):
        return "interrupted"
    if isinstance(error, ElicitTuiError):
        return "usage"
    return "internal"


def code_of_call(*, error: BaseException | None, failed: bool, unaccepted: bool) -> int:
    """The exit code of `call`, `prompt` and `read`.

    `failed`: the tool says so, or its result is not what it promised. `unaccepted`: a question did
    not get the answer that it had to get. It outweighs the error that a tool makes of it, and
    nothing else.
    """
    code = FAILED if failed else OK
    if error is not None:
        code = code_of(error)
    return NOT_ACCEPTED if unaccepted and code in (OK, FAILED) else code
