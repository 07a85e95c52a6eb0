"""The console and the forms. Importing this package does not load Textual."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Final, Protocol

from elicit_tui.elicitation import Responder
from elicit_tui.elicitation.settings import Settings

if TYPE_CHECKING:
    from elicit_tui.runtime import Runtime

__all__ = ["RuntimeFactory", "run_console"]

FRAMES_PER_SECOND: Final = 120
"""At the library's 60, a key waits up to 16 ms for its painting; the environment's word stands."""

# Read by Textual when it is loaded, which only this package does.
os.environ.setdefault("TEXTUAL_FPS", str(FRAMES_PER_SECOND))


class RuntimeFactory(Protocol):
    """Opens the run: `runtime.open_runtime` with everything but these bound."""

    def __call__(
        self, *, responder: Callable[[Any], Responder], launch: Sequence[str]
    ) -> AbstractAsyncContextManager[Runtime]:
        """The run, as a context that takes it down in order."""
        ...


def run_console(
    settings: Settings,
    *,
    runtime_factory: RuntimeFactory,
    only: Sequence[str] | None = None,
    config_path: str | None = None,
) -> int:
    """Run the console until the person leaves, or a signal ends it; the exit code.

    `only` limits the run to these servers; `config_path` is the file a newcomer is told of.
    The terminal is as it was afterwards.
    """
    from elicit_tui.tui.console.running import run

    return run(settings, runtime_factory, only=only, config_path=config_path)
