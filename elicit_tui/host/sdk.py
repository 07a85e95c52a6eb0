"""Loads the SDK once, off the event loop: it takes longer than all else in a short run.

Only what a client needs of it: `import mcp` also loads the SDK's server and, with it, a web
framework, which adds more than a quarter to the processor time of `call`. Where another version of
the SDK cannot be had so, it is imported as a whole, and all that is lost is that time.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType
from typing import Final

from elicit_tui.garbage import no_collection

ONE_AT_A_TIME: Final = RLock()
"""Held by whoever imports much in a thread.

Libraries import each other in circles: two threads in one circle wait for each other, which Python
ends with an error in one of them.
"""

PACKAGES: Final = ("mcp", "mcp.client")
"""On the way to the client's modules; their own `__init__` is what loads the server."""

SERVING: Final = (*PACKAGES, "mcp.server")
"""The same for the SDK's low-level server, whose package loads a second, larger one."""

WEB: Final = (
    "mcp.server.auth",
    "mcp.server.auth.middleware",
    "mcp.server.auth.middleware.auth_context",
    "mcp.server.auth.middleware.bearer_auth",
    "mcp.server.auth.provider",
    "mcp.server.auth.routes",
    "mcp.server.auth.settings",
    "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager",
    "mcp.server.transport_security",
    "starlette",
    "starlette.applications",
    "starlette.middleware",
    "starlette.middleware.authentication",
    "starlette.routing",
)
"""What the low-level server imports for HTTP, a tenth of the processor time of a short gateway."""

_LOGGERS: Final = ("mcp", "client", "httpx2", "httpcore2", "uvicorn")
"""What libraries say goes nowhere: each fault that matters is told as a sentence of ours."""


def load_sdk(*, remote: bool = False) -> None:
    """Import what a connection needs; a second call waits for the first and does nothing.

    `remote`: also what streamable HTTP and SSE need. The collector rests meanwhile, and afterwards
    leaves alone what is there: the many thousand objects of the SDK's models stay to the end of
    the run, and to look through them again and again, at the end too, takes a tenth of a short
    run's time.
    """
    with ONE_AT_A_TIME:
        # Looked at under the lock: another thread may have loaded it meanwhile.
        if "elicit_tui.host.session" not in sys.modules:
            _load(_session)
            quieten()
        if remote and "mcp.client.streamable_http" not in sys.modules:
            _load(_remote)


def load_login() -> None:
    """Import what one login or one renewal needs: a quarter of a second that no other call pays."""
    with ONE_AT_A_TIME:
        if "elicit_tui.host.oauth" not in sys.modules:
            _load(_login)


def load_whole() -> None:
    """Import the SDK as its own users do: where they share this process with us."""
    import mcp.client
    import mcp.server  # noqa: F401


def load_serving(modules: Callable[[], None]) -> None:
    """Import modules that serve an agent on stdio by the SDK's low-level server, without HTTP."""
    with ONE_AT_A_TIME:
        _load(modules, SERVING, WEB)
        quieten()


def _load(
    modules: Callable[[], None], packages: Sequence[str] = PACKAGES, absent: Sequence[str] = ()
) -> None:
    with no_collection():
        try:
            with client_only(packages, absent):
                modules()
        # A part could not be had alone: once more, with the packages as they are.
        except ImportError:
            modules()


def _session() -> None:
    import elicit_tui.host.session
    import elicit_tui.host.stdio  # noqa: F401


def _remote() -> None:
    import mcp.client.sse
    import mcp.client.streamable_http  # noqa: F401


def _login() -> None:
    import elicit_tui.host.oauth  # noqa: F401


def quieten() -> None:
    """Let the libraries say nothing: they write what a stranger sent as it came."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


@contextmanager
def client_only(packages: Sequence[str], absent: Sequence[str]) -> Iterator[None]:
    """Within this, `import mcp.client.session` loads that module and what it needs itself.

    The packages on the way stand empty while those are imported. Afterwards they are gone again,
    and an `import mcp` runs its `__init__` as ever. Raises ImportError from within where the SDK's
    modules cannot be had one by one. `absent`: modules whose names are taken from them and never
    used; each is an empty class.
    """
    # They are loaded already, and nothing can be saved.
    if any(name in sys.modules for name in packages):
        yield
        return
    for name in packages:
        # Where the package lies is known without running it.
        spec = find_spec(name)
        if spec is None or spec.submodule_search_locations is None:
            break
        sys.modules[name] = module_from_spec(spec)
    left_out = [name for name in absent if name not in sys.modules]
    sys.modules.update({name: _Absent(name) for name in left_out})
    try:
        yield
    finally:
        for name in (*packages, *left_out):
            sys.modules.pop(name, None)


class _Absent(ModuleType):
    """A module that is not loaded: whatever is imported from it is an empty class."""

    def __getattr__(self, name: str) -> type:
        # Python asks modules for such names itself (`__path__`, `__spec__`), and takes no class for
        # them.
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})
