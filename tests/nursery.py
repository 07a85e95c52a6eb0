"""Processes of a Python program that are ready at once: each a fork of one that has imported all.

    python -S nursery.py SOCKET ARGUMENT…       one such process
    python nursery.py --forks SOCKET            forks of `elicit-tui ARGUMENT…`
    python nursery.py --servers SOCKET          forks of `python SERVER ARGUMENT…`, a server of ours
    python nursery.py --modules SOCKET          forks of `python -m MODULE ARGUMENT…`, of MODULES
    python nursery.py --client SOCKET           forks of the conformance suite's client of our host

The first hands its standard streams, arguments, environment and directory over and ends as the fork
does, by an exit code or a signal, so that who started it sees a process of its own; the fork ends
with it.
"""

import _signal
import _socket  # The small one: with what `socket` imports this process would start half as fast.
import os
import sys

ANYIO = "anyio._backends._asyncio"
ELICIT_TUI = (
    ANYIO,
    "concurrent.futures.thread",
    "elicit_tui.cli.asking",
    "elicit_tui.cli.call",
    "elicit_tui.cli.dispatch",
    "elicit_tui.cli.one_call",
    "elicit_tui.cli.result_output",
    "elicit_tui.cli.telling",
    "elicit_tui.cli.test",
    "elicit_tui.config.locating",
    "elicit_tui.host.rounds",
    "elicit_tui.host.task_follower",
    "elicit_tui.host.unjudged",
    "elicit_tui.tui.console.run",
    "elicit_tui.tui.console.screens.result_reader",
    "elicit_tui.tui.question",
    "platformdirs.unix",
    "tomli",
)
"""What `elicit-tui` imports when it needs it."""
SERVERS = (
    ANYIO,
    "elicit_tui.demo.server",
    "mcp.server.sse",
    "mcp.server.stdio",
    "mcp.server.streamable_http_manager",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "asking",
    "tasking",
    "whole",
    "workshop",
)
"""What servers with the SDK import, and the bundled one."""
CLIENT = (
    ANYIO,
    "elicit_tui.host.task_follower",
    "platformdirs.unix",
)
"""What the client of the conformance suite imports when it needs it."""
MODULES = (
    "tests.broker.crowd",
    "tests.gateway.answerer",
    "tests.ledger.walking",
    "tests.store.waiting",
)
"""Programs of the tests that are started by the dozen."""
STREAMS = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))
NEW_SESSION = "session"
"""The fork leads a session of its own, whose terminal is its standard input."""


def main() -> int:
    nursery = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    nursery.connect(sys.argv[1])
    # pathlib takes longer to import than all the rest.
    environment = (f"{name}={value}" for name, value in os.environ.items())
    hand_over(nursery, sys.argv[2:], environment, os.getcwd(), STREAMS)  # noqa: PTH109
    for stream in (0, 1, 2):
        os.close(stream)
    number(nursery)
    code = number(nursery)
    if code < 0:  # It was killed: so it is for who started this.
        if -code != _signal.SIGKILL:
            _signal.signal(-code, _signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def hand_over(nursery, arguments, environment, place, streams, session="") -> None:  # type: ignore[no-untyped-def]
    """Ask for a fork. It answers with its process id, and later with how it ended."""
    told = "\0".join((session, place, str(len(arguments)), *arguments, *environment))
    nursery.sendmsg([told.encode()], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])


def number(nursery) -> int:  # type: ignore[no-untyped-def]
    """The next number that the nursery tells: an exit code, or minus a signal."""
    told = nursery.recv(4)
    return int.from_bytes(told, sys.byteorder, signed=True) if told else -9


def serve_forks(path: str, program) -> None:  # type: ignore[no-untyped-def]
    """Fork `program(arguments)`, which gives an exit code, for each process that comes."""
    import gc
    import signal
    from pathlib import Path

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    door.bind(f"{path}.new")
    door.listen(64)
    Path(f"{path}.new").rename(path)
    while True:
        descriptor, _ = door._accept()
        if os.fork() == 0:
            door.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os._exit(watch(_socket.socket(fileno=descriptor), program))
        os.close(descriptor)


