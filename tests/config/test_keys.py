"""What can be set has a key: no field of the settings is forgotten in the table of keys."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest

from elicit_tui.config import keys
from elicit_tui.config.nodes import Named, Table, Tables
from elicit_tui.elicitation import settings


def below(table: Table, *names: str) -> Table:
    """The table at this path of another one."""
    for name in names:
        node = table.keys[name]
        if isinstance(node, (Named, Tables)):
            node = node.item
        assert isinstance(node, Table)
        table = node
    return table


TABLES: dict[type, Table] = {
    settings.Settings: keys.USER_FILE,
    settings.GranularApproval: below(keys.APPROVAL_POLICY.table, "granular"),
    settings.ElicitationSettings: keys.ELICITATION,
    settings.ElicitationLimits: below(keys.ELICITATION, "limits"),
    settings.Rule: below(keys.ANSWERS_FILE, "answers"),
    settings.ServerSettings: keys.SERVER,
    settings.ToolSettings: below(keys.SERVER, "tools"),
    settings.OAuthSettings: below(keys.SERVER, "oauth"),
    settings.LoginSettings: keys.LOGINS,
    settings.ConsoleSettings: keys.CONSOLE,
    settings.HistorySettings: keys.HISTORY,
    settings.Hook: below(keys.USER_FILE, "hooks"),
    settings.StoreSettings: keys.STORE,
    settings.GatewaySettings: keys.GATEWAY,
    settings.BridgeSettings: keys.BRIDGE,
    settings.GuardianSettings: keys.GUARDIAN,
    settings.OwnerRule: keys.GUARDIAN_RULE,
}

WITHOUT_A_KEY: dict[type, set[str]] = {
    # Where a value came from, and what was noticed while it was read.
    settings.Settings: {"servers", "provenance", "notices", "config_file", "managed_file"},
    settings.Rule: {"layer", "position"},
    settings.Hook: {"layer", "position", "place", "fixed_path", "cannot_run"},
    settings.OwnerRule: {"layer"},
    # Its name is the name of its table; the others are worked out from its keys.
    settings.ServerSettings: {
        *("name", "layer", "header_variables", "missing", "refused", "fixed_path"),
    },
}


def test_every_table_of_the_settings_is_looked_at_here() -> None:
    classes = {
        each for each in vars(settings).values() if is_dataclass(each) and isinstance(each, type)
    }
    assert classes - TABLES.keys() == {settings.Provenance}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_each_field_of_the_settings_has_a_key(table: type) -> None:
    named = {field.name for field in fields(table)}
    assert named - TABLES[table].keys.keys() == WITHOUT_A_KEY.get(table, set())
