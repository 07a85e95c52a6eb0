"""The one exception tree; `cli.exit_codes` maps each branch to an exit code.

    ElicitTuiError
    ├── UsageError            the command line is wrong
    ├── ConfigError           a configuration cannot be used (carries every problem found)
    │   └── ManagedConfigError    the admin's file cannot be trusted or read
    ├── ToolRefused           policy or a person did not let this tool be called; it was not called
    ├── ServerError           a server could not be started, reached or understood, or went away
    ├── ProtocolCallError     the call ended with a JSON-RPC error of the server
    ├── LimitReached          a limit of time or rounds passed
    ├── LedgerError           the ledger cannot be opened, read or written
    │   └── LedgerInUse           others hold it
    ├── StoreError            the store cannot be opened, read or written
    │   ├── StoreTooNew           a newer elicit-tui wrote it
    │   ├── SecretError           the secret that seals what waits is lost or no secret
    │   └── SealError             what was sealed does not open: another secret, or changed
    ├── LoginError            a login cannot be kept, read or had
    │   ├── LoginNotOffered       the server does not say how to log in
    │   └── RefreshRefused        it is not renewed any more; a person has to log in
    ├── HookError             a hook failed, hung or answered nonsense; a person is asked instead
    └── Interrupted           the person, or a signal, ended the run
        └── TaskCancelled         the same, and the server says that it cancelled its task

What a person can mend in a form or a file is a value (`form.Problem`, `config.Diagnostic`), not an
exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

MOST_CODE: Final = 10**12
"""JSON-RPC's own codes have five digits."""

INVALID_ANSWER: Final = "invalid_answer"
"""The code of a ServerError that says that an answer is not what the protocol allows."""

UNREAD_MESSAGE: Final = "unread_message"
"""The code of a ServerError that says that a message of a server was lost."""

BROKE_PROTOCOL: Final = "broke_protocol"
"""The code of a ServerError that says what else a server did against the protocol."""

_MOST_CAUSES: Final = 20


class ElicitTuiError(Exception):
    """Base of every error that elicit-tui raises on purpose; `str()` is one plain sentence."""

    place: str | None = None
    """Where the owner keeps what could not be used, as the sentence names it: no agent reads it."""


class UsageError(ElicitTuiError):
    """The command line asks for something that does not exist or does not fit together."""


class ConfigError(ElicitTuiError):
    """A configuration cannot be used; `problems` are sentences with file, line and key."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class ManagedConfigError(ConfigError):
    """The managed configuration exists but cannot be trusted, read or understood."""


class ToolRefused(ElicitTuiError):
    """A tool was not called: policy or a person refused it, or nobody was there to be asked."""

    def __init__(self, tool: str, outcome: Any) -> None:
        """`tool` is neutral text; `outcome` (an `Outcome`) says who decided, why, by which key."""
        self.outcome = outcome
        super().__init__(f"{tool} was not called. {outcome.reason}")


class ServerError(ElicitTuiError):
    """A server could not be started, reached or understood, or it went away."""

    def __init__(self, sentence: str, *, code: str = "server_unavailable") -> None:
        self.code = code
        super().__init__(sentence)


class ProtocolCallError(ElicitTuiError):
    """A request ended with a JSON-RPC error of the server (spec: basic, "Responses")."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        super().__init__(message)

    @property
    def shown_code(self) -> str:
        """The code as a person is told it: a server may choose one of thousands of digits."""
        if abs(self.code) < MOST_CODE:
            return str(self.code)
        return f"(a number of {self.code.bit_length()} bits)"


class LimitReached(ElicitTuiError):
    """A limit of time or rounds passed before the call came to its end."""

    def __init__(self, sentence: str, *, code: str = "timeout") -> None:
        self.code = code
        super().__init__(sentence)


class LedgerError(ElicitTuiError):
    """The ledger cannot be opened, read or written."""


class LedgerInUse(LedgerError):
    """Other processes hold the ledger, and longer than was waited for them."""


class StoreError(ElicitTuiError):
    """The store cannot be opened, read or written."""


class StoreMissing(StoreError):
    """There is no store yet, and none was to be made."""


class StoreTooNew(StoreError):
    """A newer elicit-tui wrote this store; it is left as it is."""


class SecretError(StoreError):
    """The secret that seals what waits is lost, cannot be read, or is no secret."""


class SealError(StoreError):
    """Something sealed does not open: with another secret, put elsewhere, older or changed."""


class LoginError(ElicitTuiError):
    """A login to a remote server cannot be kept, read or renewed; no sentence holds a token."""


class LoginNotOffered(LoginError):
    """The server wants an authorization and does not say how to log in: no login can help."""


class RefreshRefused(LoginError):
    """The authorization server does not renew this login any more; a person has to log in."""

    def __init__(self, sentence: str, *, client_unknown: bool = False) -> None:
        """`client_unknown`: it does not know the client either, which has to register anew."""
        self.client_unknown = client_unknown
        super().__init__(sentence)


class HookError(ElicitTuiError):
    """A hook failed, hung or answered nonsense; `str()` ends a sentence that names the hook."""


class Interrupted(ElicitTuiError):
    """The person, or a signal, ended the run."""


class TaskCancelled(Interrupted):
    """A call was cancelled, and its server says that it cancelled the task of it."""


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """`error` itself, then what caused it, what caused that, and so on, as far as it serves."""
    cause: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__
