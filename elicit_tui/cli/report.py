"""What `call`, `prompt` and `read` tell: the JSON document, the event lines, the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker import Requested, Resolved
from elicit_tui.cli import exit_codes
from elicit_tui.cli.output import Output
from elicit_tui.elicitation import (
    ElicitationRequest,
    Finding,
    Method,
    Outcome,
    ServerIdentity,
    now,
    rfc3339,
)
from elicit_tui.elicitation.keeping import kept_content
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.policy.decision import entry_key

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Rule

SUBJECTS: Final = {"tools/call": "tool", "prompts/get": "prompt", "resources/read": "uri"}
"""The document's key for what was called."""


def question_fields(
    request: ElicitationRequest, findings: tuple[Finding, ...], verdict: str
) -> dict[str, Any]:
    """The fields that a request has before anyone decided; what it does not have is null."""
    call = request.call
    return {
        "id": request.id,
        "tool": call.tool if call is not None else None,
        "mode": request.mode,
        "message": request.message,
        "requestedSchema": request.param("requestedSchema"),
        "url": request.param("url"),
        "elicitationId": request.param("elicitationId"),
        "round": request.round,
        "verdict": verdict,
        "findings": [finding.as_json() for finding in findings],
    }


def elicitation_fields(event: Resolved, history_content: ContentPolicy) -> dict[str, Any]:
    """One entry of the document's `elicitations`."""
    outcome = event.outcome
    return {
        **question_fields(event.request, event.review.findings, event.review.verdict),
        "action": outcome.action,
        "decidedBy": outcome.decided_by,
        "reason": outcome.reason,
        "content": kept_content(outcome.content, event.review, history_content),
        "waitedMs": event.waited_ms,
        **_hook(outcome),
    }


def _hook(outcome: Outcome) -> dict[str, Any]:
    """Which hook decided, and what of the answer it changed; nothing where none did."""
    if outcome.decided_by != "hook":
        return {}
    answered = outcome.answered
    return {
        "hook": {
            "key": outcome.key,
            "layer": outcome.layer,
            "changed": list(outcome.changed),
            "answered": None
            if answered is None
            else {"action": answered.action, "decidedBy": answered.decided_by},
        }
    }


