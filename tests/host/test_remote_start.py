"""A remote server that cannot be reached as configured: which of many reasons it was."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest
from cryptography import x509

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import ServerError
from tests.cli.running import run
from tests.host.world import http_server, world
from tests.servers.tls import ELSEWHERE, HERE, Authority, an_authority, listening

WAIT = 20
SECRET = "the-bearer-nobody-else-may-see"
pytestmark = pytest.mark.anyio


async def failure(server: ServerSettings) -> str:
    async with world(server) as here:
        with pytest.raises(ServerError) as caught:
            await asyncio.wait_for(here.host.connect(server.name), WAIT)
        return str(caught.value)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return an_authority(tmp_path_factory.mktemp("authority"))


STANDS_BETWEEN = "; somebody may stand in between."


@pytest.mark.parametrize(
    ("names", "until", "trusted", "reason"),
    [
        (HERE, 1, False, "its certificate is of no authority that this machine trusts"),
        (HERE, -1, True, "its certificate has expired"),
        (ELSEWHERE, 1, True, "its certificate is for another address"),
    ],
    ids=["untrusted", "expired", "wrong name"],
)
async def test_a_server_whose_certificate_cannot_be_trusted_is_no_server_that_is_off(
    names: x509.SubjectAlternativeName,
    until: int,
    trusted: bool,
    reason: str,
    authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with listening(authority.signs(tmp_path, names, until)) as port:
        said = await failure(ServerSettings("remote", url=f"https://127.0.0.1:{port}/mcp"))
    assert said == f"The server remote cannot be used: {reason}{STANDS_BETWEEN}"


def test_the_program_tells_each_certificate_that_it_cannot_trust_from_an_outage(
    authority: Authority, tmp_path: Path
) -> None:
    signed = {"untrusted": (HERE, 1), "expired": (HERE, -1), "elsewhere": (ELSEWHERE, 1)}
    lines = ['[mcp_servers.off]\nurl = "https://127.0.0.1:9/mcp"\n']
    with ExitStack() as open_ports:
        for name, (names, until) in signed.items():
            directory = tmp_path / name
            directory.mkdir()
            by = an_authority(directory) if name == "untrusted" else authority
            port = open_ports.enter_context(listening(by.signs(directory, names, until)))
            lines.append(f'[mcp_servers.{name}]\nurl = "https://127.0.0.1:{port}/mcp"\n')
        (tmp_path / "config.toml").write_text("".join(lines))
        config = ("--config", str(tmp_path / "config.toml"))
        done = run(*config, "tools", env={"SSL_CERT_FILE": str(authority.file)})
    assert done.code == 4
    reasons = {
        "untrusted": "its certificate is of no authority that this machine trusts",
        "expired": "its certificate has expired",
        "elsewhere": "its certificate is for another address",
    }
    for name, reason in reasons.items():
        assert f"The server {name} cannot be used: {reason}{STANDS_BETWEEN}" in done.stderr
    assert done.stderr.count("nothing answers") == 1, done.stderr


async def test_a_server_that_does_not_speak_tls_is_told_as_that() -> None:
    with listening(None) as port:
        said = await failure(ServerSettings("remote", url=f"https://127.0.0.1:{port}/mcp"))
    assert said == (
        "The server remote cannot be used: it cannot be spoken to in TLS (https); its address may "
        "want http."
    )


LINE_END = "there is a line end in it (as from a file with the line ends of Windows)"
NOT_ASCII = "there is a character outside ASCII in it"


@pytest.mark.parametrize(
    ("token", "fault"),
    [
        (f"{SECRET}\r", LINE_END),
        (f"{SECRET}\r\nX-Injected: yes", LINE_END),
        (f"{SECRET}ö", NOT_ASCII),
        (f" {SECRET}", "it begins or ends with a blank"),
        (f"{SECRET}\x7f", "there is a control character in it"),
    ],
    ids=["carriage return", "another header", "not ASCII", "a blank", "a control"],
)
async def test_a_secret_that_cannot_be_sent_is_told_by_where_it_came_from_and_never_itself(
    token: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEARER", token)
    with http_server() as url:
        server = ServerSettings("remote", url=url, bearer_token_env_var="BEARER")
        said = await failure(server)
        assert said == (
            "The bearer token of the server remote, from the environment's BEARER, cannot be sent: "
            f"{fault}."
        )
        headers = {"X-Key": f"key {token}" if token[0] != " " else token}
        made_of = {"X-Key": ("BEARER",)}
        server = ServerSettings("remote", url=url, http_headers=headers, header_variables=made_of)
        assert await failure(server) == (
            "The header X-Key of the server remote, from the environment's BEARER, cannot be sent: "
            f"{fault}."
        )


def test_the_program_writes_no_secret_that_cannot_be_sent(tmp_path: Path) -> None:
    with http_server() as url:
        config = tmp_path / "config.toml"
        config.write_text(f'[mcp_servers.r]\nurl = "{url}"\nbearer_token_env_var = "BEARER"\n')
        line = ("--config", str(config), "call", "r", "ask", "--output", "json")
        done = run(*line, env={"BEARER": f"{SECRET}\r"})
    assert done.code == 4
    assert SECRET not in done.stderr + done.stdout
    said = f"from the environment's BEARER, cannot be sent: {LINE_END}."
    assert said in done.stderr
    assert said in done.document["error"]["message"]
