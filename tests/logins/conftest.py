"""One process that wants a login and gives it, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.logins.browser import LoginServer, login_server


@pytest.fixture(scope="session")
def login_process() -> Iterator[LoginServer]:
    with login_server() as server:
        yield server


@pytest.fixture
def server(login_process: LoginServer) -> LoginServer:
    """As if it had just been started."""
    login_process.reset()
    return login_process
