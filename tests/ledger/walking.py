"""A process that walks questions through a ledger, and dies where it is told to.

    walking.py LEDGER QUESTIONS [STEP]

Waits for a line on standard input, then takes each question through asked, shown, answered and
sent; `answer ID` on standard output is the answer that leaves. With STEP, the process kills itself
right after that step of the last question.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from elicit_tui.elicitation import Review, accept
from elicit_tui.ledger import Ledger
from tests.ledger.world import request

STEPS = ("asked", "shown", "answered", "decided", "answer", "sent")


def tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main(path: str, questions: str, last_step: str = "") -> None:
    sys.stdin.readline()
    ledger = Ledger.open(Path(path))
    for left in reversed(range(int(questions))):
        asked = request()
        outcome = accept("user", "Sent.", {"environment": "staging"})
        for step in STEPS:
            if step == "asked":
                ledger.asked(asked, Review())
            elif step == "decided":
                ledger.decided(asked, outcome, Review())
            elif step == "sent":
                ledger.sent(asked.id)
            tell(f"{step} {asked.id}")
            if step == last_step and not left:
                os.kill(os.getpid(), signal.SIGKILL)
    ledger.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
