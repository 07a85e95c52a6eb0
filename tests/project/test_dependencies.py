"""What the product imports is what it says that it needs: another package's needs may change."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions

import tomli

from tests.project.test_hygiene import ROOT, nodes


def imported() -> Iterator[tuple[str, str]]:
    """Each package of others that a module imports, anywhere in it, and the module."""
    for module, node in nodes():
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            names = [node.module]
        else:
            continue
        for name in names:
            package = name.partition(".")[0]
            if package != "elicit_tui" and package not in sys.stdlib_module_names:
                yield package, module


def normal(name: str) -> str:
    """A distribution's name as an index compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> dict[str, str]:
    """The line of each dependency at run time, by its name; those of `[redis]` and its like too."""
    project = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [
        *project["dependencies"],
        *(line for name in extras if name != "test" for line in extras[name]),
    ]
    return {normal(re.split(r"[\s<>=!~;\[]", line, maxsplit=1)[0]): line for line in lines}


def test_every_package_that_is_imported_is_declared() -> None:
    distributions = packages_distributions()
    missing = {
        f"{package} in {module}"
        for package, module in imported()
        if not {normal(name) for name in distributions.get(package, ())} & declared().keys()
    }
    assert missing == set()


def test_every_package_that_is_declared_is_imported() -> None:
    distributions = packages_distributions()
    used = {normal(name) for package, _ in imported() for name in distributions.get(package, ())}
    assert declared().keys() - used == set()
