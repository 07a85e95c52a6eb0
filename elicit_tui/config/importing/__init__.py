"""Reads the servers of other programs' files and writes them as TOML for ours."""

from elicit_tui.config.importing.importer import Imported, import_from, import_text

__all__ = ["Imported", "import_from", "import_text"]
