"""Where elicit-tui keeps things on disk, and how private files are made.

Nothing is read from the working directory. Everything written is 0600 inside 0700 folders,
created exclusively, with names of ours.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO, Final

APPLICATION: Final = "elicit-tui"

SYSTEM_PATH: Final = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Where the system keeps its own programs, and where alone a managed command is looked up.

Without /usr/local, which is not root's alone on every system; there a command is absolute.
"""


def config_file() -> Path:
    """The user's own configuration file, whether or not it exists."""
    from platformdirs import user_config_path

    return user_config_path(APPLICATION, appauthor=False) / "config.toml"


def state_directory() -> Path:
    """The platform's directory for state: the ledger and the servers' logs."""
    from platformdirs import user_state_path

    return user_state_path(APPLICATION, appauthor=False)


def ledger_file(chosen: str | None = None) -> Path:
    """Where the ledger is kept: as `history.path` says, else in the directory for state."""
    if chosen:
        return Path(chosen).expanduser()
    return state_directory() / "ledger.sqlite3"


def managed_file() -> Path:
    """The administrator's file: one fixed path for each platform, never from the environment."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/elicit-tui/managed.toml")
    if sys.platform == "win32":
        return _windows_program_data() / APPLICATION / "managed.toml"
    return Path("/etc/elicit-tui/managed.toml")


def _windows_program_data() -> Path:
    """The known folder FOLDERID_ProgramData, asked of the system and not of the environment."""
    import ctypes

    csidl_common_appdata = 0x23
    buffer = ctypes.create_unicode_buffer(1024)
    shell = getattr(ctypes, "windll").shell32  # noqa: B009 - the name exists on Windows only
    if shell.SHGetFolderPathW(None, csidl_common_appdata, None, 0, buffer) != 0:
        raise OSError("Windows did not name its folder for program data")
    return Path(buffer.value)


def private_directory(path: Path) -> Path:
    """Make `path` and its missing parents, 0700, and return it. Raises OSError."""
    missing = []
    current = path
    while not current.exists():
        missing.append(current)
        current = current.parent
    for directory in reversed(missing):
        directory.mkdir(mode=0o700, exist_ok=True)
    return path


def create_private(path: Path) -> IO[bytes]:
    """Create a new 0600 file for writing; FileExistsError when there is anything already."""
    private_directory(path.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o600), "wb")


def new_private_file(directory: Path, stem: str, suffix: str) -> tuple[Path, IO[bytes]]:
    """Create `STEM-RANDOM.SUFFIX` in a private directory; both words must be ours."""
    import secrets

    path = private_directory(directory) / f"{stem}-{secrets.token_hex(6)}{suffix}"
    return path, create_private(path)
