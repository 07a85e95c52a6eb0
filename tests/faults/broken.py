"""elicit-tui with one part of a screen deliberately broken.

    python broken.py MODULE.CLASS.METHOD ARGUMENTS…

The method raises an error whose words hold what must reach no terminal as it is.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NoReturn

from elicit_tui.cli import run


def breaks(self: Any, *values: Any, **more: Any) -> NoReturn:
    raise ZeroDivisionError("broken \x1b[31mon purpose")


if __name__ == "__main__":
    module, owner, method = sys.argv[1].rsplit(".", 2)
    setattr(getattr(import_module(module), owner), method, breaks)
    sys.exit(run(sys.argv[2:]))
