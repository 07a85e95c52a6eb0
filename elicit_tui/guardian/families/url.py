"""Where a URL really leads, before a person opens it (spec: URL mode, "Safe URL Handling").

The text is judged as it was written and never tidied first: what a lenient parser forgives is
what deceives.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import unquote, unquote_plus

from elicit_tui.elicitation import Severity
from elicit_tui.guardian import hosts
from elicit_tui.guardian.folding import fold, is_invisible
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Rule, Sighting
from elicit_tui.guardian.shapes import secret_shape

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_LONG: Final = 2_000
_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_LABEL: Final = re.compile(r"[\w-]+\Z")
_METADATA: Final = frozenset(
    (
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "fd00:ec2::254",
        "168.63.129.16",
        "metadata.google.internal",
        "metadata",
        "metadata.goog",
        "instance-data",
        "192.0.0.192",
        "metadata.tencentyun.com",
        "metadata.azure.com",
        "169.254.169.123",
    )
)
_MAIL: Final = re.compile(r"[^@\s/?#&=]{1,64}@[\w-]+(?:\.[\w-]+)+")


@dataclass(frozen=True)
class _Parts:
    """A URL cut at its delimiters, nothing decoded."""

    raw: str
    scheme: str
    authority: str
    host: str
    rest: str
    query: str
    fragment: str

    @property
    def parameters(self) -> Iterator[tuple[str, str]]:
        """Names in lower case and decoded values, of query and fragment."""
        for part in (self.query, self.fragment.lstrip("/").lstrip("?")):
            for pair in re.split(r"[&;?]", part)[:200]:
                name, equals, value = pair.partition("=")
                if equals:
                    yield unquote_plus(name).strip().lower(), unquote_plus(value)


@lru_cache(maxsize=8)
def _cut(url: str) -> _Parts | None:
    match = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*)://([^/?#\\]*)(.*)\Z", url, re.DOTALL)
    if match is None:
        return None
    scheme, authority, rest = match[1].lower(), match[2], match[3]
    before_fragment, _, fragment = rest.partition("#")
    _, _, query = before_fragment.partition("?")
    return _Parts(url, scheme, authority, hosts.host_of(url), rest, query, fragment)


def _urls(reading: Reading) -> Iterator[str]:
    if reading.mode == "url":
        url = reading.request.url
        if url is None:
            yield ""
        else:
            yield url if len(url) <= 16_000 else url[:8_000] + url[-8_000:]


def _web(reading: Reading) -> Iterator[_Parts]:
    for url in _urls(reading):
        parts = _cut(url)
        if parts is not None and parts.scheme in ("http", "https"):
            yield parts


def _at_url(severity: Severity, evidence: str) -> Sighting:
    return Sighting(severity, "url", evidence)


def _not_a_web_page(reading: Reading) -> Iterator[Sighting]:
    for url in _urls(reading):
        squeezed = re.sub(r"[\s\x00-\x20]+", "", url)
        match = _SCHEME.match(squeezed)
        scheme = match[1].lower() if match else ""
        if scheme in ("http", "https"):
            parts = _cut(url)
            if parts is None or not parts.host:
                yield _at_url(_BLOCK, url)
        elif not match or scheme in hosts.listed("block_schemes") or scheme.startswith("ms-"):
            yield _at_url(_BLOCK, url or "(empty)")
        elif (
            re.match(r"[\w.-]+:\d+(?:/|$)", squeezed)
            or "." in scheme
            or len(scheme) == 1
            or url != squeezed
        ):
            yield _at_url(_BLOCK, url)
        else:
            yield _at_url(_WARN, url)


def _trick_characters(reading: Reading) -> Iterator[Sighting]:
    for url in _urls(reading):
        for character in url:
            if character <= " " or character == "\x7f" or "\x80" <= character <= "\xa0":
                yield _at_url(_BLOCK, url)
                break
            if is_invisible(character) or character in "\u2028\u2029\u3000\u2800":
                yield _at_url(_BLOCK, url)
                break
        else:
            if "\\" in url:
                yield _at_url(_BLOCK, url)


def _userinfo(reading: Reading) -> Iterator[Sighting]:
    for url in _urls(reading):
        parts = _cut(url)
        if parts is not None and ("@" in parts.authority or "%40" in parts.authority):
            yield _at_url(_BLOCK, parts.authority)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _is_obfuscated_address(host: str) -> bool:
    labels = host.split(".")
    number = r"(?:0x[0-9a-f]*|\d+)"
    return (
        _address(host) is None
        and len(labels) <= 4
        and all(re.fullmatch(number, label) for label in labels)
    )


def _is_loopback(host: str) -> bool:
    address = _address(host)
    if address is not None:
        mapped = getattr(address, "ipv4_mapped", None)
        return bool((mapped or address).is_loopback or address.is_unspecified)
    return host == "localhost" or host.endswith(".localhost")


def _host_is_an_address(reading: Reading) -> Iterator[Sighting]:
    for parts in _web(reading):
        host = parts.host
        address = _address(host)
        mapped = getattr(address, "ipv4_mapped", None)
        if (
            host in _METADATA
            or str(mapped or address) in _METADATA
            or _is_obfuscated_address(host)
            or (mapped is not None)
        ):
            yield _at_url(_BLOCK, host)
        elif _is_loopback(host) or address is not None:
            yield _at_url(_WARN, host)


def _host_is_dressed_up(reading: Reading) -> Iterator[Sighting]:
    for parts in _web(reading):
        host = parts.host
        if _address(host) is not None:
            continue
        shown = hosts.unicode_host(host)
        domain = hosts.registrable(host)
        if "%" in host or fold_width(host) != host:
            yield _at_url(_BLOCK, host)
            continue
        if host != "localhost" and not host.endswith(".localhost"):
            hidden_address = re.search(r"(?<!\d)\d{1,3}(?:[.-]\d{1,3}){3}(?!\d)", host)
            labels = host.split(".")
            if "localhost" in labels[:-1] or re.match(r"localhost-", host) or hidden_address:
                yield _at_url(_BLOCK, host)
                continue
        brand = hosts.disguised_brand(shown)
        if brand is not None:
            yield _at_url(_BLOCK, f"{host} ({shown})" if shown != host else host)
            continue
        yield from _foreign_script(host, shown)
        own = _server_domain(reading)
        if own and domain != own and _looks_like(domain, own):
            yield _at_url(_BLOCK, f"{host} / {own}")


def fold_width(host: str) -> str:
    """The host with compatibility forms replaced: it differs where fullwidth forms hide one."""
    import unicodedata

    return unicodedata.normalize("NFKC", host).replace("\u3002", ".")


def _foreign_script(host: str, shown: str) -> Iterator[Sighting]:
    labels = [label for label in shown.split(".") if not label.isascii()]
    if not labels:
        return
    evidence = f"{host} ({shown})" if shown != host else host
    for label in labels:
        scripts = hosts.scripts_of(label)
        whole_latin = fold(label).isascii() and scripts & {
            "CYRILLIC",
            "GREEK",
            "ARMENIAN",
            "CHEROKEE",
            "COPTIC",
        }
        if len(scripts) > 1 or whole_latin:
            yield _at_url(_BLOCK, evidence)
            return
    yield _at_url(_WARN, evidence)


def _server_domain(reading: Reading) -> str:
    host = hosts.host_of(reading.request.server.address)
    if not host or _address(host) is not None or "." not in host:
        return ""
    return hosts.registrable(host)


def _looks_like(domain: str, own: str) -> bool:
    main, wanted = domain.split(".", 1)[0], own.split(".", 1)[0]
    if len(wanted) < 4:
        return False
    first, second = hosts.skeleton(hosts.unicode_host(main)), hosts.skeleton(wanted)
    return first == second or (len(second) > 5 and hosts.within_one_slip(first, second))


def _not_encrypted(reading: Reading) -> Iterator[Sighting]:
    for parts in _web(reading):
        if parts.scheme != "http" or _is_loopback(parts.host):
            continue
        spoken = fold(" ".join((reading.message.text[:4_000], parts.rest[:2_000])))
        words = re.sub(r"[\W_]+", " ", spoken)
        signs_in = any(
            (word.rstrip("*") in words if not word.isascii() else f" {word} " in f" {words} ")
            for word in (fold(entry) for entry in hosts.listed("signs_in"))
        )
        yield _at_url(_BLOCK if signs_in else _WARN, f"http://{parts.host}")


def _secret_in_url(reading: Reading) -> Iterator[Sighting]:
    for parts in _web(reading):
        secret, opaque = hosts.listed("secret_parameters"), hosts.listed("opaque_parameters")
        in_oauth = "client_id=" in parts.query
        for name, value in parts.parameters:
            short = name.rpartition("[")[2].rstrip("]") or name
            if not value or (in_oauth and short in ("state", "nonce", "code_challenge", "request")):
                continue
            if secret_shape(value) or (short in secret and _is_value(value)):
                yield _at_url(_BLOCK, f"{name}=…")
            elif short in opaque and not re.fullmatch(
                r"[A-Za-z]{1,6}-\d{1,6}|[a-z_ -]{1,24}|\d{1,3}", value
            ):
                if short == "key" and len(value) >= 16 and re.search(r"\d", value):
                    yield _at_url(_BLOCK, f"{name}=…")
                elif (
                    short in ("t", "key", "st", "hash", "code", "login", "ticket", "session")
                    and len(value) < 10
                ):
                    continue
                else:
                    yield _at_url(_WARN, f"{name}=…")
        if secret_shape(unquote(parts.rest)):
            yield _at_url(_BLOCK, "a key or token")


def _is_value(value: str) -> bool:
    return value.lower() not in (
        "true",
        "false",
        "0",
        "1",
        "yes",
        "no",
        "required",
        "optional",
        "public",
    )


def _personal_in_url(reading: Reading) -> Iterator[Sighting]:
    names = hosts.listed("personal_parameters")
    for parts in _web(reading):
        for name, value in parts.parameters:
            if name == "login_hint" and "@" not in value:
                continue
            if (name in names and len(value) > 2) or _MAIL.fullmatch(value):
                yield _at_url(_WARN, f"{name}=…")
                break


def _leads_elsewhere(reading: Reading) -> Iterator[Sighting]:
    names = hosts.listed("redirect_parameters")
    for parts in _web(reading):
        domain = hosts.registrable(parts.host)
        in_oauth = "client_id=" in parts.query
        for name, value in parts.parameters:
            for _ in range(3):
                value = unquote(value)
            value = value.strip().replace("\\", "/")
            if name not in names:
                continue
            if re.match(r"(?:javascript|data|vbscript|file|blob):", value, re.IGNORECASE):
                yield _at_url(_BLOCK, f"{name}={value}")
                continue
            target = hosts.host_of("https:" + value if value.startswith("//") else value)
            if not target or hosts.registrable(target) == domain or _is_loopback(target):
                continue
            if in_oauth and name in ("redirect_uri", "redirect_url", "callback", "callback_url"):
                continue
            yield _at_url(_WARN, f"{name}={value}")


def _hides_its_target(reading: Reading) -> Iterator[Sighting]:
    for parts in _web(reading):
        domain = hosts.registrable(parts.host)
        for name in ("shorteners", "tunnels"):
            if domain in hosts.listed(name) or any(
                parts.host == entry or parts.host.endswith("." + entry)
                for entry in hosts.listed(name)
            ):
                yield _at_url(_WARN, parts.host)


def _downloads(reading: Reading) -> Iterator[Sighting]:
    for parts in _web(reading):
        path = unquote(re.split(r"[?#]", parts.rest)[0]).rstrip("/ .")
        name = path.rpartition("/")[2]
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        if ending in hosts.listed("executables"):
            yield _at_url(_WARN, name)


def _malformed(reading: Reading) -> Iterator[Sighting]:
    for parts in _web(reading):
        if re.search(r"%0[ad]|%E5%98%8[AD]", parts.raw, re.IGNORECASE):
            yield _at_url(_WARN, parts.rest)
        if len(parts.raw) > _LONG:
            yield _at_url(_WARN, f"{parts.host} … ({len(reading.request.url or '')} characters)")
        host = parts.host
        if _address(host) is None and host:
            labels = host.split(".")
            proper = all(label and len(label) <= 63 and _LABEL.match(label) for label in labels)
            if not proper or len(host) > 253:
                yield _at_url(_BLOCK, host)
        port = re.search(r":([^:\]]*)\Z", parts.authority.rpartition("@")[2])
        if port is not None and not re.fullmatch(r"\d{0,5}", port[1]):
            yield _at_url(_BLOCK, parts.authority)


def _unrelated(reading: Reading) -> Iterator[Sighting]:
    words = set(re.findall(r"[a-z0-9]+", fold(reading.message.text[:4_000])))
    named = [
        name for name in hosts.brands() if name in words and name not in hosts.listed("everyday")
    ]
    if not words & {
        "sign",
        "signin",
        "log",
        "login",
        "authorize",
        "authorise",
        "authenticate",
        "verify",
        "account",
        "connect",
        "anmelden",
        "connexion",
    }:
        return
    for parts in _web(reading):
        if not named or _address(parts.host) is not None or "." not in parts.host:
            continue
        own = frozenset().union(*(hosts.brands()[name] for name in named))
        domain = hosts.registrable(parts.host)
        if domain not in own and parts.host not in own:
            yield _at_url(_WARN, f"{named[0]} / {parts.host}")


def deceptive_url(url: str) -> bool:
    """Whether a link inside a text deceives by itself: its scheme, userinfo, host or disguise."""
    squeezed = re.sub(r"[\s\x00-\x20]+", "", url)
    match = _SCHEME.match(squeezed)
    if match is not None and match[1].lower() in hosts.listed("block_schemes"):
        return True
    parts = _cut(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.host:
        return False
    if "@" in parts.authority or "\\" in url or any(is_invisible(character) for character in url):
        return True
    host = parts.host
    if host in _METADATA or _is_obfuscated_address(host):
        return True
    if _address(host) is not None:
        return False
    shown = hosts.unicode_host(host)
    foreign = any(found.severity is _BLOCK for found in _foreign_script(host, shown))
    return "%" in host or foreign or hosts.disguised_brand(shown) is not None


RULES = (
    Rule(
        "url.scheme",
        "A link that is no web page: script, file or another program.",
        "Do not open it: this is not a page on the web, it starts something else.",
        _not_a_web_page,
    ),
    Rule(
        "url.characters",
        "Characters in a URL that hide where it leads.",
        "Do not open it: the URL holds characters that no honest one needs.",
        _trick_characters,
    ),
    Rule(
        "url.userinfo",
        "A name before an @ that is taken for the host.",
        "Do not open it: the real host stands after the @.",
        _userinfo,
    ),
    Rule(
        "url.address",
        "A host given as a number, or this computer itself.",
        "Check that you expect a page without a name; it may be inside your own network.",
        _host_is_an_address,
    ),
    Rule(
        "url.look_alike",
        "A host that looks like somebody else's.",
        "Do not open it unless you know this host: it resembles another one.",
        _host_is_dressed_up,
        about_host=True,
    ),
    Rule(
        "url.not_encrypted",
        "A page that anybody on the way can read and change.",
        "Do not sign in or pay on a page without https.",
        _not_encrypted,
    ),
    Rule(
        "url.secret",
        "A key or token inside the URL: whoever sees it is signed in.",
        "Be careful: the link carries a secret, yours or another's.",
        _secret_in_url,
    ),
    Rule(
        "url.personal",
        "Personal data inside the URL, where logs and others see it.",
        "The link carries personal data; open it only if that is meant.",
        _personal_in_url,
    ),
    Rule(
        "url.redirect",
        "A page that sends you on to another host.",
        "The page may send you on to another host; check where you end.",
        _leads_elsewhere,
    ),
    Rule(
        "url.hidden_target",
        "A short link or tunnel that hides who is behind it.",
        "Ask where this leads: a short link or tunnel hides its owner.",
        _hides_its_target,
        about_host=True,
    ),
    Rule(
        "url.download",
        "A program that is downloaded at once.",
        "Opening this downloads a program; do not run it unless you asked for it.",
        _downloads,
    ),
    Rule(
        "url.malformed",
        "A URL made to confuse the one who reads it.",
        "Read the URL closely; it is unusually long or oddly written.",
        _malformed,
    ),
    Rule(
        "url.unrelated",
        "A host that is not that of the name in the message.",
        "The message names one company, the host is another's.",
        _unrelated,
        about_host=True,
    ),
)
