"""What `call`, `prompt` and `read` tell: the JSON document, the event lines, the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.broker import Requested, Resolved
from elicit_tui.cli import exit_codes
from elicit_tui.cli.output import Output
from elicit_tui.elicitation import (
    ElicitationRequest,
    Finding,
    Method,
    Outcome,
    Review,
    now,
    rfc3339,
)

SUBJECTS: Final = {"tools/call": "tool", "prompts/get": "prompt", "resources/read": "uri"}
"""The document's key for what was called."""


def masked(outcome: Outcome, review: Review, history_content: str) -> dict[str, Any] | None:
    """The accepted content as `history.content` lets it be told; None where there is none."""
    if outcome.content is None or history_content == "none":
        return None
    if history_content == "full":
        return dict(outcome.content)
    return review.masked(outcome.content)


def question_fields(
    request: ElicitationRequest, findings: tuple[Finding, ...], verdict: str
) -> dict[str, Any]:
    """The fields that a request has before anyone decided."""
    return {
        "id": request.id,
        "mode": request.mode,
        "message": request.message,
        "round": request.round,
        "verdict": verdict,
        "findings": [finding.as_json() for finding in findings],
    }


def elicitation_fields(event: Resolved, history_content: str) -> dict[str, Any]:
    """One entry of the document's `elicitations`."""
    outcome = event.outcome
    return {
        **question_fields(event.request, event.review.findings, event.review.verdict),
        "action": outcome.action,
        "decidedBy": outcome.decided_by,
        "reason": outcome.reason,
        "content": masked(outcome, event.review, history_content),
        "waitedMs": event.waited_ms,
    }


def event_line(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """One line of `--output jsonl`, with the time of now (RFC 3339)."""
    return {"event": name, "time": rfc3339(now()), **fields}


class Report:
    """Gathers one call: its questions as they end, then how it ended itself."""

    def __init__(self, server: str, method: Method, name: str, history_content: str) -> None:
        self._server = server
        self._subject = (SUBJECTS[method], name)
        self._history_content = history_content
        self.protocol_version: str | None = None
        self.result: dict[str, Any] | None = None
        self.error: BaseException | None = None
        self.resolved: list[Resolved] = []

    def heard(self, event: Requested | Resolved) -> dict[str, Any]:
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
        """The questions that an answers file was given for and did not answer."""
        return [event for event in self.resolved if _unanswered(event.outcome)]

    def asked_page(self, elicitation_id: str) -> bool:
        """Whether a page of this id was agreed to; a notice about any other means nothing."""
        return any(
            event.request.elicitation_id == elicitation_id and event.outcome.action == "accept"
            for event in self.resolved
        )

    def exit_code(self, *, strict: bool) -> int:
        """How the command ends."""
        unaccepted = bool(self.unanswered)
        if strict:
            unaccepted = unaccepted or any(
                event.outcome.action != "accept" for event in self.resolved
            )
        return exit_codes.code_of_call(
            error=self.error, is_error=self.is_error, unaccepted=unaccepted
        )

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
            return {"code": "not_accepted", "message": "An elicitation was not accepted."}
        return None

    def document(self, exit_code: int) -> dict[str, Any]:
        """The whole of it (README, "In CI")."""
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

    def write(self, output: Output, how: str, exit_code: int) -> None:
        """Write how it ended: the document (`json`), the last event (`jsonl`), or the result."""
        if how == "json":
            output.json(self.document(exit_code))
        elif how == "jsonl":
            output.json_line(event_line("result", {**self.head(), **self.end(exit_code)}))
        elif self.result is not None:
            from elicit_tui.cli.result_text import result_text

            output.text(result_text(self.result))


def _unanswered(outcome: Outcome) -> bool:
    """Whether an answers file was used and had no valid answer: no entry's own action decided."""
    return outcome.decided_by == "answers" and outcome.action == "cancel" and outcome.key is None