def watch(client, program) -> int:  # type: ignore[no-untyped-def]
    """Run one fork on the client's streams, tell the client how it ended, and end it with it."""
    said, handed, *_ = client.recvmsg(1 << 20, 64)
    streams = [int.from_bytes(handed[0][2][at : at + 4], sys.byteorder) for at in (0, 4, 8)]
    session, place, count, *told = said.decode().split("\0")
    child = os.fork()
    if child == 0:
        client.close()
        for place_of, stream in enumerate(streams):
            os.dup2(stream, place_of)
        for stream in streams:
            os.close(stream)
        be_started(session, place, told[int(count) :])
        os._exit(code_of(program, told[: int(count)]))
    for stream in {*streams, 0, 1, 2}:
        os.close(stream)
    tell(client, child)
    end_with(client, child)
    _, status = os.waitpid(child, 0)
    tell(client, os.waitstatus_to_exitcode(status))
    return 0


def be_started(session, place, environment) -> None:  # type: ignore[no-untyped-def]
    """As a process that was just started there."""
    if session == NEW_SESSION:
        import fcntl
        import termios

        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(place)
    os.environ.clear()
    os.environ.update(each.split("=", 1) for each in environment)


def code_of(program, arguments) -> int:  # type: ignore[no-untyped-def]
    """Run the program to its end."""
    try:
        code = program(arguments)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    sys.stdout.flush()
    return code or 0


def end_with(client, child: int) -> None:  # type: ignore[no-untyped-def]
    """Return when the fork has ended; kill it when whoever asked for it has gone."""
    if not hasattr(os, "pidfd_open"):
        return
    import select

    ended = os.pidfd_open(child)
    ready, _, _ = select.select([client, ended], [], [])
    if ended not in ready:
        os.kill(child, 9)


def tell(client, what: int) -> None:  # type: ignore[no-untyped-def]
    import contextlib

    with contextlib.suppress(OSError):  # Whoever asked has gone.
        client.send(what.to_bytes(4, sys.byteorder, signed=True))


def ready_program():  # type: ignore[no-untyped-def]
    """`elicit-tui` with all in memory that a call, or a run of scenarios, loads."""
    import importlib

    from elicit_tui.host.sdk import load_sdk

    load_sdk(remote=True)  # Before all that needs a part of it.
    for module in ELICIT_TUI:
        importlib.import_module(module)
    from elicit_tui.cli import run
    from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
    from elicit_tui.form.schema_reading import read_form
    from elicit_tui.guardian import Guardian

    guardian, server = Guardian(), ServerIdentity("s", "stdio", "")
    for asked in requests():
        guardian.review(ElicitationRequest(server, asked))
        if asked["mode"] == "form":
            read_form(asked["requestedSchema"]).judge({"n": "a"})
    return run


def requests():  # type: ignore[no-untyped-def]
    """Every fiftieth of the labelled requests: what the guardian keeps of words and patterns."""
    import json
    from itertools import islice
    from pathlib import Path

    with Path(__file__).with_name("data").joinpath("elicitations.jsonl").open("rb") as lines:
        yield from map(json.loads, islice(lines, 0, None, 50))


def ready_client():  # type: ignore[no-untyped-def]
    """The conformance suite's client, with all in memory that it loads."""
    import asyncio
    import importlib
    from pathlib import Path

    from elicit_tui.host.sdk import load_sdk

    load_sdk(remote=True)
    for module in CLIENT:
        importlib.import_module(module)
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.conformance.client import main

    return lambda arguments: asyncio.run(main(arguments[0]))


def ready_servers():  # type: ignore[no-untyped-def]
    """A server of these tests by its file, with the SDK in memory."""
    import importlib
    import runpy
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).with_name("servers")))
    for module in SERVERS:
        importlib.import_module(module)

    def run(arguments):  # type: ignore[no-untyped-def]
        sys.argv = list(arguments)
        runpy.run_path(arguments[0], run_name="__main__")

    return run


def ready_modules():  # type: ignore[no-untyped-def]
    """A program of the tests, with all that it imports in memory."""
    import importlib
    import runpy
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1]))
    for module in (ANYIO, *MODULES):
        importlib.import_module(module)

    def run(arguments):  # type: ignore[no-untyped-def]
        module, *sys.argv[1:] = arguments
        del sys.modules[module]  # It is run anew.
        runpy.run_module(module, run_name="__main__", alter_sys=True)

    return run


if __name__ == "__main__":
    if sys.argv[1].startswith("--"):
        sys.path.pop(0)  # This file's own folder, which no run of elicit-tui has.
        ready = {
            "--forks": ready_program,
            "--servers": ready_servers,
            "--modules": ready_modules,
            "--client": ready_client,
        }
        serve_forks(sys.argv[2], ready[sys.argv[1]]())
    sys.exit(main())
