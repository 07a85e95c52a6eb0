"""A raw server (revision 2025-11-25 unless told otherwise) with one fault for each name.

    python faulty.py NOTES NAME FAULT

Written to the directory NOTES: `NAME.pid`, its process id, and `NAME.received`, every line that it
was sent. FAULT is what goes wrong at the start or the end, or `none`; a tool's name is what goes
wrong in its call. With `when_told` a call waits until the test makes the file `NAME.go` there.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NOTES, NAME, FAULT = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
MODERN = "2026-07-28"
ERA = MODERN if FAULT == "modern" else "2025-11-25"
FOR_EVER = 600.0
BURST = 10_000
FORM = {
    "message": "What is your name?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
}


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(**message: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def receive() -> Any:
    line = sys.stdin.buffer.readline()
    if not line:
        if FAULT == "ignores_its_end":
            hang()
        sys.exit(0)
    with (NOTES / f"{NAME}.received").open("ab") as notes:
        notes.write(line)
    return json.loads(line)


def answer(identifier: Any, text: str, **more: Any) -> None:
    content = [{"type": "text", "text": text}]
    if ERA == MODERN:
        more["resultType"] = "complete"
    send(id=identifier, result={"content": content, "isError": False, **more})


def hang() -> None:
    time.sleep(FOR_EVER)


def until_told() -> None:
    """Wait until the test makes the file NAME.go."""
    end = time.monotonic() + FOR_EVER
    while not (NOTES / f"{NAME}.go").exists() and time.monotonic() < end:
        time.sleep(0.01)


def end(words: str, code: int) -> None:
    print(words, file=sys.stderr, flush=True)
    os._exit(code)


def garbage() -> None:
    write(b"Listening on port 8080\n\xff\xfe\x00\x1b[31m\n[1, 2\n[]\n{}\n")


def flood(stream: Any) -> None:
    for number in range(20_000):
        print(f"line {number} " + "x" * 200, file=stream)
    stream.flush()


def asked(identifier: Any, params: dict[str, Any] = FORM) -> Any:
    """Ask one question and wait for its answer; what comes in between is only noted."""
    send(id=identifier, method="elicitation/create", params=params)
    return answered(identifier)


def answered(identifier: Any) -> Any:
    while True:
        message = receive()
        if message.get("id") == identifier and "method" not in message:
            return message


def told(message: Any) -> str:
    """One answer in short: the action, or the error's code."""
    if "error" in message:
        return f"error {message['error']['code']}"
    content = message["result"].get("content")
    return message["result"]["action"] + (f" {json.dumps(content)}" if content else "")


# What goes wrong at the start


def closes_its_pipes() -> None:
    os.close(1)
    os.close(0)
    hang()


def half_a_message() -> None:
    write(b'{"jsonrpc": "2.0", "id": 0, "res')
    os._exit(0)


def a_line_without_end() -> None:
    write(b'{"jsonrpc": "2.0", "id": 0, "result": "')
    while True:
        write(b"x" * 65_536)


AT_START: dict[str, Callable[[], None]] = {
    "exits": lambda: end("no \x1b[31mlicense", 4),
    "hangs": hang,
    "hears_and_hangs": lambda: (receive(), hang())[-1],
    "garbage": garbage,
    "half_a_message": half_a_message,
    "floods_stderr": lambda: flood(sys.stderr),
    "closes_its_pipes": closes_its_pipes,
    "a_line_without_end": a_line_without_end,
}


# What goes wrong in a call


def changes_its_tools(call: Any) -> None:
    TOOLS[:] = ["garbage"]
    send(method="notifications/tools/list_changed")
    answer(call, "they are others by now")


def late_notifications(call: Any) -> None:
    question = asked("q")
    answer(call, told(question))
    send(method="notifications/cancelled", params={"requestId": "q"})
    send(method="notifications/progress", params={"progressToken": call, "progress": 1})
    send(method="notifications/elicitation/complete", params={"elicitationId": "never-seen"})
    send(method="notifications/message", params={"level": "info", "data": "too late"})
    send(id=call, error={"code": -32000, "message": "too late"})


def reuses_request_ids(call: Any) -> None:
    send(id="q", method="elicitation/create", params=FORM)
    # A machine that is busy may let a person answer between the two.
    until_told()
    send(id="q", method="elicitation/create", params=FORM)
    first, second = answered("q"), answered("q")
    third = asked("q")
    answer(call, " ".join(sorted((told(first), told(second)))) + f" then {told(third)}")


