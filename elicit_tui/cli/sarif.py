"""Findings as SARIF 2.1.0, the format that CI systems show beside the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

import elicit_tui
from elicit_tui.guardian import Guardian

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"note": "note", "warn": "warning", "block": "error"}


def sarif_log(
    file: str,
    judged: Sequence[dict[str, Any]],
    more_rules: Mapping[str, tuple[str, str]] | None = None,
    failures: Sequence[str] = (),
) -> dict[str, Any]:
    """One run with a result for each finding.

    `judged` are rows of `check` with their `line`, or of `lint`, which have a `file` of their own.
    `more_rules`: beside the guardian's, with what each protects from and advises. `failures`: what
    could not be looked at, each as a sentence; with one the run was no success.
    """
    # In one order, as results name their rules by place.
    rule_ids = sorted({finding["rule"] for row in judged for finding in row.get("findings", ())})
    driver = {
        "name": "elicit-tui",
        "version": elicit_tui.__version__,
        "rules": _rules(rule_ids, more_rules or {}),
    }
    unread = (f"line {row['line']}: {row['error']}" for row in judged if "error" in row)
    failed = [
        {"level": "error", "message": _message(sentence)} for sentence in (*unread, *failures)
    ]
    results = [
        _result(row.get("file", file), row, finding, rule_ids.index(finding["rule"]))
        for row in judged
        for finding in row.get("findings", ())
    ]
    invocation = {"executionSuccessful": not failed, "toolExecutionNotifications": failed}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(
    rule_ids: Sequence[str], more_rules: Mapping[str, tuple[str, str]]
) -> list[dict[str, Any]]:
    known = {rule.id: (rule.protects_from, rule.advice) for rule in Guardian().rules}
    known |= more_rules
    rules = []
    for rule_id in rule_ids:
        rule: dict[str, Any] = {"id": rule_id}
        if rule_id in known:
            protects_from, advice = known[rule_id]
            rule["shortDescription"] = {"text": protects_from}
            rule["help"] = {"text": advice}
        rules.append(rule)
    return rules


def _result(file: str, row: dict[str, Any], finding: dict[str, Any], index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding["rule"],
        "ruleIndex": index,
        "level": _LEVELS[finding["severity"]],
        "message": _message(f"{finding['advice']} ({finding['where']}: {finding['evidence']})"),
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(file)},
                    "region": {"startLine": row["line"]},
                },
                "logicalLocations": [{"fullyQualifiedName": finding["where"]}],
            }
        ],
    }
    if row.get("id") is not None:
        result["properties"] = {"requestId": str(row["id"]), "verdict": row["verdict"]}
    return result


def _message(text: str) -> dict[str, str]:
    """A message that holds no link (SARIF 2.1.0, 3.11.6): its words may be a server's."""
    # `[text](link)` would be one.
    return {"text": text.replace("](", "] (")}


def _uri(file: str) -> str:
    # A file's name may hold bytes that are no text.
    return "stdin" if file == "-" else quote(file.replace("\\", "/"), errors="surrogateescape")
