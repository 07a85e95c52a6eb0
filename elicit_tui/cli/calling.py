"""The one way of `call`, `prompt` and `read`: understand, start the server, make the call.

The server's process gets ready while the rest of this program, and the SDK, are being imported.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.preparing import prepare

if TYPE_CHECKING:
    from elicit_tui.elicitation.request import Method


def run_call(namespace: argparse.Namespace, method: Method, pairs: list[str]) -> int:
    """Run `call`, `prompt` or `read`; the exit code. Raises UsageError and ConfigError."""
    prepared = prepare(namespace, method, pairs)
    from elicit_tui.host.launch import launch_servers

    with Interrupts() as interrupts:
        launched = launch_servers(prepared.settings, (namespace.server,))
        from elicit_tui.cli.one_call import OneCall

        return OneCall(prepared, launched, interrupts).run()
