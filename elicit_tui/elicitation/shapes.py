"""What a secret is called and looks like: the one place that knows it, for requests and answers.

`secrets_in` finds every secret of a text with its kind and span, `secret_kind` says what the first
one is, `masked` replaces all of them, and `known_shape` looks for the shapes of known issuers only.
Invisible characters and compatibility forms (full-width digits) hide nothing. All work is linear in
the text. What `is_secret_name` names is a secret whatever it looks like.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from elicit_tui.elicitation.finding import MASK
from elicit_tui.text.deceptive import CONTROLS, is_invisible

_SECRET_NAME: Final = re.compile(
    # A number of tokens is none, an author is nobody's login, and credits are no credentials.
    r"(?<!max)(?<!max[_-])(?<!num[_-])token(?!i[sz]|s?[_-]?(?:count|limit|budget|usage))"
    r"|auth(?!or(?!i[sz]))|cred(?!it)"
    r"|secret|passw|passphrase|pwd|cookie|api.?key|private.|session|bearer"
    r"|(?:^|[_.-])(?:pat|pass|dsn)(?:$|[_.-])|(?:^|[_.-])key[_.-]"
    # The key of an issue, or one that a table is sorted by, opens nothing.
    r"|(?<!issue)(?<!issue[_-])(?<!project)(?<!project[_-])(?<!sort)(?<!sort[_-])(?<!mon)"
    r"(?<!primary[_-])(?<!foreign[_-])key$"
    r"|(?<!by)(?<!com)pass$|(?:^|[_.-])x[_-]?api|connection[_-]?string|database[_-]?url",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Whether what is called so (a variable, header, flag, parameter) is a secret by its name."""
    return _SECRET_NAME.search(name) is not None


def has_password(url: str) -> bool:
    """Whether a URL carries a password, or a secret in its query."""
    if "://" not in url:
        return False
    try:
        parts = urlsplit(url)
        if parts.password:
            return True
        names = [pair.partition("=") for pair in parts.query.split("&")]
    except ValueError:
        return "@" in url
    return any(equals and value and is_secret_name(name) for name, equals, value in names)


