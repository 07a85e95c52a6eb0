"""Hosts that are dressed up as somebody else's (spec: URL mode, "Safe URL Handling")."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian import hosts
from elicit_tui.guardian.folding import fold
from elicit_tui.guardian.links import SCHEME, at_url, cut, host_of, is_obfuscated_address, pages_of
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting, house_rule
from elicit_tui.guardian.spelling import within_one_slip
from elicit_tui.guardian.words import find, words_of
from elicit_tui.text.hosts import ip_address_of, unicode_host
from elicit_tui.text.scripts import scripts_of
from elicit_tui.text.unseen import is_invisible

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_SHORT_LABEL: Final = 3
_LIKE_LATIN: Final = frozenset(("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"))


def _host_is_dressed_up(reading: Reading) -> Iterator[Sighting]:
    for parts in pages_of(reading):
        host = parts.host
        if ip_address_of(host) is not None:
            continue
        shown = unicode_host(host)
        domain = hosts.registrable(host)
        if "%" in host or _fold_width(host) != host:
            yield at_url(_BLOCK, host)
            continue
        if host != "localhost" and not host.endswith(".localhost"):
            hidden_address = re.search(r"(?<!\d)\d{1,3}(?:[.-]\d{1,3}){3}(?!\d)", host)
            if domain in hosts.listed("tunnels") or domain == "amazonaws.com":
                hidden_address = None  # these name a machine after its address
            labels = host.split(".")
            if "localhost" in labels[:-1] or re.match(r"localhost-", host) or hidden_address:
                yield at_url(_BLOCK, host)
                continue
        brand = hosts.disguised_brand(shown)
        if brand is not None:
            yield at_url(_BLOCK, f"{host} ({shown})" if shown != host else host)
            continue
        yield from _foreign_script(host, shown)
        own = _server_domain(reading)
        if own and domain != own and _looks_like(domain, own):
            yield at_url(_BLOCK, f"{host} / {own}")


def _fold_width(host: str) -> str:
    """The host with compatibility forms replaced: it differs where fullwidth forms hide one."""
    return unicodedata.normalize("NFKC", host).replace("\u3002", ".")


def _foreign_script(host: str, shown: str) -> Iterator[Sighting]:
    labels = [label for label in shown.split(".") if not label.isascii()]
    if not labels:
        return
    evidence = f"{host} ({shown})" if shown != host else host
    for label in labels:
        scripts = scripts_of(label)
        whole_latin = fold(label).isascii() and scripts & _LIKE_LATIN
        if len(scripts) > 1 or whole_latin:
            yield at_url(_BLOCK, evidence)
            return
    yield at_url(_WARN, evidence)


def _server_domain(reading: Reading) -> str:
    host = host_of(reading.request.server.address)
    if not host or ip_address_of(host) is not None or "." not in host:
        return ""
    return hosts.registrable(host)


def _looks_like(domain: str, own: str) -> bool:
    main, wanted = domain.split(".", 1)[0], own.split(".", 1)[0]
    if len(wanted) < 4:
        return False
    first, second = hosts.skeleton(unicode_host(main)), hosts.skeleton(wanted)
    return first == second or (len(second) > 5 and within_one_slip(first, second))


def _unrelated(reading: Reading) -> Iterator[Sighting]:
    """A company one is to sign in to, and a page that is neither its own nor named beside it."""
    pages = list(pages_of(reading))
    named = set(_signed_in_to(reading.message.text[:4_000])) if pages else set()
    if not named:
        return
    words = set(re.findall(r"\w+", fold(reading.message.text[:4_000])))
    for parts in pages:
        if ip_address_of(parts.host) is not None or "." not in parts.host:
            continue
        own = frozenset().union(*(hosts.brands()[name] for name in named))
        domain = hosts.registrable(parts.host)
        labels = {label for label in parts.host.split(".")[:-1] if len(label) > _SHORT_LABEL}
        named_itself = labels & words - named - hosts.listed("common_labels")
        named_itself |= {one for one in named & hosts.listed("shared") if one in parts.host}
        named_itself |= {parts.host} & set(re.findall(r"[\w.-]+\w", reading.message.text.lower()))
        if domain not in own and parts.host not in own and not named_itself:
            yield at_url(_WARN, f"{min(named)} / {parts.host}")


def _signed_in_to(message: str) -> Iterator[str]:
    """Well-known names in sentences about signing in; an everyday word only as a name."""
    brands, everyday = hosts.brands(), hosts.listed("everyday")
    for sentence in re.split(r"[.?!\n。？！](?:\s|$)?", message):
        folded = fold(sentence)
        if "signing in" not in find(words_of(folded), sentence.isascii()):
            continue
        for word, also in hosts.other_spellings().items():
            if word in folded:
                yield also
        for match in re.finditer(r"[A-Za-z][A-Za-z0-9]+", sentence):
            name = match[0].lower()
            if name in brands and (name not in everyday or match[0] != name):
                yield name


def deceptive_url(url: str) -> bool:
    """Whether a link inside a text deceives by itself: its scheme, userinfo, host or disguise."""
    squeezed = re.sub(r"[\s\x00-\x20]+", "", url)
    match = SCHEME.match(squeezed)
    if match is not None and match[1].lower() in hosts.listed("block_schemes"):
        return True
    parts = cut(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.host:
        return False
    if "@" in parts.authority or "\\" in url or any(is_invisible(character) for character in url):
        return True
    host = parts.host
    if host in hosts.listed("metadata") or is_obfuscated_address(host):
        return True
    if ip_address_of(host) is not None:
        return False
    shown = unicode_host(host)
    foreign = any(found.severity is _BLOCK for found in _foreign_script(host, shown))
    return "%" in host or foreign or hosts.disguised_brand(shown) is not None


RULES = (
    house_rule("url.look_alike", _host_is_dressed_up, about_host=True),
    house_rule("url.unrelated", _unrelated, about_host=True),
)
