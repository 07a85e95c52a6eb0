"""Runs `elicit-tui` many times as processes of their own, without loading it as many times.

    python -m tests.hostile.forks

Each line of standard input is a run: its arguments, its environment, the two files that it writes
to and its limit in seconds. A child is forked for it, and its exit code and the MiB of memory that
it took are written as a line.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any


def load() -> None:
    """All that a call, a list or a record needs; what is not here a child loads itself."""
    import elicit_tui.cli.dispatch
    import elicit_tui.cli.history
    import elicit_tui.cli.listing
    import elicit_tui.cli.one_call
    import elicit_tui.runtime  # noqa: F401
    from elicit_tui.guardian import Guardian
    from elicit_tui.host.sdk import load_sdk

    load_sdk(remote=True)
    Guardian().rules  # noqa: B018 - loads the families


def child(job: dict[str, Any]) -> None:
    os.environ.clear()
    os.environ.update(job["environment"])
    for number, name in enumerate((os.devnull, job["stdout"], job["stderr"])):
        descriptor = os.open(name, os.O_WRONLY | os.O_APPEND if number else os.O_RDONLY)
        os.dup2(descriptor, number)
        os.close(descriptor)
    from elicit_tui.cli import run

    code = 70
    try:
        code = run(job["arguments"])
        sys.stdout.flush()
    finally:
        os._exit(code)


def ended(process: int, seconds: float) -> tuple[int, int]:
    """The exit code of a child and the MiB it took; what takes too long is killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status, used = os.wait4(process, os.WNOHANG)
        if found:
            unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
            return os.waitstatus_to_exitcode(status), used.ru_maxrss // unit
        time.sleep(0.005)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return -signal.SIGKILL, 0


def main() -> None:
    load()
    for line in sys.stdin:
        job = json.loads(line)
        process = os.fork()
        if not process:
            child(job)
        print(*ended(process, job["seconds"]), flush=True)


if __name__ == "__main__":
    main()