_ANYWHERE: Final = (
    (
        "private_key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:(?!-----BEGIN )[A-Za-z0-9+/=\s\\:,-])*?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
        r"|[A-Za-z0-9+/=\s\\]*)",
    ),
    ("slack_webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("discord_webhook", r"https://discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
)
_ISSUED: Final[tuple[tuple[str, str], ...]] = (
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("aws_key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("github_token", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"),
    (
        "gitlab_token",
        r"gl(?:pat|dt|ptt|rt|cbt|oas|soat|ft|agent|imt)-[A-Za-z0-9_-]{20,}",
    ),
    ("slack_token", r"xox[abeprso]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}"),
    ("stripe_key", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{16,}"),
    ("google_key", r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[\w-]{20,}"),
    (
        "openai_key",
        r"sk-(?:live|test)-[A-Za-z0-9_-]{8,}|sk-(?:proj-|svcacct-|admin-|ant-|or-)?[A-Za-z0-9_-]{20,}",
    ),
    ("npm_token", r"npm_[A-Za-z0-9]{36}"),
    ("pypi_token", r"pypi-[A-Za-z0-9_-]{50,}"),
    ("hugging_face_token", r"hf_[A-Za-z0-9]{30,}"),
    ("sendgrid_key", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    ("twilio_key", r"SK[0-9a-f]{32}\b"),
    ("telegram_token", r"\d{8,10}:AA[A-Za-z0-9_-]{32,}"),
    ("digitalocean_token", r"do[opr]_v1_[a-f0-9]{64}"),
    ("shopify_token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("atlassian_token", r"ATATT[A-Za-z0-9_=-]{40,}"),
    ("linear_key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("notion_token", r"(?:ntn|secret)_[A-Za-z0-9]{40,}"),
    ("new_relic_key", r"NRAK-[A-Z0-9]{27}"),
    ("databricks_token", r"dapi[0-9a-f]{32}\b"),
    ("vault_token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("age_key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("password_in_url", r"[a-z][a-z0-9+.-]{0,30}://[^\s/:@]{0,80}:[^\s/@]{1,80}@[^\s/]+"),
    ("authorization", r"(?i:bearer|basic) [A-Za-z0-9._~+/=-]{20,}"),
    ("totp_seed", r"otpauth://\S{1,300}"),
)
"""These begin a word, as `_ANYWHERE` need not."""
_CARD: Final = re.compile(r"(?<![\d.])\d(?:[ .\-]?\d){12,18}(?![\d])")
_CARD_BRANDS: Final = (
    r"4\d{12}(?:\d{3}(?:\d{3})?)?|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3[0689]\d{12}|35\d{14}"
    r"|6\d{15,18}|5[068]\d{10,17}"
)
_IBAN: Final = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b")
_SSN: Final = re.compile(r"(?<![\d-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])")
_BASE32: Final = re.compile(
    r"\b[A-Z2-7]{16,64}\b={0,6}|\b[A-Za-z2-7]{4}(?:[ -][A-Za-z2-7]{4}){3,}\b"
)
_WORDS: Final = re.compile(
    # What stands between two words can be read in one way only.
    r"(?:(?:\d{1,2}[.):] ?)?\b[a-z]{3,8}\b(?:[ \t,]+(?:\n[ \t]*)?|\n[ \t]*)?){12,25}"
)
_PHRASE_LENGTHS: Final = frozenset((12, 15, 18, 21, 24, 25))
_NO_PHRASE: Final = (
    r"\b(?:the|and|for|are|was|with|from|not|our|your|has|have|his|her|its|but|had|were|been|which"
    r"|into|than|them|their|would|der|die|das|und|ist|ein|eine|mit|den|von|les|des|une|que|pour"
    r"|dans|est|los|las|por|con|una|para|del)\b"
)
_RANDOM: Final = re.compile(r"[A-Za-z0-9+/_=-]{24,200}")
_RANDOM_BITS: Final = 4.0
_DIGEST: Final = r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}"
_BEFORE_DIGEST: Final = (
    r"(?i)\b(?:commit|tree|parent|revision|sha-?\d{0,3}|md5|hash|digest|checksum)\W{0,5}\Z"
)
"""What stands before the name of a commit or the sum of a file, which open nothing."""
_NAMED: Final = re.compile(
    r"(?P<name>(?:passw|passphrase|passcode|kennwort|contraseña|senha|пароль|密码|パスワード|pwd"
    r"|secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key|credential|cvv|cvc|\bpin)"
    r"[\w.-]{0,20})\\{0,3}[\"'`]?"
    r"(?:\s{0,3}(?:=>|[:=：])|(?P<told>\s(?:is|ist|lautet|est|es|é)\s))\s{0,3}"
    r"(?:\[\s{0,3}(?=\\{0,3}[\"']))?(?P<quote>(?:\\{0,3}[\"'`])?)"
    r"(?P<value>[^\s\"'`,;]{3,200}|(?<=[\"'`])[^\s\"'`,;]{1,2}(?=\s))"
    r"(?P<after>[ \t]{0,3}[A-Za-z]{0,2})",
    re.IGNORECASE,
)
"""The name of a secret with its value, of a quoted one the first word; in JSON also that is quoted.
"""
_QUOTED: Final = {
    quote: re.compile(rf"(?:[^{quote}\\\n]|\\.){{0,400}}(?={quote})") for quote in "\"'`"
}
_WHATEVER_IT_IS: Final = (
    r"(?i)passw|passphrase|passcode|kennwort|contraseña|senha|пароль|密码|パスワード|pwd"
)
_NO_VALUE: Final = (
    r"(?i)[$%<{\[(*•.…_x-].*|(?:true|false|none|null|nil|undefined|required|optional|yes|no|string"
    r"|hidden|redacted|unset|empty|stored|missing|invalid|expired|wrong|changed|min|max|must|at|is|the|your|see|env|vault)\W*"
)
_SAID_OF_IT: Final = (
    r"(?i)(?:\w+ed|\w+ch|(?:in)?correct[ao]?|(?:in)?valide?|(?:un)?known|(?:un)?safe|weak|strong|fine"
    r"|good|bad|okay|set|reset|new|old|lost|forgotten|broken|gone|secret|private|ready|hidden"
    r"|necessary|unnecessary|here|there|below|above|next|first|last|different|same|case|korrekt"
    r"|richtig|geheim|abgelaufen|(?:un)?bekannt|leer|sicher|gleich|nötig|vergessen|faux|vide|requise?"
    r"|oublié|perdu|segura|nueva|vieja|obligatoria|igual|nova|errada|vazia|obrigatória)\W*"
)
"""What a sentence says of a password instead of telling it: "the password is correct"."""
_EXAMINED: Final = 40_000
_PIECE: Final = 20_000
_SHARED: Final = 6_000
"""Characters of a long text that are looked at together, and how many of them twice."""
_STEP: Final = 4_000
"""Characters in which a slow pattern is looked for at once."""
_BEYOND: Final = 300
"""So far at the most a shape reaches that is no run of `_RUN`."""
_RUN: Final = re.compile(r"[\w.-]*")
"""What may stand in a token, however much of it, before the sign that makes it one."""
_SHORTEST: Final = len("a://:b@c")
_DEEPEST: Final = 8


class SecretSpan(NamedTuple):
    """One secret in a text."""

    kind: str
    start: int
    end: int


@lru_cache(maxsize=1)
def _issued() -> re.Pattern[str]:
    anywhere, words = (
        "|".join(f"(?P<{name}>{shape})" for name, shape in table) for table in (_ANYWHERE, _ISSUED)
    )
    # To look for a word's beginning once, and not once for each shape, takes a sixth of the time.
    return re.compile(rf"{anywhere}|\b(?:{words})")


def _seen(text: str) -> tuple[str, list[int] | None]:
    """The text as it is looked at, and each character's place in the original."""
    if text.isascii() and not CONTROLS.search(text):
        return text, None
    looks = {
        sign: "" if is_invisible(sign) else unicodedata.normalize("NFKC", sign)
        for sign in set(text)
    }
    places = [place for place, character in enumerate(text) for _ in looks[character]]
    return "".join(looks[character] for character in text), places


def known_shape(text: str) -> str | None:
    """The name of the known shape of an issued key, a token or a login in a text, or None."""
    seen = _seen(text[:_EXAMINED])[0]
    match = _issued().search(seen) if len(seen) >= _SHORTEST else None
    return match.lastgroup if match is not None else None


def secrets_in(text: str) -> tuple[SecretSpan, ...]:
    """Every secret in a text, from left to right, none inside another."""
    clipped = text[:_EXAMINED]
    plain, places = _seen(clipped)
    found = sorted(_found(plain), key=lambda span: (span.start, -span.end))
    spans: list[SecretSpan] = []
    for span in found:
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
    if places is None:
        return tuple(spans)
    return tuple(SecretSpan(s.kind, places[s.start], places[s.end - 1] + 1) for s in spans)


def secret_kind(text: str) -> str | None:
    """What the first secret of a text is (`card_number`, `github_token`, …), or None."""
    found = secrets_in(text)
    return found[0].kind if found else None


def secret_in(value: Any, depth: int = 0) -> tuple[str, int] | None:
    """The kind of the first secret in an answer's value, and the length of its text; or None."""
    if isinstance(value, (Mapping, list, tuple)) and depth <= _DEEPEST:
        items = value.values() if isinstance(value, Mapping) else value
        return next(filter(None, (secret_in(item, depth + 1) for item in items)), None)
    text = str(value) if isinstance(value, (str, int, float)) else ""
    kind = None if isinstance(value, bool) else secret_kind(text)
    return None if kind is None else (kind, len(text))


def masked(text: str) -> str:
    """The text with a mask for each secret in it; what is too long to be looked at is left out."""
    pieces: list[str] = []
    position = 0
    for span in secrets_in(text):
        pieces += (text[position : span.start], MASK)
        position = span.end
    pieces.append(text[position:_EXAMINED])
    return "".join(pieces) + (MASK if len(text) > _EXAMINED else "")


def masked_throughout(text: str) -> str:
    """The same, but all of a long text is looked at: in pieces that overlap.

    A secret is whole in one of them; of one that is longer than what they share the parts are found
    that look like a secret alone.
    """
    if len(text) <= _EXAMINED:
        return masked(text)
    spans = sorted(
        (start + span.start, start + span.end)
        for start in range(0, len(text) - _SHARED, _PIECE - _SHARED)
        for span in secrets_in(text[start : start + _PIECE])
    )
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        if start >= position:
            pieces += (text[position:start], MASK)
        position = max(position, end)
    return "".join(pieces) + text[position:]


def card_number(text: str) -> bool:
    """Whether the text holds a payment card's number: a brand's digits that pass Luhn's check."""
    return any(True for _ in _cards(_seen(text[:_EXAMINED])[0]))


def random_looking(text: str) -> bool:
    """Whether a text holds a run that looks like a generated key: long, mixed, high entropy."""
    return any(True for _ in _random(text[:_EXAMINED]))


def _found(text: str) -> Iterator[SecretSpan]:
    for match in _in_steps(_issued(), text):
        yield SecretSpan(str(match.lastgroup), *match.span())
    yield from _cards(text)
    for match in _IBAN.finditer(text):
        if (length := _iban_length(match[0])) is not None:
            yield SecretSpan("iban", match.start(), match.start() + length)
    for match in _SSN.finditer(text):
        yield SecretSpan("social_security_number", *match.span())
    for match in _BASE32.finditer(text):
        if _is_seed(match[0]):
            yield SecretSpan("totp_seed", *match.span())
    for match in _WORDS.finditer(text):
        if _is_phrase(text, match):
            yield SecretSpan("seed_phrase", *match.span())
    for match in _in_steps(_NAMED, text):
        if _is_given(match):
            yield SecretSpan("named_secret", match.start("value"), _end_of_value(match))
    yield from _random(text)


def _in_steps(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """`finditer` of a slow pattern, step by step: no other thread has a turn during a search."""
    position = 0
    while position < len(text):
        run = _RUN.match(text, min(position + _STEP + _BEYOND, len(text)))
        end = run.end() if run is not None else len(text)
        # What begins before the border is seen as if nothing were cut: to the end of its run, and
        # as far as any shape reaches beyond one.
        border = end - _BEYOND if end < len(text) else end
        match = pattern.search(text, position, end)
        if match is None or match.start() >= border:
            position = border
            continue
        # Where it begins is known now; where it ends, and whether it does, the whole text says.
        whole = pattern.match(text, match.start())
        if whole is not None:
            yield whole
        position = match.start() + 1 if whole is None else whole.end()


def _cards(text: str) -> Iterator[SecretSpan]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if re.fullmatch(_CARD_BRANDS, digits) and len(set(digits)) > 1 and _luhn(digits):
            yield SecretSpan("card_number", *match.span())


def _luhn(digits: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if index % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _iban_length(spelt: str) -> int | None:
    """How many characters of a run are an IBAN: words in capitals may follow it."""
    for end in range(len(spelt), 14, -1):
        bare = re.sub(r"[ -]", "", spelt[:end])
        if len(bare) < 15 or spelt[end - 1] in " -":
            continue
        turned = bare[4:] + bare[:4]
        if int("".join(str(int(character, 36)) for character in turned)) % 97 == 1:
            return end
    return None


def _is_seed(spelt: str) -> bool:
    bare = re.sub(r"[ =-]", "", spelt)
    one_case = bare.isupper() or bare.islower()
    digits = sum(character.isdigit() for character in bare)
    return (
        one_case and 1 <= digits <= len(bare) * 2 // 3 and len(bare) in (16, 20, 24, 26, 32, 52, 64)
    )


def _is_phrase(text: str, match: re.Match[str]) -> bool:
    """Whether a run of short words is a wallet's: all of them, differing early, no small words."""
    words = re.findall("[a-z]+", match[0])
    before, after = text[: match.start()].rstrip(" \t"), text[match.end() :].lstrip(" \t")
    whole = (not before or before[-1] in "\n:=\"'([") and (not after or after[0] in "\n.\"')]")
    return whole and len(words) in _PHRASE_LENGTHS and not re.search(_NO_PHRASE, match[0])


def _is_given(match: re.Match[str]) -> bool:
    """Whether what follows the name of a secret is its value, rather than more prose."""
    value = match["value"]
    if re.fullmatch(_NO_VALUE, value):
        return False
    made_up = any(character.isdigit() for character in value) or not value.strip(".!?:").isalnum()
    if match["told"] and not any(character.isdigit() for character in value):
        # One word that ends its sentence is told; what goes on, or judges, is prose.
        told_whole = _ends_there(match) and not re.fullmatch(_SAID_OF_IT, value)
        return told_whole and re.search(_WHATEVER_IT_IS, match["name"]) is not None
    if re.search(_WHATEVER_IT_IS, match["name"]):
        return made_up or bool(match["quote"]) or not match["after"].strip()
    return len(value) >= (
        3 if match["name"].lower().endswith(("pin", "cvv", "cvc")) else 6
    ) and any(character.isdigit() for character in value)


def _end_of_value(match: re.Match[str]) -> int:
    """Where the value of a named secret ends: a quoted one with its quote, if that is ended."""
    quote, text, (start, end) = match["quote"], match.string, match.span("value")
    if len(quote) == 1:
        whole = _QUOTED[quote].match(text, start)
        return end if whole is None else max(end, whole.end())
    # Within a quoted text the quotes themselves are escaped.
    return max(end, text.find(quote, end, end + 400)) if quote else end


def _ends_there(match: re.Match[str]) -> bool:
    """Whether nothing but punctuation, a line's end or a quote follows a value."""
    return match.string[match.end("value") :].lstrip(" \t\"'`")[:1] in ("", "\n", ",", ";", ")")


def _random(text: str) -> Iterator[SecretSpan]:
    for match in _RANDOM.finditer(text):
        run = match[0]
        kinds = sum(bool(re.search(kind, run)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
        is_sum = re.fullmatch(_DIGEST, run) and re.search(
            _BEFORE_DIGEST, text[max(0, match.start() - 16) : match.start()]
        )
        if kinds >= 2 and re.search("[0-9]", run) and not is_sum and not _is_ordinary(run):
            counts = Counter(run)
            bits = -sum(n / len(run) * math.log2(n / len(run)) for n in counts.values())
            if bits >= _RANDOM_BITS or (re.fullmatch(r"[0-9a-f]{32,}", run) and bits > 3):
                yield SecretSpan("high_entropy", *match.span())


def _is_ordinary(run: str) -> bool:
    uuid = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    words = re.split(r"[-_/+=]", run)
    # A path has names such as `python3` and `app-v2`; no key is cut into such pieces by chance.
    is_path = run.startswith("/") or run.count("/") > 1
    ordinary = r"[A-Za-z]+\d{0,4}|[a-z0-9]{1,12}" if is_path else r"[A-Za-z]+|\d{1,6}"
    return bool(re.fullmatch(uuid, run)) or (
        len(words) > 2 and all(re.fullmatch(ordinary, word) for word in words if word)
    )
