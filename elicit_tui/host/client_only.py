"""Imports what a client needs of the SDK, and leaves its server where it is.

`import mcp` also loads the SDK's server and, with it, a web framework: a third of the processor
time and a quarter of the memory of a short run, which uses neither. The package's own `__init__`
is what does it, so the two packages on the way to the client's modules stand empty while those are
imported. Afterwards they are gone again, and an `import mcp` runs its `__init__` as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from typing import Final

PACKAGES: Final = ("mcp", "mcp.client")


@contextmanager
def client_only() -> Iterator[None]:
    """Within this, `import mcp.client.session` loads that module and what it needs itself.

    Raises ImportError from within where the SDK's modules cannot be had one by one.
    """
    if any(name in sys.modules for name in PACKAGES):
        yield
        return
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is None or spec.submodule_search_locations is None:
            break
        sys.modules[name] = module_from_spec(spec)
    try:
        yield
    finally:
        for name in PACKAGES:
            sys.modules.pop(name, None)