def event_line(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """One line of `--output jsonl`, with the time of now (RFC 3339)."""
    return {"event": name, "time": rfc3339(now()), **fields}


def connected_fields(identity: ServerIdentity) -> dict[str, Any]:
    """What `connected` says of a server that is ready."""
    return {
        "server": identity.name,
        "protocolVersion": identity.protocol_version,
        "serverInfo": {"name": identity.calls_itself, "version": identity.version},
    }


class Report:
    """Gathers one call: its questions as they end, then how it ended itself."""

    def __init__(
        self,
        server: str,
        method: Method,
        name: str,
        history_content: ContentPolicy,
        answers: Sequence[Rule] | None = None,
    ) -> None:
        """`answers`: the entries of `--answers`; None when nobody gave a file."""
        self._server = server
        self._answers = answers
        self._subject = (SUBJECTS[method], name)
        self._history_content = history_content
        self.protocol_version: str | None = None
        self.result: dict[str, Any] | None = None
        self.error: BaseException | None = None
        self.schema_problem: str | None = None
        """Why structuredContent does not satisfy the tool's outputSchema; None when it does."""
        self.resolved: list[Resolved] = []
        # Ids of pages whose end was told already.
        self._done_pages: set[str] = set()

    def note_event(self, event: Requested | Resolved) -> dict[str, Any]:
        """Note a broker's event down; its fields, for an event line."""
        if isinstance(event, Resolved):
            self.resolved.append(event)
            return elicitation_fields(event, self._history_content)
        question = event.question
        return question_fields(question.request, question.review.findings, question.review.verdict)

    @property
    def is_error(self) -> bool:
        """Whether the tool itself says that it failed."""
        return self.result is not None and self.result.get("isError") is True

    @property
    def unanswered(self) -> list[Resolved]:
        """The questions that did not get the answers file's answer, whatever stopped it."""
        if self._answers is None:
            return []
        return [event for event in self.resolved if not _answered(event.outcome)]

    @property
    def unused(self) -> list[Rule]:
        """The entries of the answers file that answered nothing."""
        # An entry whose answer was not sent, such as one that a managed hook refused, did not
        # answer.
        used = {event.outcome.key for event in self.resolved if _answered(event.outcome)}
        if self.error is not None and not self.resolved:
            return []  # It went wrong before there was anything to answer.
        return [rule for rule in self._answers or () if entry_key(rule, "answers") not in used]

    def page_is_done(self, elicitation_id: str) -> bool:
        """Whether this notice is the first about a page that was agreed to; others mean nothing."""
        if elicitation_id in self._done_pages or not any(
            event.request.elicitation_id == elicitation_id and event.outcome.action == "accept"
            for event in self.resolved
        ):
            return False
        self._done_pages.add(elicitation_id)
        return True

    def exit_code(self, *, strict: bool) -> int:
        """How the command ends."""
        return exit_codes.code_of_call(
            error=self.error,
            failed=self.is_error or (strict and self.schema_problem is not None),
            unaccepted=bool(self.unanswered) or (strict and self._not_all_accepted),
        )

    @property
    def _not_all_accepted(self) -> bool:
        refused = any(event.outcome.action != "accept" for event in self.resolved)
        return refused or bool(self.unused)

    def head(self) -> dict[str, Any]:
        """Who was called for what."""
        return {
            "server": self._server,
            self._subject[0]: self._subject[1],
            "protocolVersion": self.protocol_version,
        }

    def end(self, exit_code: int) -> dict[str, Any]:
        """How it ended."""
        result = self.result
        if result is not None and self._subject[0] == "tool":
            # The spec's default, so that a script finds the key whatever the server left out.
            result = {"isError": False, **result}
        return {
            "result": result,
            "error": self._error(exit_code),
            "exitCode": exit_code,
        }

    def _error(self, exit_code: int) -> dict[str, str] | None:
        if self.error is not None:
            message = str(self.error) or type(self.error).__name__
            return {"code": exit_codes.name_of(self.error), "message": message}
        if exit_code == exit_codes.NOT_ACCEPTED:
            # Else all were accepted, and it ends so for an entry that was left over (`--strict`).
            if self.unanswered or any(
                question.outcome.action != "accept" for question in self.resolved
            ):
                return {"code": "not_accepted", "message": "An elicitation was not accepted."}
            return {"code": "unused_answers", "message": "An entry of --answers answered nothing."}
        if exit_code == exit_codes.FAILED and not self.is_error and self.schema_problem is not None:
            return {"code": "output_schema", "message": self.schema_problem}
        return None

    def document(self, exit_code: int) -> dict[str, Any]:
        """The whole of it (docs/ci.md)."""
        end = self.end(exit_code)
        return {
            **self.head(),
            "result": end["result"],
            "elicitations": [
                elicitation_fields(event, self._history_content) for event in self.resolved
            ],
            "error": end["error"],
            "exitCode": exit_code,
        }

    def write(self, output: Output, output_format: str, exit_code: int) -> None:
        """Write how it ended: the document (`json`), the last event (`jsonl`), or the result."""
        writers: dict[str, Callable[[], None]] = {
            "json": lambda: output.json(self.document(exit_code)),
            "jsonl": lambda: output.json_line(
                event_line("result", {**self.head(), **self.end(exit_code)})
            ),
            "text": lambda: self._write_result(output),
        }
        writers[output_format]()

    def _write_result(self, output: Output) -> None:
        if self.result is None:
            return
        from elicit_tui.cli.result_output import result_text

        output.text(result_text(self.result))


def _answered(outcome: Outcome) -> bool:
    """Whether an entry of the answers file decided, or a managed rule, which stands for it."""
    # With an answers file each question ends by it. Without a key, it ended since no entry was
    # valid.
    by_entry = outcome.decided_by == "answers" and outcome.key is not None
    return by_entry or outcome.decided_by == "rule"
