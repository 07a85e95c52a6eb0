"""A call in a file: which server, which tool, with which arguments. Written to be committed."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from elicit_tui import paths
from elicit_tui.errors import UsageError
from elicit_tui.text import ascii_json, neutral_line
from elicit_tui.text.hostile_json import strict_json, too_deep

LARGEST_FILE: Final = 4 * 1024 * 1024
SUFFIX: Final = ".call.json"
"""By this a console finds the saved calls of the folder that it was started in."""
MOST_FOUND: Final = 100


class SavedCall(NamedTuple):
    """`{"server": …, "tool": …, "arguments": {…}}`."""

    server: str
    tool: str
    arguments: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> SavedCall:
        """Raises UsageError for a file that is no saved call, with what is wrong."""
        try:
            with path.open("rb") as stream:
                written = strict_json(stream.read(LARGEST_FILE + 1))
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
        except ValueError as error:
            raise UsageError(f"{path} is not JSON: {neutral_line(str(error))}.") from None
        if too_deep(written):
            raise UsageError(f"{path} is nested too deep.")
        written = written if isinstance(written, Mapping) else {}
        server, tool = written.get("server"), written.get("tool")
        arguments = written.get("arguments", {})
        unknown = next((key for key in written if key not in cls._fields), None)
        if unknown is not None:
            raise UsageError(f"{path}: there is no key {neutral_line(str(unknown), 60)!r}.")
        named = isinstance(server, str) and isinstance(tool, str) and server and tool
        if not named or not isinstance(arguments, Mapping):
            raise UsageError(f'{path} needs "server", "tool" and, as an object, "arguments".')
        return cls(str(server), str(tool), arguments)

    def write(self, path: Path) -> None:
        """Write it to a new file of the person's own. Raises OSError, also where one is there."""
        paths.write_private(path, self.written)

    @property
    def written(self) -> bytes:
        """The file."""
        return f"{ascii_json(self._asdict(), indent=2)}\n".encode()


def new_file(name: str) -> Path:
    """Where a call is kept under a name: with the ending by which it is found again."""
    return Path(name if name.endswith(SUFFIX) else f"{name}{SUFFIX}")


def file_called(name: str) -> Path:
    """The file that a person means by its whole name, or by its name without the ending.

    `~` is the person's folder: no shell sees it behind `@`. Raises UsageError where there is
    neither, with the calls that are kept in this folder.
    """
    with contextlib.suppress(RuntimeError):  # Nobody of this name has a folder.
        name = str(Path(name).expanduser())
    path = Path(name)
    longer = new_file(name)
    if path.exists() or longer == path:
        return path
    if longer.is_file():
        return longer
    kept = ", ".join(kept_names(Path()))
    here = f"Kept in this folder: {kept}." if kept else "No call is kept in this folder."
    raise UsageError(
        f"There is no {neutral_line(str(path))} and no {neutral_line(str(longer))}. {here}"
    )


def kept_names(folder: Path) -> list[str]:
    """The saved calls of a folder, each as a command line names it: `@deploy`.

    Without those whose names cannot be shown as they are: what is shown would name no file.
    """
    names = (path.name.removesuffix(SUFFIX) for path in saved_calls(folder))
    return [f"@{name}" for name in names if neutral_line(name) == name]


def rename_server(folder: Path, old: str, new: str) -> int:
    """Let the saved calls of a folder name a server anew; how many did.

    What is a link, no saved call or cannot be written stays as it is.
    """
    renamed = 0
    for path in saved_calls(folder):
        try:
            call = SavedCall.read(path)
            if call.server == old and not path.is_symlink():
                paths.rewrite_file(path, call._replace(server=new).written)
                renamed += 1
        except (UsageError, OSError):
            continue
    return renamed


def saved_calls(folder: Path) -> list[Path]:
    """The files of saved calls in a folder, by name."""
    try:
        # What is no file, such as a link to the terminal, might never end.
        found = (path for path in folder.glob(f"*{SUFFIX}") if path.is_file())
        return sorted(found)[:MOST_FOUND]
    except OSError:
        return []
