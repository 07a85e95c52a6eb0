"""Where elicit-tui keeps things on disk, and how private files are made.

No configuration is read from the working directory. Everything written is 0600 inside 0700 folders,
created exclusively, with names of ours.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

from platformdirs import user_config_path, user_state_path

from elicit_tui.errors import ConfigError

APPLICATION: Final = "elicit-tui"

LOCK_SECONDS: Final = 3.0
POLL_SECONDS: Final = 0.01

ELSEWHERE: Final = "set XDG_STATE_HOME or history.path to a place that can be written"
"""What a person can do about a state directory that cannot be used."""

SYSTEM_PATH: Final = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Where the system keeps its own programs, and where alone a managed command is looked up.

Without /usr/local, which is not root's alone on every system; there a command is absolute.
"""


def config_file() -> Path:
    """The user's own configuration file, whether or not it exists.

    Raises ConfigError where the environment does not say where a person's files are.
    """
    what_to_do = "set HOME or XDG_CONFIG_HOME to an absolute path, or use --config FILE"
    return _known(user_config_path, what_to_do) / "config.toml"


def state_directory() -> Path:
    """The platform's directory for state: the ledger and the servers' logs.

    Raises ConfigError where the environment does not say where a person's files are.
    """
    return _known(user_state_path, f"set HOME to an absolute path, or {ELSEWHERE}")


def _known(place: Callable[..., Path], what_to_do: str) -> Path:
    """One of the platform's places, never one that begins at the working directory."""
    try:
        path = place(APPLICATION, appauthor=False)
    except RuntimeError:  # nothing says where the home is
        path = Path()
    if not path.is_absolute():
        raise ConfigError([f"your home directory is not known here: {what_to_do}"])
    return path


def ledger_file(chosen: str | None = None) -> Path:
    """Where the ledger is kept: as `history.path` says, else in the directory for state."""
    if not chosen:
        return state_directory() / "ledger.sqlite3"
    try:
        return Path(chosen).expanduser()
    except RuntimeError:
        raise ConfigError(["history.path: your home directory is not known here"]) from None


def store_file(ledger: str | None = None) -> Path:
    """Where questions wait for another process: beside the ledger (`history.path`)."""
    return ledger_file(ledger).with_name("store.sqlite3")


def logins_directory() -> Path:
    """Where logins to remote servers are kept. Raises ConfigError as `state_directory` does."""
    return state_directory() / "logins"


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


def start_directory(*, managed: bool) -> Path:
    """Where a program that the configuration names starts: the person's home, managed ones in `/`.

    Package runners and interpreters look for what they run in the directory where they start: it
    is never the one where we were started, which somebody else may have filled.
    """
    if not managed:
        try:
            home = Path.home()
        except RuntimeError:  # nothing says where it is
            return Path(os.sep)
        if home.is_absolute() and home.is_dir():
            return home
    return Path(os.sep)


def here() -> Path | None:
    """The working directory; None where it is gone, as a folder that was removed meanwhile."""
    try:
        return Path.cwd()
    except OSError:
        return None


def open_to_others(directory: Path) -> str | None:
    """How others can replace files of a directory, links followed; None when they cannot.

    A clause such as "can be written by everybody". In a sticky directory (`/tmp`) nobody replaces
    another's file; a directory's group is one that its owner has chosen. Root may use what another
    user owns. Raises OSError.
    """
    if os.name != "posix":
        return None
    status = directory.stat()
    if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        return "can be written by everybody"
    if os.geteuid() != 0 and status.st_uid not in (os.geteuid(), 0):
        return "belongs to another user"
    return None


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


def write_private(path: Path, content: bytes) -> None:
    """Write a new 0600 file: all of it, or none is there. Raises FileExistsError, OSError."""
    stream = create_private(path)
    try:
        with stream:
            stream.write(content)
    except OSError:
        path.unlink(missing_ok=True)  # half of it would stand in the way of the next try
        raise


def keep_private(path: Path) -> str | None:
    """Make a file that is there 0600; why it is not the person's own, as a clause, else None.

    A link is not followed. Raises OSError.
    """
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link; it is not followed"
    if not stat.S_ISREG(status.st_mode):
        return "is not a file"
    if os.name == "posix":
        if status.st_uid != os.geteuid():
            return "belongs to another user"
        if stat.S_IMODE(status.st_mode) & 0o077:
            path.chmod(0o600)
    return None


def new_private_file(directory: Path, stem: str, suffix: str, content: bytes) -> Path:
    """Write a new file `STEM-RANDOMSUFFIX`, both words ours, as `write_private` does."""
    path = _with_a_new_name(directory, stem, suffix)
    write_private(path, content)
    return path


