"""Where a URL really leads, before a person opens it (spec: URL mode, "Safe URL Handling").

The text is judged as it was written, never tidied: what a lenient parser forgives deceives.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import unquote, unquote_plus

from elicit_tui.elicitation import Severity
from elicit_tui.elicitation.shapes import known_shape
from elicit_tui.guardian import hosts
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import GuardianRule, Sighting, house_rule
from elicit_tui.guardian.words import find
from elicit_tui.text import looks_blank
from elicit_tui.text.deceptive import LOOKING_LATIN, scripts_of
from elicit_tui.text.folding import fold
from elicit_tui.text.hosts import ip_address_of, is_loopback, unicode_host, without_percents
from elicit_tui.text.letters import within_one_slip, words_of
from elicit_tui.text.urls import Url, cut

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
Trouble = Iterator[tuple[Severity, str]]
"""How grave each thing is that is wrong with a URL, and its evidence."""
_LONG, _SHORT_LABEL = 2_000, 3
_APP: Final = re.compile(r"(?!ms-|https?:|[\w.-]+:\d+(?:/|$))[a-z][a-z0-9+-]+:\S*\Z", re.IGNORECASE)
"""A scheme that may be an app's, and neither a host with its port nor a page without a host."""
_NUMBERS: Final = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}")
"""An IP address in a spelling that hides it, where it is none in the usual one."""
_PLAIN_VALUE: Final = re.compile(r"(?:[A-Za-z]{1,6}|[A-Z]{7,12})-\d{1,6}|[a-z_ -]{1,24}|\d{1,3}")
_OPAQUE_STEP: Final = re.compile(r"/([A-Za-z_-]{1,24})/([A-Za-z0-9_-]{20,})(?=[/?#]|\Z)")
_MAIL: Final = re.compile(r"[^@\s/?#&=]{1,64}@[\w-]+(?:\.[\w-]+)+")


def _not_a_web_page(url: Url, _: Reading) -> Trouble:
    if not url.is_page:
        is_app = _APP.match(url.raw) and url.scheme not in hosts.listed("block schemes")
        yield _WARN if is_app else _BLOCK, url.raw or "(empty)"


def _trick_characters(url: Url, _: Reading) -> Trouble:
    if "\\" in url.raw or any(map(looks_blank, url.raw)):
        yield _BLOCK, url.raw


def _userinfo(url: Url, _: Reading) -> Trouble:
    if "@" in url.authority or "%40" in url.authority:
        yield _BLOCK, url.authority


def _host_is_an_address(url: Url, _: Reading) -> Trouble:
    address = ip_address_of(url.host)
    is_number = address is None and _NUMBERS.fullmatch(url.host) is not None
    is_mapped = getattr(address, "ipv4_mapped", None) is not None
    if is_number or is_mapped or not hosts.listed("metadata").isdisjoint((url.host, str(address))):
        yield _BLOCK, url.host
    elif address is not None or is_loopback(url.host):
        yield _WARN, url.host


def deceptive_url(text: str, request: Reading) -> bool:
    """Whether a link inside a text deceives by itself: its scheme, userinfo, host or disguise."""
    url = cut(text)
    if not url.is_page:
        return url.scheme in hosts.listed("block schemes")
    rules = (_trick_characters, _userinfo, _host_is_an_address, dressed_up)
    return any(severity is _BLOCK for find in rules for severity, _ in find(url, request))


def _not_encrypted(url: Url, request: Reading) -> Trouble:
    if url.scheme == "http" and not is_loopback(url.host):
        clauses = request.message.clauses
        spoken = [" ".join(clause.words) for clause in clauses if not clause.denies_something]
        spelt = re.sub(r"[\W_]+", " ", fold(url.rest[:2_000]))
        words = f" {' '.join(spoken)} {spelt} "
        secret = map(fold, hosts.listed("signs in"))
        signs_in = any((f" {word} " if word.isascii() else word) in words for word in secret)
        yield _BLOCK if signs_in else _WARN, f"http://{url.host}"


