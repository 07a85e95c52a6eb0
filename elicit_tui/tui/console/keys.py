"""Keys that the owner gave to actions (`[console.keys]`: action id = key)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from textual.binding import Binding

from elicit_tui.tui.ordered_app import OrderedApp


def known_ids(places: Iterable[type]) -> dict[str, Binding]:
    """Every action id of these screens and widgets, with its binding."""
    found: dict[str, Binding] = {}
    for place in places:
        for owner in place.__mro__:
            for binding in owner.__dict__.get("BINDINGS", ()):
                if isinstance(binding, Binding) and binding.id:
                    found.setdefault(binding.id, binding)
    return found


def give_keys(
    app: OrderedApp[int], keys: Mapping[str, str], known: Mapping[str, Binding]
) -> list[str]:
    """Remap the known actions; a sentence for each name that no action has."""
    app.give_keys({name: key for name, key in keys.items() if name in known})
    sentences = []
    for name in keys:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            sentences.append(f"console.keys: there is no action {name!r}.{hint}")
    return sentences
