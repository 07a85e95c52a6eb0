"""What secrets look like: known key shapes, private key blocks, JWT, card numbers, entropy."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache
from typing import Final

_SHAPES: Final[tuple[tuple[str, str], ...]] = (
    ("private_key", r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("aws_key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("github_token", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    ("gitlab_token", r"\bgl(?:pat|dt|ptt|rt|cbt|oas|soat|ft|agent|imt)-[A-Za-z0-9_-]{20,}"),
    ("slack_token", r"\bxox[abeprso]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}"),
    ("slack_webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("discord_webhook", r"https://discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
    ("stripe_key", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{16,}"),
    ("google_key", r"\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[\w-]{20,}"),
    ("openai_key", r"\bsk-(?:proj-|svcacct-|admin-|ant-|or-)?[A-Za-z0-9_-]{20,}"),
    ("npm_token", r"\bnpm_[A-Za-z0-9]{36}"),
    ("pypi_token", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("hugging_face_token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("sendgrid_key", r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    ("twilio_key", r"\bSK[0-9a-f]{32}\b"),
    ("telegram_token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,}"),
    ("digitalocean_token", r"\bdo[opr]_v1_[a-f0-9]{64}"),
    ("shopify_token", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("atlassian_token", r"\bATATT[A-Za-z0-9_=-]{40,}"),
    ("linear_key", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("notion_token", r"\b(?:ntn|secret)_[A-Za-z0-9]{40,}"),
    ("new_relic_key", r"\bNRAK-[A-Z0-9]{27}"),
    ("databricks_token", r"\bdapi[0-9a-f]{32}\b"),
    ("vault_token", r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("age_key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("password_in_url", r"\b[a-z][a-z0-9+.-]*://[^\s/:@]{1,80}:[^\s/@]{1,80}@[^\s/]+"),
    ("authorization", r"\b(?i:bearer|basic) [A-Za-z0-9._~+/=-]{20,}"),
)
_CARD: Final = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")
_RANDOM: Final = re.compile(r"[A-Za-z0-9+/_=-]{24,200}")
_RANDOM_BITS: Final = 4.0
_EXAMINED: Final = 20_000
_WORDS: Final = re.compile(
    r"(?:\[a-z\]|\\w|\[A-Za-z\]|\[a-zA-Z\])(?:\{\d,?\d*\}|\+)(?:\\s| |\[ )[^)]*\)\{(\d+)"
)
_PHRASE_LENGTHS: Final = frozenset((12, 15, 18, 21, 24))
_DIGIT: Final = r"(?:\\d|\[0-9\])"
_OPENING: Final = re.compile(r"^\^?(?:\\b)?(?:\((?:\?:)?)*")
_SECRET_PATTERNS: Final = re.compile(
    "|".join(
        (
            # how known keys begin
            r"^(?:sk[-_]|rk_|gh(?:[pousr]_|[\[(])|github_pat|glpat|xox|AKIA|ASIA|\(?A[KS]IA|AIza|ya29|npm_|pypi-|hf_"
            r"|shpat|whsec|SG\\?\.|lin_api|ntn_|dop_v1|hv[sb]\\?\.|bearer|nsec1|xprv)",
            r"^-----BEGIN(?! (?:PUBLIC|CERT))",
            # three parts of a JWT, a login inside an address, a base32 seed, a wallet's key
            r"ey[J[\\][^.]*\.\(?(?:\?:)?ey",
            r"^eyJ",
            r"://.*:(?:\[\^[^\]]*\]|\.|\\S)[+*]\??\)?@",
            r"\[A-Z2-7\](?:\{(?:1[6-9]|[2-9]\d)|\+)",
            r"\[5KL\]",
            # a payment card's digits
            rf"{_DIGIT}\{{4\}}[^a-z)]{{0,12}}\)\{{3\}}[^a-z]{{0,4}}{_DIGIT}\{{(?:1,)?4\}}",
            rf"(?:{_DIGIT}\{{4\}}[^a-z]{{0,8}}){{4}}",
            rf"{_DIGIT}\{{1[2-5],1[69]\}}",
            rf"^4{_DIGIT}\{{12\}}",
        )
    )
)


@lru_cache(maxsize=1)
def _patterns() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{shape})" for name, shape in _SHAPES))


def secret_shape(text: str) -> str | None:
    """The name of the known shape of a secret in a text, or None."""
    match = _patterns().search(text[:_EXAMINED])
    return match.lastgroup if match is not None else None


def pattern_of_secret(pattern: str) -> bool:
    """Whether a pattern describes a seed phrase, a card number or a key of a known shape."""
    if _SECRET_PATTERNS.search(_OPENING.sub("", pattern[:_EXAMINED])):
        return True
    words = _WORDS.search(pattern)
    return words is not None and {int(words[1]), int(words[1]) + 1} & _PHRASE_LENGTHS != set()


def card_number(text: str) -> bool:
    """Whether the text holds a payment card's number: 13 to 19 digits that pass Luhn's check."""
    for match in _CARD.finditer(text[:_EXAMINED]):
        digits = re.sub(r"\D", "", match[0])
        if digits[0] in "23456" and len(set(digits)) > 1 and _luhn(digits):
            return True
    return False


def _luhn(digits: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if index % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def random_looking(text: str) -> bool:
    """Whether a text holds a run that looks like a generated key: long, mixed, high entropy."""
    for match in _RANDOM.finditer(text[:_EXAMINED]):
        run = match[0]
        kinds = sum(bool(re.search(kind, run)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
        if kinds >= 2 and re.search("[0-9]", run) and not _is_ordinary(run):
            counts = Counter(run)
            bits = -sum(n / len(run) * math.log2(n / len(run)) for n in counts.values())
            if bits >= _RANDOM_BITS or (re.fullmatch(r"[0-9a-f]{32,}", run) and bits > 3):
                return True
    return False


def _is_ordinary(run: str) -> bool:
    uuid = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    words = re.split(r"[-_/+=]", run)
    return bool(re.fullmatch(uuid, run)) or (
        len(words) > 2 and all(re.fullmatch(r"[A-Za-z]+|\d{1,6}", word) for word in words if word)
    )
