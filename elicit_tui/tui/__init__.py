"""The console and the forms. Importing this package does not load Textual."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from elicit_tui.elicitation.settings import Settings

if TYPE_CHECKING:
    from elicit_tui.tui.console.run import RuntimeFactory
    from elicit_tui.tui.console.servers import OwnFile

__all__ = ["run_console"]

FRAMES_PER_SECOND: Final = 240
"""A key is painted in two frames, its letter and its verdict; at the library's 60 each waits up to
16 ms."""

# Textual reads its variables when it is loaded, which only this package does. They press keys, log
# what is typed and load a driver: none may be set by whoever wrote the environment.
for _name in [name for name in os.environ if name.upper().startswith("TEXTUAL")]:
    del os.environ[_name]
os.environ["TEXTUAL_FPS"] = str(FRAMES_PER_SECOND)


def run_console(
    settings: Settings,
    *,
    runtime_factory: RuntimeFactory,
    only: Sequence[str] | None = None,
    config_path: str | None = None,
    inbox: bool = False,
    own_file: OwnFile | None = None,
) -> int:
    """Run the console until the person leaves, or a signal ends it; the exit code.

    `only` limits the run to these servers; `config_path` is the file a newcomer is told of.
    `inbox`: nothing but the questions that wait in the store. The terminal is as it was
    afterwards. `own_file`: the configuration that may be changed in it.
    """
    from elicit_tui.garbage import no_collection

    with no_collection():
        from elicit_tui.tui.console.terminal import run

        return run(
            settings,
            runtime_factory,
            only=only,
            config_path=config_path,
            inbox=inbox,
            own_file=own_file,
        )
