"""A hook's address whose certificate cannot be trusted is no address that is off."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from elicit_tui.errors import HookError
from elicit_tui.hooks.running import run_hook
from tests.hooks.world import hook
from tests.servers.tls import ELSEWHERE, HERE, an_authority, listening


@pytest.mark.parametrize(
    ("names", "trusted", "reason"),
    [
        (HERE, False, "its certificate is of no authority that this machine trusts"),
        (ELSEWHERE, True, "its certificate is for another address"),
    ],
    ids=["untrusted", "wrong name"],
)
def test_a_certificate_that_cannot_be_trusted_is_told_as_that(
    names: object, trusted: bool, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = an_authority(tmp_path)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with listening(authority.signs(tmp_path, names, 1)) as port:  # type: ignore[arg-type]
        one = hook("Asked", url=f"https://127.0.0.1:{port}/secret-of-the-address")
        with pytest.raises(HookError) as caught:
            asyncio.run(run_hook(one, b"{}"))
    assert str(caught.value) == (f"could not be reached: {reason}; somebody may stand in between")