def _secret_in_url(url: Url, _: Reading) -> Trouble:
    secret, opaque = hosts.listed("secret parameters"), hosts.listed("opaque parameters")
    for name, value in url.parameters:
        short = _squeezed(name.rpartition("[")[2].rstrip("]") or name)
        if short in secret and value and value.lower() not in hosts.listed("no values"):
            yield _BLOCK, f"{name}=…"
        elif short in opaque and value and not _PLAIN_VALUE.fullmatch(value):
            if short == "key" and len(value) >= 16 and re.search(r"\d", value):
                yield _BLOCK, f"{name}=…"
            elif short not in hosts.listed("often plain") or len(value) >= 10:
                yield _WARN, f"{name}=…"
    if known_shape(unquote_plus(url.rest)):
        yield _BLOCK, "a key or token"
    for step in _OPAQUE_STEP.finditer(url.rest):
        if _squeezed(step[1].lower()) in opaque and re.search(r"\d", step[2]):
            yield _WARN, f"{step[1]}/…"


def _squeezed(name: str) -> str:
    return re.sub(r"[-_.]", "", name)


def _personal_in_url(url: Url, _: Reading) -> Trouble:
    for name, value in url.parameters:
        named = name in hosts.listed("personal parameters") and len(value) > 2
        if named or _MAIL.fullmatch(value):
            yield _WARN, f"{name}=…"


def _leads_elsewhere(url: Url, _: Reading) -> Trouble:
    domain = hosts.registrable(url.host)
    inner = re.search(r"https?:/{1,2}[^/\s]+", unquote(url.path))
    if inner is not None and hosts.registrable(cut(inner[0]).host) != domain:
        yield _WARN, inner[0]
    names = hosts.listed("redirect parameters")
    if "client_id=" in url.rest:
        names -= hosts.listed("oauth redirects")
    for name, spelt in url.parameters:
        if name not in names:
            continue
        value = unquote(unquote(unquote(spelt))).strip().replace("\\", "/")
        if re.match(r"(?:javascript|data|vbscript|file|blob):", value, re.IGNORECASE):
            yield _BLOCK, f"{name}={value}"
        target = cut("https:" + value if value.startswith("//") else value).host
        if target and hosts.registrable(target) != domain and not is_loopback(target):
            yield _WARN, f"{name}={value}"


def _hides_its_target(url: Url, _: Reading) -> Trouble:
    hiding = hosts.listed("shorteners") | hosts.listed("tunnels")
    if any(f".{url.host}".endswith(f".{entry}") for entry in hiding):
        yield _WARN, url.host


def _downloads(url: Url, _: Reading) -> Trouble:
    name = unquote(url.path).rstrip("/ .").rpartition("/")[2]
    if "." in name and name.rpartition(".")[2].lower() in hosts.listed("executables"):
        yield _WARN, name


def _malformed(url: Url, _: Reading) -> Trouble:
    if re.search(r"%0[ad]|%E5%98%8[AD]", url.raw, re.IGNORECASE):
        yield _WARN, url.rest
    if len(url.raw) > _LONG:
        yield _WARN, f"{url.host} … (more than {_LONG:,} characters)"
    is_name = re.fullmatch(r"(?=.{1,253}\Z)[\w-]{1,63}(?:\.[\w-]{1,63})*", url.host)
    if ip_address_of(url.host) is None and not is_name:
        really = without_percents(url.host)
        yield _BLOCK, url.host if really == url.host else f"{url.host}, which is {really}"
    port = re.search(r":([^:\]]*)\Z", url.authority.rpartition("@")[2])
    if port is not None and not re.fullmatch(r"\d{0,5}", port[1]):
        yield _BLOCK, url.authority


_THIS_COMPUTER: Final = re.compile(r"(?:^|\.)localhost[.-]")
_ADDRESS: Final = re.compile(r"(?<!\d)\d{1,3}(?:[.-]\d{1,3}){3}(?!\d)")