def answers_twice(call: Any) -> None:
    answer(call, "first")
    answer(call, "second")
    send(id=call, error={"code": -32000, "message": "third"})
    answer("nobody's", "for nobody")


def half_an_answer(call: Any) -> None:
    write(b'{"jsonrpc": "2.0", "id": %d, "res' % call)
    os._exit(0)


def an_answer_without_end(call: Any) -> None:
    a_line_without_end()


def closes_its_output(call: Any) -> None:
    os.close(1)
    hang()


def closes_its_input(call: Any) -> None:
    send(id=f"q{call}", method="elicitation/create", params=FORM)
    until_told()
    os.close(0)
    hang()


def ends_while_asking(call: Any) -> None:
    send(id=f"q{call}", method="elicitation/create", params=FORM)
    until_told()
    end("out of memory", 9)


def asks_when_told(call: Any) -> None:
    until_told()
    answer(call, told(asked(f"q{call}")))


def exits_when_told(call: Any) -> None:
    until_told()
    end("out of memory", 9)


def takes_it_back(call: Any) -> None:
    send(id=f"q{call}", method="elicitation/create", params=FORM)
    until_told()
    send(method="notifications/cancelled", params={"requestId": f"q{call}", "reason": "too slow"})
    answer(call, "never mind")


def never_ends_its_rounds(call: Any) -> None:
    send(id=call, result={"resultType": "input_required", "requestState": "again"})


def asks_round_after_round(call: Any) -> None:
    question = {"method": "elicitation/create", "params": FORM}
    send(id=call, result={"resultType": "input_required", "inputRequests": {"q": question}})


def floods_with_questions(call: Any, *, go_on: bool = False) -> None:
    """10,000 questions in one burst, or more until told; the result says how many there were."""
    asked: list[str] = []

    def ask() -> None:
        while len(asked) < BURST or (go_on and not (NOTES / f"{NAME}.go").exists()):
            asked.append(f"q{call}-{len(asked)}")
            send(id=asked[-1], method="elicitation/create", params=FORM)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    answers = 0
    while asking.is_alive() or answers < len(asked):
        answers += "method" not in receive()
    answer(call, f"{len(asked)} asked")


def told_unreadably(line: bytes) -> Callable[[Any], None]:
    """A call whose server writes this line before its result."""

    def called(call: Any) -> None:
        write(line + b"\n")
        answer(call, "as if all were well")

    return called


QUESTION = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": FORM}
UNREADABLE = {
    "asks_in_a_batch": json.dumps([QUESTION]).encode(),
    "asks_in_broken_json": json.dumps(QUESTION).encode()[:-30],
    "asks_behind_a_prefix": b"sending: " + json.dumps(QUESTION).encode(),
    "asks_without_an_id_in_broken_json": json.dumps({**QUESTION, "n": float("nan")})
    .replace('"id": "q", ', "")
    .encode(),
    "tells_of_a_page_in_a_list": b'{"jsonrpc": "2.0", '
    b'"method": "notifications/elicitation/complete", "params": ["p"]}',
    "names_no_method": b'{"jsonrpc": "2.0", "method": 5, "params": {}}',
}


def result_that_asks(call: Any, **how: str) -> None:
    question = {"method": "elicitation/create", "params": FORM}
    answer(call, "as if all were well", inputRequests={"q": question}, **how)


def ends_its_result_with_its_end(call: Any) -> None:
    result = {"content": [{"type": "text", "text": "here I was"}]}
    write(json.dumps({"jsonrpc": "2.0", "id": call, "result": result}).encode())
    os._exit(0)


RESULT = b'{"content": [{"type": "text", "text": "as if all were well"}], "isError": false}'


def says_a_key_twice(call: Any) -> None:
    result = RESULT.replace(b'"isError": false', b'"isError": true, "isError": false')
    write(b'{"jsonrpc": "2.0", "id": %d, "result": %b}\n' % (call, result))


def asks_after_its_result(call: Any) -> None:
    answer(call, "as if all were well")
    time.sleep(0.3)
    send(**QUESTION)


def asks_when_it_is_closed(call: Any) -> None:
    answer(call, "as if all were well")
    while sys.stdin.buffer.readline():
        pass
    send(**QUESTION)
    os._exit(0)


def then_fails(call: Any) -> None:
    answer(call, "as if all were well")
    answer(call, "not so", isError=True)


def answers_under_a_text_id(call: Any) -> None:
    answer(str(call), "as if all were well")


def answers_what_nobody_asked(call: Any) -> None:
    answer("nobody's", "for nobody")
    answer(call, "as if all were well")


