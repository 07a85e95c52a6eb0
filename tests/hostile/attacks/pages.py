"""Pages to be visited: their addresses, ids and lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .wire import ESC, Call, ask, asks, done, fails, send

URL = {"mode": "url", "message": "Sign in.", "elicitationId": "e"}


def pages(entries: Any) -> Callable[[Call], None]:
    return fails(-32042, "Visit first.", {"elicitations": entries})


ATTACKS: dict[str, Callable[[Call], None]] = {
    "url_of_a_megabyte": asks({**URL, "url": "https://a.example/" + "x" * 1_000_000}),
    "urls_odd": asks(
        *(
            {**URL, "url": url}
            for url in (
                "",
                "http://[::1",
                "https://\x1b[2J.example",
                "file:///etc/passwd",
                "//x",
                "https:",
                "https://" + "a." * 50_000 + "example",
                "https://xn--" + "a" * 5000,
                "https://\ud800.example",
                "https://u:p@1.2.3.4:99999999/",
                "data:text/html,x",
            )
        )
    ),
    "elicitation_ids_odd": lambda call: (
        ask({**URL, "url": "https://a.example", "elicitationId": ESC}, "1"),
        ask({**URL, "url": "https://a.example", "elicitationId": ESC}, "2"),
        ask({**URL, "url": "https://a.example", "elicitationId": "x" * 5_000_000}, "3"),
        ask({**URL, "url": "https://a.example", "elicitationId": [1]}, "4"),
        send({"method": "notifications/elicitation/complete", "params": {"elicitationId": ESC}}),
        done(call),
    ),
    "pages_malformed": pages([{"mode": "form"}, {}]),
    "pages_no_list": pages({ESC: ESC}),
    "pages_10000": pages([{**URL, "url": "https://a.example"}] * 10_000),
}
