"""The command `elicit-tui`, also as `python -m elicit_tui`."""

import os
import sys


def main() -> int:
    """Run the command line and return its exit code (docs/ci.md, "Exit codes")."""
    if "_ARGCOMPLETE" in os.environ:
        from elicit_tui.cli.completion import complete

        complete()
    from elicit_tui.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