def _with_a_new_name(directory: Path, stem: str, suffix: str) -> Path:
    import secrets

    return directory / f"{stem}-{secrets.token_hex(6)}{suffix}"


def replace_file(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file at once: who reads it sees what was there before, or all of `content`.

    Until it has `mode` it is 0600, and it keeps the group of the file before. Raises OSError.
    """
    beside = _with_a_new_name(path.parent, f".{path.name}", ".tmp")
    stream = create_private(beside)
    try:
        with stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            if os.name == "posix":
                with contextlib.suppress(OSError):
                    os.fchown(stream.fileno(), -1, path.stat().st_gid)
                os.fchmod(stream.fileno(), mode)
        beside.replace(path)
    except BaseException:  # whatever it was, no half file stays; handed on
        beside.unlink(missing_ok=True)
        raise


def rename_to_new(path: Path, name: Path) -> None:
    """Give a file a name that nothing has yet. Raises FileExistsError where something has it."""
    try:
        os.link(path, name)
    except FileExistsError:
        raise
    except OSError:  # a file system that knows no links
        if os.path.lexists(name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(name)) from None
        path.rename(name)
    else:
        path.unlink()


def rewrite_file(path: Path, content: bytes) -> None:
    """Write a file of the person's own at once, as `replace_file` does: all of it or nothing.

    It keeps its mode, a new one has that of any new file; a link is followed, but none that another
    user put there. What is no regular file, such as a pipe, is written to. Raises OSError.
    """
    try:
        if path.is_symlink() and path.lstat().st_uid not in _ours():
            raise OSError(errno.ELOOP, "it is a link that another user made")
        status = path.stat()
    except FileNotFoundError:
        path.resolve().parent.stat()  # a folder that is missing is not made for it
        mode = 0o666 & ~_umask()
    else:
        if not stat.S_ISREG(status.st_mode):
            _write_into(path, content)
            return
        mode = stat.S_IMODE(status.st_mode)
    replace_file(path.resolve(), content, mode)


def _ours() -> tuple[int, ...]:
    """The users who may lead us to another file: ourselves, and who may do anything."""
    return (os.geteuid(), 0) if os.name == "posix" else (0,)


def _write_into(path: Path, content: bytes) -> None:
    # A pipe that nobody reads is refused: else we would wait for a reader, for ever.
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    if os.name == "posix":
        os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)


@contextlib.contextmanager
def lock_beside(path: Path, seconds: float) -> Iterator[Iterator[None]]:
    """A lock on the file `PATH.lock`, of which the system lets go with the process.

    Whoever takes it goes through what this gives, to its end, and pauses at each step in a way that
    suits: a thread sleeps, a coroutine lets others go on. Raises OSError; it is TimeoutError where
    another has had the lock for so many seconds.
    """
    private_directory(path.parent)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    file = os.open(path.with_name(f"{path.name}.lock"), flags, 0o600)
    try:
        yield _until_locked(file, time.monotonic() + seconds)
    finally:
        os.close(file)


def _until_locked(file: int, end: float) -> Iterator[None]:
    while not lock_open_file(file):
        if time.monotonic() > end:
            raise TimeoutError("another process has had it for too long")
        yield


@contextlib.contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Within this no other process of ours changes a file: it is read, changed and written.

    It sleeps while another does: never on an event loop. Raises OSError, also where that takes too
    long.
    """
    with lock_beside(path, LOCK_SECONDS) as looks:
        for _ in looks:
            time.sleep(POLL_SECONDS)
        yield


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def program(name: str, search: str | None = None) -> str | None:
    """The absolute path of a program, looked for in the absolute directories of `search` (PATH).

    The current directory is never looked into, which Windows does first and an empty or relative
    entry of PATH asks for: what lies in a folder that somebody cloned is no program of the system.
    None when there is none, or when `name` is no plain name.
    """
    if not name or Path(name).name != name:
        return None
    endings = [""]
    if sys.platform == "win32" and not Path(name).suffix:
        endings = os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";")
    entries = os.environ.get("PATH", os.defpath) if search is None else search
    for directory in entries.split(os.pathsep):
        for ending in endings if Path(directory).is_absolute() else ():
            # With a directory before it nothing else is searched.
            found = shutil.which(str(Path(directory, name + ending)))
            if found is not None:
                return found
    return None


def windows_program(name: str) -> str | None:
    """The absolute path of a program that belongs to Windows itself; None where there is none."""
    return program(name, str(Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32")))


if sys.platform == "win32":
    import msvcrt

    def lock_open_file(file: int) -> bool:
        """Lock an open file, if nobody else has; the system lets go of it with the process."""
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def lock_open_file(file: int) -> bool:
        """Lock an open file, if nobody else has; the system lets go of it with the process."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
