"""Hosts that are dressed up as somebody else's (spec: URL mode, "Safe URL Handling")."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian import hosts
from elicit_tui.guardian.folding import fold
from elicit_tui.guardian.links import Trouble, Url, host_of, url_rule
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.spelling import within_one_slip
from elicit_tui.guardian.words import find, words_of
from elicit_tui.text.hosts import ip_address_of, unicode_host
from elicit_tui.text.scripts import LOOKING_LATIN, scripts_of

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_SHORT_LABEL: Final = 3
_THIS_COMPUTER: Final = re.compile(r"(?:^|\.)localhost[.-]")
_ADDRESS: Final = re.compile(r"(?<!\d)\d{1,3}(?:[.-]\d{1,3}){3}(?!\d)")


def dressed_up(url: Url, reading: Reading) -> Trouble:
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
    own = host_of(reading.request.server.address)
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


def _unrelated(url: Url, reading: Reading) -> Trouble:
    """A company one is to sign in to, and a page that is neither its own nor named beside it."""
    message = reading.message.text[:4_000]
    named = set(_signed_in_to(message))
    if not named or ip_address_of(url.host) is not None or "." not in url.host:
        return
    said = set(re.findall(r"\w+", fold(message))) - named - hosts.listed("common labels")
    is_named = (
        url.host in re.findall(r"[\w.-]+\w", message.lower())
        or any(name in url.host for name in named & hosts.listed("shared"))
        or any(label in said for label in url.host.split(".")[:-1] if len(label) > _SHORT_LABEL)
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
        yield from (name for word, name in hosts.other_spellings().items() if word in folded)
        for word in re.findall(r"[A-Za-z][A-Za-z0-9]+", sentence):
            name = word.lower()
            if name in brands and (name not in everyday or word != name):
                yield name


RULES = (
    url_rule("url.look_alike", dressed_up, host=True),
    url_rule("url.unrelated", _unrelated, host=True),
)
