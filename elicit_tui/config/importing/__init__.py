"""Reads the servers of other programs' files and writes them as TOML for ours."""

from elicit_tui.config.importing.importer import (
    Collected,
    Imported,
    Moved,
    collect,
    import_from,
    import_text,
    move,
)

__all__ = ["Collected", "Imported", "Moved", "collect", "import_from", "import_text", "move"]
