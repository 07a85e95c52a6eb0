"""Attacks of a remote server: one sentence, bounded time and memory, and nothing leaks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.forks import ready_python
from tests.hostile.running import run
from tests.hostile.tricks import COMMAND_LINES, FORBIDDEN

REMOTE = Path(__file__).with_name("remote.py")
SECRET = "the-bearer-nobody-else-may-see"
SHORT, LONG = 1, 30
"""Limits in seconds: of what is slow for ever, and of what must end before any of them."""

MEBIBYTES = 160
"""More than a run with a message of the largest size needs; the bombs would take gigabytes."""

SLOW = 'did not answer "play" within 1 second'
NOT_READY = "was not ready within 1 second"
ENDLESS = "wrote 32 MiB without a whole message in them"
COMPRESSED = "answered in a compression that it was not asked for"
ELSEWHERE = "it redirects to another place, which is not followed: "
SESSION = "gave its session an id that the protocol does not allow"
KIND = "its answer is neither JSON nor an event stream but "

ANOTHER_PLACE = "wants its messages at another place, which is not done: "
NO_PLACE = "does not say where its messages go."

TOLD = {
    "slow_headers": SLOW,
    "slow_body": SLOW,
    "slow_event": SLOW,
    "never_answered": SLOW,
    "endless_headers": "the connection broke",
    "endless_interim_answers": f"{ENDLESS}|{SLOW}",
    "endless_chunk_extensions": ENDLESS,
    "endless_body": ENDLESS,
    "endless_event": ENDLESS,
    "endless_lines_of_an_event": ENDLESS,
    "endless_comments": ENDLESS,
    "endless_events_of_no_kind": f"{ENDLESS}|{SLOW}",
    "endless_empty_events": f"{ENDLESS}|{SLOW}",
    "redirect_to_another_host": ELSEWHERE,
    "redirect_to_another_host_by_get": ELSEWHERE,
    "redirect_with_another_user": ELSEWHERE,
    "redirect_in_a_loop": ELSEWHERE,
    "redirect_to_a_file": ELSEWHERE,
    "redirect_to_nonsense": KIND,
    "redirect_with_escapes": ELSEWHERE,
    "gzip_bomb": COMPRESSED,
    "gzip_in_gzip_bomb": COMPRESSED,
    "deflate_bomb": COMPRESSED,
    "nested_deep": "its answer is nested too deep",
    "nested_deep_in_an_event": "its answer is nested too deep",
    "nested_some": "its answer is nested too deep",
    "number_huge_integer": "its answer holds a number that is too long",
    "lone_surrogates": "its answer is not valid JSON",
    "bad_utf8": "its answer is not valid JSON",
    "body_empty": "its answer is not valid JSON",
    "unknown_message": "its answer is not a message of the protocol",
    "kind_html": f"{KIND}text/html",
    "kind_missing": f"{KIND}of no kind at all",
    "kind_hostile": f"{KIND}text/␛",
    "error_page_of_a_gigabyte": KIND,
    "error_status_hostile": "(HTTP 418)",
    "body_of_another_id": SLOW,
    "body_is_a_question": SLOW,
    "state_of_10_megabytes": "is not what the protocol allows",
    "resumed_for_ever_at_once": SLOW,
    "resumed_before_it_ended": SLOW,
    "resumed_in_a_thousand_years": f"broke off its answer|{SLOW}",
    "resumed_never": f"broke off its answer|{SLOW}",
    "session_with_controls": SESSION,
    "session_not_ascii": SESSION,
    "session_folded": SESSION,
    "session_huge": SESSION,
    "greeting_never_answered": NOT_READY,
    "greeting_slow_headers": NOT_READY,
    "greeting_endless_body": ENDLESS,
    "greeting_endless_comments": ENDLESS,
    "greeting_html": f"{KIND}text/html",
    "greeting_redirected": ELSEWHERE,
    "greeting_gzip_bomb": COMPRESSED,
    "old_elsewhere": f"{ANOTHER_PLACE}http://localhost:1.",
    "old_file": f"{ANOTHER_PLACE}file://.",
    "old_nonsense": "gives an address for its messages that is none.",
    "old_silent": NOT_READY,
    "old_comments": NO_PLACE,
    "old_endless_event": NO_PLACE,
    "old_redirected": "(HTTP 307)",
    "old_html": "text/html",
    "old_two_endpoints": "ended the connection",
}
"""The words in the one sentence that each attack ends with; `|` between two that may be."""

HARMLESS = (
    "plain",
    "number_4000_digits",
    "number_huge_exponent",
    "number_not_a_number",
    "duplicate_keys",
    "farewell_never_answered",
    "stream_that_always_ends",
    "stream_that_never_ends",
)


@contextmanager
def server(attack: str, other: str = "") -> Iterator[tuple[str, list[str]]]:
    """A hostile server; its port, and after the block what it was sent."""
    command = [*ready_python(), str(REMOTE), attack, other]
    seen: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), seen
        finally:
            process.kill()
            seen.append(process.communicate()[1])


def configured(directory: Path, port: str, attack: str, more: str = "") -> Path:
    file = directory / "config.toml"
    told = TOLD.get(attack, "")
    file.write_text(
        "[mcp_servers.remote]\n"
        f'url = "http://127.0.0.1:{port}/mcp"\n'
        f'transport = "{"sse" if attack.startswith("old_") else "http"}"\n'
        f"startup_timeout_sec = {SHORT if NOT_READY in told else LONG}\n"
        f"tool_timeout_sec = {SHORT if SLOW in told else LONG}\n"
        'bearer_token_env_var = "BEARER"\n'
        f'http_headers = {{ X-Secret = "{SECRET}" }}\n{more}'
    )
    return file


@pytest.mark.parametrize("attack", TOLD)
def test_a_remote_attack_ends_the_call_with_one_sentence(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEARER", SECRET)
    with server("plain") as (other, seen_by_other), server(attack, other) as (port, _):
        file = configured(tmp_path, port, attack)
        done = run(
            "--config", str(file), "call", "remote", "play", "--output", "json", most=MEBIBYTES
        )
    told = done.stderr.decode()
    document = json.loads(done.stdout)
    said = [line for line in told.splitlines() if line.startswith("elicit-tui: ")]
    # A round sent by a server that was spoken to in the older revision: which key to try.
    advised = ["2026-07-28" in line for line in said[1:]]
    assert advised == ([True] if attack == "state_of_10_megabytes" else []), told
    assert any(words in said[0] for words in TOLD[attack].split("|")), told
    assert len(told) < 1_000
    assert done.returncode == document["exitCode"] in (4, 5)
    assert "Traceback" not in told
    assert not FORBIDDEN.search(told)
    assert not COMMAND_LINES.search(told)
    # Another place never hears of us, whatever the first one says.
    assert seen_by_other == [""]


@pytest.mark.parametrize("attack", HARMLESS)
def test_what_is_only_odd_costs_nothing(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEARER", SECRET)
    with server(attack) as (port, seen):
        file = configured(tmp_path, port, attack)
        done = run(
            "--config", str(file), "call", "remote", "play", "--output", "json", most=MEBIBYTES
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["error"] is None
    assert SECRET in seen[0]


def test_a_state_of_megabytes_goes_back_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEARER", SECRET)
    with server("modern_state_of_10_megabytes") as (port, _):
        file = configured(tmp_path, port, "", 'protocol = "2026-07-28"\n')
        done = run("--config", str(file), "call", "remote", "play", "--output", "json")
    assert json.loads(done.stdout)["result"]["sizeBack"] == 10_000_000, done.stderr


@pytest.mark.parametrize(
    "attack", ["greeting_endless_comments", "greeting_gzip_bomb", "old_silent"]
)
def test_other_servers_go_on_beside_an_attack(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEARER", SECRET)
    with server("plain") as (good, _), server(attack) as (port, _):
        more = f'[mcp_servers.good]\nurl = "http://127.0.0.1:{good}/mcp"\n'
        file = configured(tmp_path, port, attack, more)
        done = run("--config", str(file), "tools", "--output", "json")
    assert done.returncode == 4
    assert [tool["server"] for tool in json.loads(done.stdout)] == ["good"]
    assert len(done.stderr.splitlines()) == 1
