"""Hosts: whose they are, and whom they are dressed up as."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from elicit_tui.guardian.pages import table
from elicit_tui.guardian.words import is_known
from elicit_tui.text.encoded import plain_letters
from elicit_tui.text.folding import fold
from elicit_tui.text.hosts import LONGEST_HOST, registrable_domain
from elicit_tui.text.letters import within_one_slip
from elicit_tui.text.urls import cut

_GENERIC_LENGTH, _SHORTEST_NEAR = 3, 5
_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("nn", "m"))
_WHOLE_ENDINGS: Final = ("com", "net", "org")


@lru_cache(maxsize=32)
def listed(name: str) -> frozenset[str]:
    """One list of `tables/hosts.txt`."""
    return frozenset(table("hosts")[name])


@lru_cache(maxsize=1024)
def registrable(host: str) -> str:
    """The domain somebody registered, `example.co.uk` of `a.b.example.co.uk`."""
    labels = host.strip(".").split(".")
    depth = 2 + (".".join(labels[-2:]) in listed("handouts"))
    is_generic = len(labels[-1]) >= _GENERIC_LENGTH and labels[-1].isascii()
    # Below a generic domain the answer needs no list; loading it takes a tenth of a second.
    if len(labels) <= depth or depth > 2 or is_generic:
        return ".".join(labels[-depth:])
    return registrable_domain(host)


def is_trusted(url: str, trusted_domains: Iterable[str]) -> bool:
    """Whether the URL's registrable domain is one that the owner trusts."""
    host = cut(url).host
    own = (domain.lower().strip(".") for domain in trusted_domains)
    return any(host != "" and domain in (host, registrable(host)) for domain in own)


def skeleton(label: str) -> str:
    """A label as it looks at a glance."""
    plain = plain_letters(fold(label).replace("б", "b"))
    for pair, letter in _PAIRS:
        plain = plain.replace(pair, letter)
    return plain


@lru_cache(maxsize=1)
def _brand_skeletons() -> Mapping[str, str]:
    return {skeleton(name): name for name in table("brands")}


def disguised_brand(host: str) -> str | None:
    """The name that this host pretends to be, or None: a well-known one, or one with its ending.

    `host`: in Unicode, its end where it is too long. A company's `github.example.com` is none.
    """
    domain = registrable(host)
    account, _, given = domain.partition(".")
    is_own = any(domain in own or host in own for own in table("brands").values())
    if is_own or (given in listed("accounts") and account in table("brands")):
        return None
    labels = [*host[-LONGEST_HOST:].removesuffix(domain).split(".")[:-1], account]
    found = _brand_in_label(labels[-1])
    # "www.acme.de.x.info", "acme.de.x-login.info"; elsewhere two letters may name a region.
    lured = "-" in labels[-1] and not listed("lures").isdisjoint(labels[-1].split("-"))
    endings = listed("endings") if lured or labels[0] == "www" else _WHOLE_ENDINGS
    for index, (label, following) in enumerate(pairwise(labels)):
        brand = _brand_skeletons().get(skeleton(label))
        if found is not None:
            return found
        if brand is not None:
            is_deep = index > 0 and brand not in listed("everyday") | listed("shared")
            if label != brand or is_deep or following.partition("-")[0] in listed("endings"):
                return brand
        elif following in endings and not (
            label in listed("common labels") or domain in listed("keepers")
        ):
            return f"{label}.{following}"
        else:
            found = _brand_in_label(label, labels[-1]) if "-" in label else _near_brand(label)
    return found


def _brand_in_label(label: str, domain: str = "") -> str | None:
    """A well-known name that a label is, has between its hyphens, or holds beside lures."""
    whole = label.replace("-", "")
    parts = [part for part in re.split(r"[-_]", label) if part]
    lures, everyday = listed("lures"), listed("everyday") | listed("shared")
    is_lured = bool(lures & {*parts, *map(plain_letters, parts)}) or lures >= {*domain.split("-")}
    for part in (whole, *parts, *map("".join, pairwise(parts))):
        brand = _brand_skeletons().get(skeleton(part))
        sure = part in parts and (part != brand or brand not in everyday)
        if brand is not None and (sure or part == whole or is_lured):
            return brand
    if (near := _near_brand(label)) is not None:
        return near
    folded, lured = skeleton(label), tuple(map(plain_letters, lures))
    for shape, brand in _brand_skeletons().items():
        if brand not in everyday and len(shape) >= _SHORTEST_NEAR and shape in folded:
            rest = folded.replace(shape, "", 1)
            if rest.startswith(lured) or rest.endswith(lured):
                return brand
    return None


@lru_cache(maxsize=512)
def _near_brand(label: str) -> str | None:
    """A well-known name that is one slip away: a letter more, less, other or swapped."""
    shape = skeleton(label)
    near = (
        brand
        for wanted, brand in _brand_skeletons().items()
        if len(wanted) > _SHORTEST_NEAR
        and brand not in listed("everyday")
        and within_one_slip(shape, wanted)
    )
    ordinary = label in listed("common labels") or is_known(label, latin_only=True)
    return None if ordinary else next(near, None)
