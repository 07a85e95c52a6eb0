"""A hook that does as it is told: `python hook.py BEHAVIOUR LOG [JSON]`.

It appends what it read from standard input to LOG, with its arguments and its environment, each
call one JSON line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    behaviour, log = sys.argv[1], Path(sys.argv[2])
    read = sys.stdin.read()
    with log.open("a") as file:
        told = {"input": json.loads(read), "arguments": sys.argv, "environment": dict(os.environ)}
        told |= {"terminal": any(os.isatty(number) for number in range(3)), "cwd": str(Path.cwd())}
        file.write(json.dumps(told) + "\n")
    if behaviour == "answers":
        print(sys.argv[3])
    elif behaviour == "declines":
        print("not on a Friday", file=sys.stderr)
        return 2
    elif behaviour == "hangs":
        time.sleep(60)
    elif behaviour == "hangs with a session":
        sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
        Path(sys.argv[3]).write_text(str(subprocess.Popen(sleep, start_new_session=True).pid))
        time.sleep(60)
    elif behaviour == "crashes":
        raise SystemExit("it broke \x1b[31m")
    elif behaviour == "nonsense":
        print("I think yes")
    elif behaviour == "floods":
        piece = "x" * 1_000_000
        for _ in range(50):
            print(piece, flush=True)
    elif behaviour == "leaves":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        Path(sys.argv[3]).write_text(str(child.pid))
    return 0


if __name__ == "__main__":
    sys.exit(main())
