"""The rights of roles: complete, ordered, and enforced before an entry of the journal is written."""

import re
from pathlib import Path

import pytest

from dashboard.interfaces.operations import OPERATIONS
from dashboard.journal.models import Entry
from dashboard.journal.recorder import record
from dashboard.team import rights
from dashboard.team.models import Person, Role
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.operations import KINDS
from tests.contract.document import ROWS

DASHBOARD = Path(__file__).parents[2] / "dashboard"
ACT = re.compile(r'(?:operation=|operation = |right=|_recorded\(workspace, |_set\(person, asked, )"([a-z][^"]+)"')


def test_each_operation_needs_this_role() -> None:
    assert {ident: rights.LEAST[ident] for ident in OPERATIONS} == {ident: row["role"] for ident, row in ROWS.items()}


def test_the_rights_name_every_act_of_ours_once() -> None:
    acts = [act for each in rights.OURS.values() for act in each]
    assert len(acts) == len(set(acts))
    written = {act for path in DASHBOARD.rglob("*.py") for act in ACT.findall(path.read_text())}
    listed = {act for kind in KINDS.values() for act in kind} - OPERATIONS.keys()
    assert len(written) > 25
    assert (written | listed) - set(acts) == set()


def test_each_role_may_do_what_the_roles_before_it_may() -> None:
    assert [role.rank for role in (Role.VIEWER, Role.OPERATOR, Role.ADMINISTRATOR, Role.OWNER)] == [0, 1, 2, 3]
    for act, least in rights.LEAST.items():
        assert [rights.allows(role, act) for role in Role] == [role.rank >= least.rank for role in Role], act
    assert rights.allows(Role.OPERATOR, "M6", "M7")
    assert not rights.allows(Role.OPERATOR, "M6", "M20")


def test_an_act_that_the_table_does_not_know_is_refused(owner: Person) -> None:
    with pytest.raises(KeyError), record(person_id=owner.pk, operation="something new"):
        pass


@pytest.mark.parametrize("act", ["S9", "M6", "M5"])
def test_a_change_is_refused_by_role_before_it_is_recorded_or_sent(ada: Person, act: str) -> None:
    workspace = Workspace(ada)
    Person.objects.update(role=Role.VIEWER)  # as stored now, not as it was when the workspace was made
    right = "secret value shown" if act == "M5" else ""
    with (
        pytest.raises(rights.RoleMissing, match=r"Needs the operator role\. You are a viewer\."),
        workspace.record(act, right=right),
    ):
        raise AssertionError
    assert not Entry.objects.exists()


def test_an_act_of_ours_is_refused_by_role_too(ada: Person) -> None:
    for role in (Role.OPERATOR, Role.VIEWER):
        Person.objects.update(role=role)
        with pytest.raises(rights.RoleMissing, match="Needs the owner role"), record(person_id=ada.pk, operation="person added"):
            raise AssertionError
    with record(person_id=ada.pk, operation="password changed"):
        pass
    assert Entry.objects.get().operation == "password changed"