def exits_after_its_result(call: Any) -> None:
    answer(call, "as if all were well")
    os._exit(9)


def exits_badly_when_it_is_closed(call: Any) -> None:
    answer(call, "as if all were well")
    while receive_or_end() is not None:
        pass
    os._exit(3)


def receive_or_end() -> Any:
    return sys.stdin.buffer.readline() or None


def wants_a_model(call: Any) -> None:
    params = {"messages": [], "maxTokens": 1}
    send(id="s", method="sampling/createMessage", params=params)
    answered("s")
    answer(call, "as if all were well")


def prints_for_its_author(call: Any) -> None:
    write(b"booking a table\n")
    answer(call, "as if all were well")


def answers_in_a_batch(call: Any) -> None:
    write(b'[{"jsonrpc": "2.0", "id": %d, "result": %b}]\n' % (call, RESULT))


def works(call: Any) -> None:
    send(method="notifications/message", params={"level": "info", "data": "at work"})
    hang()


IN_CALL: dict[str, Callable[[Any], None]] = {
    "echo": lambda call: answer(call, "here I am"),
    "question": lambda call: answer(call, told(asked(f"q{call}"))),
    "works": works,
    "exits": lambda call: end("cannot go on \x1b[31mred\x1b[0m", 3),
    "hangs": lambda call: hang(),
    "garbage": lambda call: (garbage(), answer(call, "after the garbage"))[-1],
    "half_an_answer": half_an_answer,
    "answers_in_a_batch": answers_in_a_batch,
    "says_a_key_twice": says_a_key_twice,
    "asks_after_its_result": asks_after_its_result,
    "asks_when_it_is_closed": asks_when_it_is_closed,
    "floods_stderr": lambda call: (flood(sys.stderr), answer(call, "after the flood"))[-1],
    "closes_its_output": closes_its_output,
    "closes_its_input": closes_its_input,
    "answers_twice": answers_twice,
    "reuses_request_ids": reuses_request_ids,
    "changes_its_tools": changes_its_tools,
    "late_notifications": late_notifications,
    "asks_when_told": asks_when_told,
    "exits_when_told": exits_when_told,
    "ends_while_asking": ends_while_asking,
    "takes_it_back": takes_it_back,
    "floods_with_questions": floods_with_questions,
    "goes_on_asking": lambda call: floods_with_questions(call, go_on=True),
    "an_answer_without_end": an_answer_without_end,
    "never_ends_its_rounds": never_ends_its_rounds,
    "asks_round_after_round": asks_round_after_round,
    **{name: told_unreadably(line) for name, line in UNREADABLE.items()},
    "then_fails": then_fails,
    "answers_under_a_text_id": answers_under_a_text_id,
    "answers_what_nobody_asked": answers_what_nobody_asked,
    "exits_after_its_result": exits_after_its_result,
    "exits_badly_when_it_is_closed": exits_badly_when_it_is_closed,
    "wants_a_model": wants_a_model,
    "prints_for_its_author": prints_for_its_author,
    "asks_by_its_result": lambda call: result_that_asks(call, resultType="input_required"),
    "asks_beside_its_result": result_that_asks,
    "ends_its_result_with_its_end": ends_its_result_with_its_end,
}
TOOLS = list(IN_CALL)


def initialized() -> dict[str, Any]:
    version = "1999-01-01" if FAULT == "speaks_an_unknown_revision" else ERA
    return {
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": True}, "logging": {}},
        "serverInfo": {"name": NAME, "version": "0"},
    }


def discovered() -> dict[str, Any]:
    return {
        "resultType": "complete",
        "supportedVersions": [MODERN],
        "capabilities": {"tools": {}},
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": NAME, "version": "0"}},
    }


def listed() -> dict[str, Any]:
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
    return {"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"}


def main() -> None:
    (NOTES / f"{NAME}.pid").write_text(str(os.getpid()))
    if FAULT == "ignores_its_end":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    AT_START.get(FAULT, lambda: None)()
    results: dict[str, Callable[[], dict[str, Any]]] = {
        "tools/list": listed,
        "ping": dict,
        "logging/setLevel": dict,
        **({"server/discover": discovered} if ERA == MODERN else {"initialize": initialized}),
    }
    while True:
        message = receive()
        method, identifier = message.get("method"), message.get("id")
        if method is None or identifier is None:
            continue
        if method == "tools/call":
            if FAULT == "when_told":
                until_told()
            IN_CALL[message["params"]["name"]](identifier)
        elif method in results:
            send(id=identifier, result=results[method]())
        else:
            send(id=identifier, error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    main()
