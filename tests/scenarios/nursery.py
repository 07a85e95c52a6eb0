"""Processes of a Python server that are ready at once: each a fork of one that has imported all.

    python -S nursery.py SOCKET ARGUMENT…       one such process, as its client starts it

It hands its standard streams and arguments over and ends with the exit code of the fork, so that
who started it sees a server of its own.
"""

import _socket  # The small one: with what `socket` imports this process would start half as fast.
import os
import sys

STREAMS = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))


def main() -> int:
    nursery = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    nursery.connect(sys.argv[1])
    arguments = "\0".join(sys.argv[2:]).encode()
    nursery.sendmsg([arguments], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, STREAMS)])
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
    said, told, *_ = client.recvmsg(65536, 64)
    streams = [int.from_bytes(told[0][2][at : at + 4], sys.byteorder) for at in (0, 4, 8)]
    child = os.fork()
    if child == 0:
        client.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        code = program(said.decode().split("\0"))
        sys.stdout.flush()
        os._exit(code)
    for number in (*streams, 0, 1, 2):
        os.close(number)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    client.send((code if code >= 0 else 128 - code).to_bytes(1, sys.byteorder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