def dressed_up(url: Url, request: Reading) -> Trouble:
    """How a host imitates a company's, the server's own one, or this computer."""
    host, shown = url.host, unicode_host(url.host)
    if ip_address_of(host) is not None:
        return
    domain = hosts.registrable(host)
    named_after_addresses = hosts.listed("tunnels") | hosts.listed("keepers")
    if (
        "%" in host
        or unicodedata.normalize("NFKC", host).replace("\u3002", ".") != host
        or _THIS_COMPUTER.search(host)
        or (_ADDRESS.search(host) and domain not in named_after_addresses)
    ):
        yield _BLOCK, host
        return
    evidence = f"{host} ({shown})" if shown != host else host
    if hosts.disguised_brand(shown) is not None:
        yield _BLOCK, evidence
        return
    foreign = [label for label in shown.split(".") if not label.isascii()]
    if foreign:
        yield _BLOCK if any(map(_is_mixed_or_like_latin, foreign)) else _WARN, evidence
    own = cut(request.source.server.address).host
    if _looks_like(domain, hosts.registrable(own)):
        yield _BLOCK, f"{host} / {own}"


def _is_mixed_or_like_latin(label: str) -> bool:
    scripts = scripts_of(label)
    return len(scripts) > 1 or (fold(label).isascii() and not scripts.isdisjoint(LOOKING_LATIN))


def _looks_like(domain: str, own: str) -> bool:
    main, wanted = domain.split(".", 1)[0], own.split(".", 1)[0]
    if domain == own or len(wanted) < 4:
        return False
    first, second = hosts.skeleton(unicode_host(main)), hosts.skeleton(wanted)
    return first == second or (len(second) > 5 and within_one_slip(first, second))


def _unrelated(url: Url, request: Reading) -> Trouble:
    """A company one is to sign in to, and a page that is neither its own nor named beside it."""
    message = request.message.text[:4_000]
    named = set(_signed_in_to(message))
    if not named or ip_address_of(url.host) is not None or "." not in url.host:
        return
    others = set(re.findall(r"\w+", fold(message))) - named - hosts.listed("common labels")
    is_named = (
        url.host in re.findall(r"[\w.-]+\w", message.lower())
        or any(name in url.host for name in named & hosts.listed("shared"))
        or any(len(it) > _SHORT_LABEL and it in others for it in url.host.split(".")[:-1])
    )
    own = frozenset().union(*(table("brands")[name] for name in named))
    if not is_named and own.isdisjoint((url.host, hosts.registrable(url.host))):
        yield _WARN, f"{min(named)} / {url.host}"


def _signed_in_to(message: str) -> Iterator[str]:
    """Well-known names in sentences about signing in; an everyday word only as a name."""
    brands, everyday = table("brands"), hosts.listed("everyday")
    for sentence in re.split(r"[.?!\n。？！](?:\s|$)?", message):
        folded = fold(sentence)
        if "signing in" not in find(words_of(folded), sentence.isascii()):
            continue
        # As other scripts write them, too.
        written = table("spellings").items()
        yield from (name for name, words in written if any(fold(it) in folded for it in words))
        for word in re.findall(r"[A-Za-z][A-Za-z0-9]+", sentence):
            name = word.lower()
            if name in brands and (name not in everyday or word != name):
                yield name


def url_rule(
    name: str, find: Callable[[Url, Reading], Trouble], *, pages: bool = True, host: bool = False
) -> GuardianRule:
    """A rule of the house about the URL that a request wants opened.

    `pages`: only where that is a page of the web. `host`: a trusted domain quiets it.
    """

    def look(request: Reading) -> Iterator[Sighting]:
        if request.mode != "url":
            return
        text = request.source.url or ""
        url = cut(text if len(text) <= 16_000 else text[:8_000] + text[-8_000:])
        if url.is_page or not pages:
            for severity, evidence in find(url, request):
                yield Sighting(severity, "url", evidence)

    return house_rule(name, look, about_host=host)


RULES = (
    url_rule("url.scheme", _not_a_web_page, pages=False),
    url_rule("url.characters", _trick_characters, pages=False),
    url_rule("url.userinfo", _userinfo, pages=False),
    url_rule("url.address", _host_is_an_address),
    url_rule("url.not_encrypted", _not_encrypted),
    url_rule("url.secret", _secret_in_url),
    url_rule("url.personal", _personal_in_url),
    url_rule("url.redirect", _leads_elsewhere),
    url_rule("url.hidden_target", _hides_its_target, host=True),
    url_rule("url.download", _downloads),
    url_rule("url.malformed", _malformed),
    url_rule("url.look_alike", dressed_up, host=True),
    url_rule("url.unrelated", _unrelated, host=True),
)
