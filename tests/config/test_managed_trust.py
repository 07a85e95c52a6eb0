"""A managed file is trusted only where nobody but root could have written it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.config import load
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ManagedConfigError
from tests.config.conftest import Machine


def loads(machine: Machine, **more: Any) -> Settings:
    return load(
        environment={}, managed_path=machine.managed_file, **{"managed_owner": os.getuid(), **more}
    )


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666, 0o620, 0o602])
def test_a_managed_file_that_others_can_write_is_not_trusted(machine: Machine, mode: int) -> None:
    machine.managed('approval_policy = "never"\n')
    machine.managed_file.chmod(mode)
    with pytest.raises(ManagedConfigError, match="can be written by its group or by others"):
        loads(machine)


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777, 0o1777])
def test_a_directory_that_others_can_write_is_not_trusted(machine: Machine, mode: int) -> None:
    machine.managed('approval_policy = "never"\n')
    machine.managed_directory.chmod(mode)
    with pytest.raises(ManagedConfigError, match="its directory can be written"):
        loads(machine)


def test_a_managed_file_of_another_owner_is_not_trusted(machine: Machine) -> None:
    machine.managed('approval_policy = "never"\n')
    with pytest.raises(ManagedConfigError, match="does not belong"):
        loads(machine, managed_owner=os.getuid() + 1)


def test_a_link_to_a_file_is_not_trusted(machine: Machine, tmp_path: Path) -> None:
    target = tmp_path / "target.toml"
    target.write_text('approval_policy = "never"\n')
    target.chmod(0o644)
    machine.managed_file.symlink_to(target)
    with pytest.raises(ManagedConfigError, match="is a symbolic link"):
        loads(machine)
    target.unlink()
    with pytest.raises(ManagedConfigError, match="is a symbolic link"):
        loads(machine)


def test_a_link_to_the_directory_is_not_trusted(machine: Machine, tmp_path: Path) -> None:
    machine.managed('approval_policy = "never"\n')
    link = tmp_path / "link"
    link.symlink_to(machine.managed_directory, target_is_directory=True)
    with pytest.raises(ManagedConfigError, match="its directory is a symbolic link"):
        load(environment={}, managed_path=link / "managed.toml", managed_owner=os.getuid())


def test_a_directory_or_a_pipe_in_place_of_the_file_is_refused(machine: Machine) -> None:
    machine.managed_file.mkdir(mode=0o755)
    with pytest.raises(ManagedConfigError):
        loads(machine)
    machine.managed_file.rmdir()
    os.mkfifo(machine.managed_file, 0o644)
    with pytest.raises(ManagedConfigError, match="neither a file nor a directory"):
        loads(machine)


def test_by_default_the_file_must_be_roots(machine: Machine) -> None:
    machine.managed('approval_policy = "never"\n')
    if os.getuid() == 0:
        os.chown(machine.managed_file, 12345, -1)
    with pytest.raises(ManagedConfigError, match="does not belong to root"):
        load(environment={}, managed_path=machine.managed_file)


def test_without_a_managed_file_nothing_is_locked(machine: Machine) -> None:
    assert loads(machine).managed_file is None
    machine.managed_directory.rmdir()
    machine.managed_directory.write_text("")
    assert loads(machine).managed_file is None
