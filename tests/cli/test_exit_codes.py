"""The table of exit codes, as the README has it."""

from __future__ import annotations

import pytest

from elicit_tui import errors
from elicit_tui.cli.exit_codes import code_of, code_of_call, name_of
from elicit_tui.elicitation import decline

CODES = [
    (errors.UsageError("x"), 2, "usage"),
    (errors.ConfigError(["x"]), 2, "usage"),
    (errors.ManagedConfigError(["x"]), 2, "usage"),
    (errors.ToolRefused("t", decline("policy", "x")), 2, "tool_not_allowed"),
    (errors.StoreError("x"), 2, "usage"),
    (errors.SealError("x"), 2, "usage"),
    (errors.SecretError("x"), 2, "usage"),
    (errors.StoreTooNew("x"), 2, "usage"),
    (errors.StoreMissing("x"), 2, "usage"),
    (errors.LedgerError("x"), 2, "usage"),
    (errors.LedgerInUse("x"), 2, "usage"),
    (errors.HookError("x"), 2, "usage"),
    (errors.LoginError("x"), 4, "login"),
    (errors.LoginNotOffered("x"), 4, "login"),
    (errors.RefreshRefused("x"), 4, "login"),
    (errors.ProtocolCallError(-32042, "x"), 1, "-32042"),
    (errors.ServerError("x"), 4, "server_unavailable"),
    (errors.LimitReached("x", code="rounds"), 5, "rounds"),
    (errors.Interrupted("x"), 130, "interrupted"),
    (errors.TaskCancelled("x"), 130, "interrupted"),
    (KeyboardInterrupt(), 130, "interrupted"),
    (RuntimeError("unforeseen"), 4, "internal"),
]


@pytest.mark.parametrize(("error", "code", "name"), CODES, ids=lambda v: type(v).__name__)
def test_every_error_has_its_code_and_its_name(error: BaseException, code: int, name: str) -> None:
    assert code_of(error) == code
    assert name_of(error) == name


def test_every_branch_of_the_error_tree_has_a_code_of_its_own_choosing() -> None:
    def branches(kind: type[BaseException]) -> set[type[BaseException]]:
        return {kind}.union(*(branches(child) for child in kind.__subclasses__()))

    tested = {type(error) for error, _, _ in CODES}
    ours = {kind for kind in branches(errors.ElicitTuiError) if kind.__module__ == errors.__name__}
    assert ours - {errors.ElicitTuiError} <= tested


@pytest.mark.parametrize(
    ("error", "is_error", "unaccepted", "code"),
    [
        (None, False, False, 0),
        (None, True, False, 1),
        (None, False, True, 3),
        (None, True, True, 3),
        (errors.ProtocolCallError(-1, "x"), False, False, 1),
        (errors.ProtocolCallError(-1, "x"), False, True, 3),
        (errors.ToolRefused("t", decline("policy", "x")), False, True, 2),
        (errors.ServerError("x"), False, True, 4),
        (errors.LimitReached("x"), False, True, 5),
        (errors.Interrupted("x"), False, True, 130),
    ],
)
def test_what_was_not_accepted_outweighs_the_error_that_a_tool_makes_of_it(
    error: BaseException | None, is_error: bool, unaccepted: bool, code: int
) -> None:
    assert code_of_call(error=error, failed=is_error, unaccepted=unaccepted) == code
