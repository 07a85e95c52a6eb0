"""Results that are huge, deep, or no results."""

from __future__ import annotations

import json
from collections.abc import Callable

from .wire import ESC, Call, answers_raw, content, deep, raw, send


def duplicates(call: Call) -> None:
    identifier = json.dumps(call["id"]).encode()
    raw(
        b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":0,"id":' + identifier + b',"result":{"content":[],'
        b'"content":[{"type":"text","text":"second"}]}}'
    )


ATTACKS: dict[str, Callable[[Call], None]] = {
    "result_of_31_megabytes": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":'
            + i
            + b',"result":{"content":[{"type":"text","text":"'
            + b"A" * 31_000_000
            + b'"}]}}'
        )
    ),
    "result_of_50_megabytes": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":'
            + i
            + b',"result":{"content":[{"type":"text","text":"'
            + b"A" * 50_000_000
            + b'"}]}}'
        )
    ),
    "result_of_a_million_blocks": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":'
            + i
            + b',"result":{"content":['
            + b",".join([b'{"type":"text","text":"a"}'] * 500_000)
            + b"]}}"
        )
    ),
    "result_of_dense_json": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":' + i + b',"result":{"content":[],"structuredContent":'
            b'{"a":[' + b",".join([b"{}"] * 2_000_000) + b"]}}}"
        )
    ),
    "result_nested_deep": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":' + i + b',"result":{"content":[],"a":' + deep(100_000) + b"}}"
        )
    ),
    "result_nested_some": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":'
            + i
            + b',"result":{"content":[],"structuredContent":'
            + deep(900)
            + b"}}"
        )
    ),
    "number_huge_exponent": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":' + i + b',"result":{"content":[],'
            b'"structuredContent":{"a":1e999999,"b":-1e999999}}}'
        )
    ),
    "number_huge_integer": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":' + i + b',"result":{"content":[],'
            b'"structuredContent":{"a":1' + b"0" * 100_000 + b"}}}"
        )
    ),
    "number_4000_digits": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":' + i + b',"result":{"content":[],'
            b'"structuredContent":{"a":1' + b"0" * 4000 + b"}}}"
        )
    ),
    "invalid_utf8": answers_raw(
        lambda i: (
            b'{"jsonrpc":"2.0","id":'
            + i
            + b',"result":{"content":[{"type":"text","text":"\xff\xfe\xed\xa0\x80\x1b[2J"}]}}'
        )
    ),
    "blobs_odd": content(
        {
            "type": "resource",
            "resource": {
                "uri": "file:///../../etc/passwd",
                "blob": "AAAA",
                "mimeType": ESC,
                "name": "../../x",
            },
        },
        {"type": "image", "data": "A" * 1_000_000, "mimeType": ESC},
        {"type": ESC, "name": ESC},
        {"type": "text", "text": {"a": ESC}},
        {"type": "resource_link", "uri": ESC, "name": ESC},
        {"type": ["text"], "text": None},
        ESC,
        1,
    ),
    "result_not_object": lambda call: send({"id": call["id"], "result": [ESC]}),
    "result_odd": lambda call: send(
        {
            "id": call["id"],
            "result": {"content": ESC, "isError": ESC, "messages": [1, {"role": [ESC]}]},
        }
    ),
    "result_type_odd": lambda call: send(
        {"id": call["id"], "result": {"content": [], "resultType": [ESC]}}
    ),
    "duplicate_keys": duplicates,
}
