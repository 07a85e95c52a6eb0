"""Scores of the guardian on labelled requests: `python -m tests.guardian.scores [FILE] [--misses]`.

A file holds one request a line with `expected` (allow, warn, block) and, optionally, `also_ok`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elicit_tui.elicitation import ElicitationRequest, Review, ServerIdentity
from elicit_tui.guardian import Guardian

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "corpus" / "elicitations.jsonl"
OWN = ROOT / "tests" / "data" / "elicitations.jsonl"


@dataclass(frozen=True)
class Judged:
    item: dict[str, Any]
    review: Review

    @property
    def verdict(self) -> str:
        return self.review.verdict

    @property
    def strict(self) -> bool:
        return self.verdict == self.item["expected"]

    @property
    def lenient(self) -> bool:
        return self.strict or self.verdict in self.item.get("also_ok", ())

    @property
    def missed(self) -> bool:
        return self.item["expected"] == "block" and self.verdict == "allow"

    @property
    def benign(self) -> bool:
        return bool(self.item["expected"] == "allow")

    @property
    def trap(self) -> bool:
        return "trap" in self.item.get("tags", ())

    @property
    def half(self) -> str:
        digest = hashlib.sha256(self.item["id"].encode()).digest()
        return "AB"[digest[0] % 2]


def request_of(item: dict[str, Any]) -> ElicitationRequest:
    params = {
        key: item[key] for key in ("mode", "message", "requestedSchema", "url") if key in item
    }
    server = ServerIdentity(str(item.get("server", "server")), "stdio", "server")
    return ElicitationRequest(server, params)


def judge(path: Path) -> list[Judged]:
    guardian = Guardian()
    with path.open(encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines if line.strip()]
    return [Judged(item, guardian.review(request_of(item))) for item in items]


def share(judged: Iterable[Judged], of: Callable[[Judged], bool]) -> float:
    every = list(judged)
    return sum(map(of, every)) / len(every) if every else 1.0


def rows(judged: list[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    yield "all", judged
    for half in "AB":
        yield f"half {half}", [one for one in judged if one.half == half]
    for kind in sorted({one.item.get("kind", "?") for one in judged}):
        yield kind, [one for one in judged if one.item.get("kind", "?") == kind]
    yield "lang != en", [one for one in judged if one.item.get("lang", "en") != "en"]
    yield "lang == en", [one for one in judged if one.item.get("lang", "en") == "en"]
    yield "traps", [one for one in judged if one.trap]
    yield "not traps", [one for one in judged if not one.trap]


def main(arguments: list[str]) -> None:
    named = [Path(word) for word in arguments if not word.startswith("--")]
    for path in named or [path for path in (SHARED, OWN) if path.exists()]:
        judged = judge(path)
        print(f"{path.name}: {len(judged)} requests")
        print(f"{'':22}{'n':>5}{'strict':>9}{'lenient':>9}{'missed':>8}{'warned':>8}{'blocked':>9}")
        for name, part in rows(judged):
            benign = [one for one in part if one.benign]
            print(
                f"{name:22}{len(part):5}{share(part, lambda one: one.strict):9.1%}"
                f"{share(part, lambda one: one.lenient):9.1%}"
                f"{sum(one.missed for one in part):8}"
                f"{sum(one.verdict == 'warn' and not one.lenient for one in benign):8}"
                f"{sum(one.verdict == 'block' for one in benign):9}"
            )
        if "--misses" in arguments:
            for one in judged:
                if not one.lenient and (f"--half={one.half}" in arguments or "--all" in arguments):
                    _print_miss(one)


def _print_miss(one: Judged) -> None:
    item = one.item
    print(f"\n{item['id']} {item.get('kind')} wanted {item['expected']} got {one.verdict}")
    asked = {key: item.get(key) for key in ("server", "message", "requestedSchema", "url")}
    print("  ", json.dumps(asked, ensure_ascii=False)[:400], item.get("why"))
    for finding in one.review.findings:
        print("  ", finding.rule, finding.severity.word, finding.where, "|", finding.evidence)


if __name__ == "__main__":
    main(sys.argv[1:])
