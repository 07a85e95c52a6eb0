"""Where a URL really leads, before a person opens it (spec: URL mode, "Safe URL Handling").

The text is judged as it was written and never tidied first: what a lenient parser forgives is
what deceives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from elicit_tui.elicitation import Severity
from elicit_tui.elicitation.shapes import known_shape
from elicit_tui.guardian import hosts
from elicit_tui.guardian.folding import fold
from elicit_tui.guardian.links import (
    SCHEME,
    at_url,
    cut,
    host_of,
    is_obfuscated_address,
    pages_of,
    urls_of,
)
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting, house_rule
from elicit_tui.text.hosts import ip_address_of, is_loopback, without_percents
from elicit_tui.text.unseen import BLANKS, is_invisible

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_LONG: Final = 2_000
_LABEL: Final = re.compile(r"[\w-]+\Z")
_PLAIN_VALUE: Final = re.compile(r"[A-Za-z]{1,6}-\d{1,6}|[a-z_ -]{1,24}|\d{1,3}")
_OFTEN_PLAIN: Final = ("t", "key", "st", "hash", "code", "login", "ticket", "session", "invite")
_OPAQUE_STEP: Final = re.compile(r"/([A-Za-z_-]{1,24})/([A-Za-z0-9_-]{20,})(?=[/?#]|\Z)")
_MAIL: Final = re.compile(r"[^@\s/?#&=]{1,64}@[\w-]+(?:\.[\w-]+)+")


def _not_a_web_page(reading: Reading) -> Iterator[Sighting]:
    for url in urls_of(reading):
        squeezed = re.sub(r"[\s\x00-\x20]+", "", url)
        match = SCHEME.match(squeezed)
        scheme = match[1].lower() if match else ""
        if scheme in ("http", "https"):
            parts = cut(url)
            if parts is None or not parts.host:
                yield at_url(_BLOCK, url)
        elif not match or scheme in hosts.listed("block_schemes") or scheme.startswith("ms-"):
            yield at_url(_BLOCK, url or "(empty)")
        elif (
            re.match(r"[\w.-]+:\d+(?:/|$)", squeezed)
            or "." in scheme
            or len(scheme) == 1
            or url != squeezed
        ):
            yield at_url(_BLOCK, url)
        else:
            yield at_url(_WARN, url)


def _trick_characters(reading: Reading) -> Iterator[Sighting]:
    for url in urls_of(reading):
        if "\\" in url or any(map(_is_trick, url)):
            yield at_url(_BLOCK, url)


def _is_trick(character: str) -> bool:
    is_control = character <= " " or "\x7f" <= character <= "\xa0"
    return is_control or character in BLANKS or is_invisible(character)


def _userinfo(reading: Reading) -> Iterator[Sighting]:
    for url in urls_of(reading):
        parts = cut(url)
        if parts is not None and ("@" in parts.authority or "%40" in parts.authority):
            yield at_url(_BLOCK, parts.authority)


def _host_is_an_address(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        host = parts.host
        address = ip_address_of(host)
        mapped = getattr(address, "ipv4_mapped", None)
        if (
            host in hosts.listed("metadata")
            or str(mapped or address) in hosts.listed("metadata")
            or is_obfuscated_address(host)
            or (mapped is not None)
        ):
            yield at_url(_BLOCK, host)
        elif is_loopback(host) or address is not None:
            yield at_url(_WARN, host)


def _not_encrypted(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        if parts.scheme != "http" or is_loopback(parts.host):
            continue
        clauses = reading.message.clauses
        said = (" ".join(clause.words) for clause in clauses if not clause.denies_something)
        words = " ".join((*said, re.sub(r"[\W_]+", " ", fold(parts.rest[:2_000]))))
        signs_in = any(
            (word.rstrip("*") in words if not word.isascii() else f" {word} " in f" {words} ")
            for word in (fold(entry) for entry in hosts.listed("signs_in"))
        )
        yield at_url(_BLOCK if signs_in else _WARN, f"http://{parts.host}")


def _secret_in_url(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        secret, opaque = _names("secret_parameters"), _names("opaque_parameters")
        in_oauth = "client_id=" in parts.query
        for name, value in parts.parameters:
            short = _squeezed(name.rpartition("[")[2].rstrip("]") or name)
            if not value or (in_oauth and short in ("state", "nonce", "codechallenge", "request")):
                continue
            if known_shape(value) or (short in secret and _is_value(value)):
                yield at_url(_BLOCK, f"{name}=…")
            elif short in opaque and not _PLAIN_VALUE.fullmatch(value):
                if short == "key" and len(value) >= 16 and re.search(r"\d", value):
                    yield at_url(_BLOCK, f"{name}=…")
                elif short not in _OFTEN_PLAIN or len(value) >= 10:
                    yield at_url(_WARN, f"{name}=…")
        if known_shape(unquote(parts.rest)):
            yield at_url(_BLOCK, "a key or token")
        for step in _OPAQUE_STEP.finditer(parts.rest):
            if _squeezed(step[1].lower()) in opaque and re.search(r"\d", step[2]):
                yield at_url(_WARN, f"{step[1]}/…")


def _squeezed(name: str) -> str:
    return re.sub(r"[-_.]", "", name)


@lru_cache(maxsize=8)
def _names(listed: str) -> frozenset[str]:
    return frozenset(map(_squeezed, hosts.listed(listed)))


def _is_value(value: str) -> bool:
    return value.lower() not in hosts.listed("no_values")


def _personal_in_url(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        names = hosts.listed("personal_parameters")
        for name, value in parts.parameters:
            if name == "login_hint" and "@" not in value:
                continue
            if (name in names and len(value) > 2) or _MAIL.fullmatch(value):
                yield at_url(_WARN, f"{name}=…")
                break


def _leads_elsewhere(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        names = hosts.listed("redirect_parameters")
        domain = hosts.registrable(parts.host)
        in_oauth = "client_id=" in parts.query
        inner = re.search(r"https?:/{1,2}[^/\s]+", unquote(re.split(r"[?#]", parts.rest)[0]))
        if inner is not None and hosts.registrable(host_of(inner[0])) != domain:
            yield at_url(_WARN, inner[0])
        for name, value in parts.parameters:
            for _ in range(3):
                value = unquote(value)
            value = value.strip().replace("\\", "/")
            if name not in names:
                continue
            if re.match(r"(?:javascript|data|vbscript|file|blob):", value, re.IGNORECASE):
                yield at_url(_BLOCK, f"{name}={value}")
                continue
            target = host_of("https:" + value if value.startswith("//") else value)
            if not target or hosts.registrable(target) == domain or is_loopback(target):
                continue
            if in_oauth and name in ("redirect_uri", "redirect_url", "callback", "callback_url"):
                continue
            yield at_url(_WARN, f"{name}={value}")


def _hides_its_target(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        domain = hosts.registrable(parts.host)
        hiding = hosts.listed("shorteners") | hosts.listed("tunnels")
        if domain in hiding or any(f".{parts.host}".endswith(f".{entry}") for entry in hiding):
            yield at_url(_WARN, parts.host)


def _downloads(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        path = unquote(re.split(r"[?#]", parts.rest)[0]).rstrip("/ .")
        name = path.rpartition("/")[2]
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        if ending in hosts.listed("executables"):
            yield at_url(_WARN, name)


def _malformed(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        if re.search(r"%0[ad]|%E5%98%8[AD]", parts.raw, re.IGNORECASE):
            yield at_url(_WARN, parts.rest)
        if len(parts.raw) > _LONG:
            yield at_url(_WARN, f"{parts.host} … ({len(reading.request.url or '')} characters)")
        host = parts.host
        if ip_address_of(host) is None and host:
            labels = host.split(".")
            proper = all(label and len(label) <= 63 and _LABEL.match(label) for label in labels)
            if not proper or len(host) > 253:
                really = without_percents(host)
                yield at_url(_BLOCK, host if really == host else f"{host}, which is {really}")
        port = re.search(r":([^:\]]*)\Z", parts.authority.rpartition("@")[2])
        if port is not None and not re.fullmatch(r"\d{0,5}", port[1]):
            yield at_url(_BLOCK, parts.authority)


RULES = (
    house_rule("url.scheme", _not_a_web_page),
    house_rule("url.characters", _trick_characters),
    house_rule("url.userinfo", _userinfo),
    house_rule("url.address", _host_is_an_address),
    house_rule("url.not_encrypted", _not_encrypted),
    house_rule("url.secret", _secret_in_url),
    house_rule("url.personal", _personal_in_url),
    house_rule("url.redirect", _leads_elsewhere),
    house_rule("url.hidden_target", _hides_its_target, about_host=True),
    house_rule("url.download", _downloads),
    house_rule("url.malformed", _malformed),
)
