"""A secret's value is known by its look, wherever it stands, and ordinary text is left alone."""

from __future__ import annotations

import json

import pytest

from elicit_tui.elicitation import MASK, shapes
from elicit_tui.elicitation.shapes import (
    has_password,
    is_secret_name,
    masked,
    secret_kind,
    secrets_in,
)
from tests.bounds import bounded
from tests.guardian.scores import OWN

PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("password: hunter2", "named_secret", "password: •••"),
        ("DB_PASSWORD=hunter2", "named_secret", "DB_PASSWORD=•••"),
        ('{"password": "hunter2"}', "named_secret", '{"password": "•••"}'),
        ('{"password": "two words, mine"}', "named_secret", '{"password": "•••"}'),
        (r'{"password": "pa\"ss-w0rd-tail"}', "named_secret", '{"password": "•••"}'),
        (r"{\"password\": \"two words\"}", "named_secret", r"{\"password\": \"•••\"}"),
        ('{"password":["hunter2zz"]}', "named_secret", '{"password":["•••"]}'),
        ('password="a b c d"', "named_secret", 'password="•••"'),
        ('password="two words', "named_secret", 'password="••• words'),
        ("the password is hunter2", "named_secret", "the password is •••"),
        ("the password is swordfish", "named_secret", "the password is •••"),
        ("Das Passwort lautet Sesam, danke", "named_secret", "Das Passwort lautet •••, danke"),
        (PHRASE, "seed_phrase", "•••"),
        (f"my words: {PHRASE}", "seed_phrase", "my words: •••"),
        ("to DE89 3704 0044 0532 0130 00", "iban", "to •••"),
        ("123-45-6789", "social_security_number", "•••"),
        ("4111.1111.1111.1111", "card_number", "•••"),
        ("４１１１ １１１１ １１１１ １１１１", "card_number", "•••"),
        ("JBSWY3DPEHPK3PXP", "totp_seed", "•••"),
        ("jbsw y3dp ehpk 3pxp", "totp_seed", "•••"),
        ("AKIA\u200bABCDEFGH12345678", "aws_key", "•••"),
        ("AKIA\ufe0fABCDEFGH12345678", "aws_key", "•••"),
        ("AKIAABCD\u034fEFGH\u3164123456\U000e010078", "aws_key", "•••"),
        ("AKIA\0ABCDEFGH1234\x075678", "aws_key", "•••"),
        ("redis://:pw@cache", "password_in_url", "•••"),
        ("/wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY", "high_entropy", "•••"),
        ("/keys/9aF3kQ7mZx2Lp8Vt4Rb6Nd1", "high_entropy", "•••"),
    ],
)
def test_a_secret_is_known_by_its_look_and_nothing_of_it_is_left(
    text: str, kind: str, shown: str
) -> None:
    assert secret_kind(text) == kind
    assert masked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Forgot password: click the link",
        "/usr/share/doc/python3/README",
        "/home/nora/dev/app-v2/src/utils/base64.ts",
        "~/notes-n140/travel/docs/gateway.md",
        "/tmp/3f2b8c1e/k8s/2024/Q3/report.pdf",
        "token: SOL",
        "password: required",
        "The password is correct.",
        "Das Passwort ist abgelaufen",
        "the password is rejected, so ask again",
        "the password is swordfish of the old kind",
        "the token is SOL",
        "Meeting at 2026-01-01 10:00, call 555-123-4567",
        "ISBN 978-3-16-148410-0",
        "1732012345678",
        "INTERNATIONALIZATION",
        "10.0.0.1, 192.168.100.200",
        "the quick brown fox jumps over the lazy dog and then sleeps",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert secret_kind(text) is None
    assert masked(text) == text


def test_the_messages_of_harmless_requests_hold_no_secret() -> None:
    with OWN.open(encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines]
    messages = [str(item.get("message")) for item in items if item["expected"] == "allow"]
    assert [text for text in messages if secret_kind(text)] == []


@pytest.mark.parametrize("piece", ["a", "password ", "abc def ", "A1", "1 ", "eyJ", "x-", "passw"])
def test_looking_is_bounded_whatever_the_text(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    with bounded():
        assert masked(text).endswith(MASK)


SUM = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


@pytest.mark.parametrize(
    "text",
    [f"commit {SUM[:40]}", f"with hash {SUM[:40]}.", f'"sha": "{SUM[:40]}"', f"sha256:{SUM}"],
)
def test_the_name_of_a_commit_or_the_sum_of_a_file_is_no_secret(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize("text", [f"key {SUM[:40]}", SUM[:40], f"commit {SUM[:41]}"])
def test_what_only_looks_like_a_sum_is_masked(text: str) -> None:
    assert MASK in masked(text)


def test_names_of_secrets_are_known() -> None:
    for name in (
        "GITHUB_TOKEN",
        "X-Api-Key",
        "PGPASSWORD",
        "Authorization",
        "GH_PAT",
        "DB_DSN",
        *("PGPASS", "X-Api", "X_API_ID"),
        *("auth", "oauth", "authorisation", "author_token", "creds", "max_token_secret"),
        *("key", "MY_KEY", "accessKey", "key_id", "private_key", "privateKey"),
    ):
        assert is_secret_name(name), name


def test_what_is_only_called_alike_is_no_secret() -> None:
    for name in (
        *("PATH", "EDITOR", "keyboard", "HOST", "patience", "COMPASS", "BYPASS", "API_HOST"),
        *("author", "authority", "max_tokens", "maxTokens", "token_count", "tokenizer"),
        *("credits", "private", "issueKey", "issue_key", "primary_key", "sort_key"),
    ):
        assert not is_secret_name(name), name


@pytest.mark.parametrize(
    ("address", "has_one"),
    [
        ("https://a.example/?page=1&token=abc", True),
        ("https://a.example/?token=", False),
        ("https://a.example/?token", False),
        ("https://a.example/?page=1", False),
        ("https://me:secret@a.example/", True),
        ("https://me@a.example/", False),
        ("https://me:secret@[a.example/", True),
        ("https://[a.example/", False),
        ("?token=abc", False),
    ],
)
def test_a_password_in_an_address_is_seen_and_an_empty_one_is_none(
    address: str, has_one: bool
) -> None:
    assert has_password(address) is has_one


LONG_TOKEN = f"eyJ{'a' * 200}.eyJ{'b' * 200}.sig"
PRIVATE_KEY = f"-----BEGIN PRIVATE KEY-----\n{'MIIEpAIBAAKCAQEA' * 20}\n-----END PRIVATE KEY-----"


def test_what_lies_across_the_border_of_two_steps_is_found_as_in_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = (PRIVATE_KEY, LONG_TOKEN, f"SG.{'a' * 200}.{'b' * 20}", "password: hunter2")
    text = " and\n".join(f"{'a ' * blanks}{it}" for blanks in range(30) for it in secrets)
    assert len(secrets_in(text)) == 4 * 30
    in_steps = secrets_in(text)
    monkeypatch.setattr(shapes, "_STEP", len(text))
    assert in_steps == secrets_in(text)
    monkeypatch.setattr(shapes, "_STEP", 70)
    assert in_steps == secrets_in(text)


def test_no_search_is_so_long_that_keys_would_wait_for_it() -> None:
    class Noted:
        longest = 0

        def search(self, text: str, start: int, end: int) -> None:
            self.longest = max(self.longest, end - start)

    pattern = Noted()
    assert not [*shapes._in_steps(pattern, "a word " * 5_000)]  # type: ignore[arg-type]
    assert pattern.longest <= 5_000
