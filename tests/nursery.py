"""Processes of a Python program that are ready at once: each a fork of one that has imported all.

    python -S nursery.py SOCKET ARGUMENT…       one such process
    python nursery.py --forks SOCKET            forks of `elicit-tui ARGUMENT…`

The first hands its standard streams, arguments, environment and directory over and ends with the
exit code of the fork, so that who started it sees a process of its own.
"""

import _socket  # The small one: with what `socket` imports this process would start half as fast.
import os
import sys

LOADED_LATE = (
    "anyio._backends._asyncio",
    "elicit_tui.cli.call",
    "elicit_tui.cli.dispatch",
    "elicit_tui.cli.test",
    "elicit_tui.config.locating",
    "elicit_tui.host.rounds",
    "elicit_tui.host.task_follower",
    "elicit_tui.host.unjudged",
    "platformdirs.unix",
    "tomli",
)
"""What `elicit-tui` imports when it needs it."""
STREAMS = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))


def main() -> int:
    nursery = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    nursery.connect(sys.argv[1])
    environment = (f"{name}={value}" for name, value in os.environ.items())
    here = os.getcwd()  # noqa: PTH109 - pathlib takes longer to import than all the rest
    told = "\0".join((here, str(len(sys.argv)), *sys.argv[2:], *environment))
    nursery.sendmsg([told.encode()], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, STREAMS)])
    for stream in (0, 1, 2):
        os.close(stream)
    return int.from_bytes(nursery.recv(1), sys.byteorder)


def serve_forks(path: str, program) -> None:  # type: ignore[no-untyped-def]
    """Fork `program(arguments)`, which gives an exit code, for each process that comes."""
    import signal
    from pathlib import Path

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
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
    """Run one fork on the client's streams, and tell the client how it ended."""
    said, handed, *_ = client.recvmsg(1 << 20, 64)
    streams = [int.from_bytes(handed[0][2][at : at + 4], sys.byteorder) for at in (0, 4, 8)]
    place, count, *told = said.decode().split("\0")
    arguments, environment = told[: int(count) - 2], told[int(count) - 2 :]
    child = os.fork()
    if child == 0:
        client.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir(place)
        os.environ.clear()
        os.environ.update(each.split("=", 1) for each in environment)
        try:
            code = program(arguments)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        sys.stdout.flush()
        os._exit(code)
    for number in (*streams, 0, 1, 2):
        os.close(number)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    client.send((code if code >= 0 else 128 - code).to_bytes(1, sys.byteorder))
    return 0


def ready_program():  # type: ignore[no-untyped-def]
    """`elicit-tui` with all in memory that a call, or a run of scenarios, loads."""
    import importlib

    from elicit_tui.host.sdk import load_sdk

    load_sdk(remote=True)  # Before all that needs a part of it.
    for module in LOADED_LATE:
        importlib.import_module(module)
    from elicit_tui.cli import run
    from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
    from elicit_tui.form.schema_reading import read_form
    from elicit_tui.guardian import Guardian

    schema = {"type": "object", "properties": {"n": {"type": "string", "pattern": "a"}}}
    asked = {"mode": "form", "message": "Which password?", "requestedSchema": schema}
    Guardian().review(ElicitationRequest(ServerIdentity("s", "stdio", ""), asked))
    read_form(schema).judge({"n": "a"})
    return run


if __name__ == "__main__":
    if sys.argv[1] == "--forks":
        sys.path.pop(0)  # This file's own folder, which no run of elicit-tui has.
        serve_forks(sys.argv[2], ready_program())
    sys.exit(main())
