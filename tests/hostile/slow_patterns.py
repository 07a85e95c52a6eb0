"""Tries every pattern of a module of ours; the process ends by itself where one is slow.

It writes the name of each before it tries it, and `all` behind the last. A pattern in which a text
can be read in many ways takes days, and hears no signal meanwhile but the end of its time.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import resource

import elicit_tui

SECONDS = 8
"""Of processor time, for one pattern."""
WITHOUT = ("elicit_tui.pytest_plugin", "elicit_tui.__main__")
PARTS = (
    *("a", "1", "ab ", "abc   ", "abc" + " " * 12, "abcdefgh  ,", "a_", "a.", "a-", "a=", "a@"),
    *("a:", "a/", "a\n", "1.", "1,", "1 ", "A1 ", " ", "\t ", '"', "\\", '\\"', "(", "[a](", "*"),
    *("**", "`", "<a ", "://", "--", "%41", "#", "|", "{", "}"),
)
TEXTS = [part * times + end for part in PARTS for times in (12, 45) for end in ("", "!", "\0")]


def patterns() -> dict[re.Pattern[str], str]:
    """Each pattern that a module holds, with its name."""
    found: dict[re.Pattern[str], str] = {}
    for module in pkgutil.walk_packages(elicit_tui.__path__, "elicit_tui."):
        if not module.name.startswith(WITHOUT):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    found.setdefault(value, f"{module.name}.{name}")
    return found


def main() -> None:
    for pattern, name in patterns().items():
        print(name, flush=True)
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime) + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
        for text in TEXTS:
            pattern.fullmatch(text)
            for _ in pattern.finditer(text):
                pass
    print("all")


if __name__ == "__main__":
    main()
