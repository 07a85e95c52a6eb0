"""Logins to remote servers: where they are kept, and how a browser comes back from one.

Nothing here speaks OAuth; `host` does, by the SDK.
"""

from elicit_tui.logins.login import Login, LoginKey
from elicit_tui.logins.redirect import Redirect, RedirectListener
from elicit_tui.logins.shelf import LoginShelf

__all__ = ["Login", "LoginKey", "LoginShelf", "Redirect", "RedirectListener"]
