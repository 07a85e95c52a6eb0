"""elicit-tui whose processes give a Redis that is away a second or two instead of half a minute.

    hurried.py ARGUMENT…

CLOCK_AHEAD in its environment sets its clock: so many seconds before everybody else's. AS_SHIPPED
leaves every wait as it is.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime, timedelta, timezone

from elicit_tui.__main__ import main
from elicit_tui.broker import store_reader
from elicit_tui.elicitation import request
from elicit_tui.store import redis_questions, redis_server

CLOCK_AHEAD = timedelta(seconds=float(os.environ.get("CLOCK_AHEAD", "0")))


def ahead() -> datetime:
    return datetime.now(timezone.utc) + CLOCK_AHEAD


# Others have the function `now` already, so it is that one which tells another time.
request.CLOCK_AHEAD = CLOCK_AHEAD  # type: ignore[attr-defined]
request.now.__code__ = ahead.__code__

PATIENCE = 1.0

if not os.environ.get("AS_SHIPPED"):
    for module in (redis_server, redis_questions):
        module.BLOCK_SECONDS = 0.3  # type: ignore[misc]
        module.PATIENCE_SECONDS = PATIENCE  # type: ignore[misc]
    redis_server.SOCKET_SECONDS = 0.3  # type: ignore[misc]
    redis_questions.RedisQuestions.patience_sec = PATIENCE
    redis_questions.RESTORE_SECONDS = 5.0  # type: ignore[misc]
    store_reader.BEAT_SECONDS = 0.3  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())
