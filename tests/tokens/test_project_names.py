"""What is typed to confirm a change of a project: its name, with its organization where that is not enough, else its ref."""

import msgspec
import pytest

from dashboard.interfaces.management.projects import Project
from dashboard.team.models import Person
from dashboard.tokens import names
from dashboard.tokens.models import StoredToken
from dashboard.tokens.project_names import confirmation_of
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.service import Faults

# A project of the organization "Nordlicht Logistik", and the other organization, which is called "Studio Marlowe".
TRACKING, STUDIO = "ktmvqhzwrbnxpgaydcle", "studio-marlowe-k2vq8d"
OTHER = "b" * 20


@pytest.fixture
def workspace(owner: Person, management_token: StoredToken, service: Sandbox) -> Workspace:
    return Workspace(owner)


def show(workspace: Workspace, *others: tuple[str, str], name: str = "parcel-tracking") -> None:
    """Let the person see this project under a name, and others of an organization and a name."""
    [tracking] = [project for project in workspace.management.projects.all() if project.id == TRACKING]
    listed: list[Project] = [msgspec.structs.replace(tracking, name=name)]
    for organization, called in others:
        listed.append(msgspec.structs.replace(tracking, id=OTHER, organization_id=organization, name=called))
    names.learn(workspace.listing_fingerprints[0], listed)


def test_it_is_the_name(workspace: Workspace) -> None:
    show(workspace, (STUDIO, "parcel-tracking-2"))
    assert confirmation_of(workspace, TRACKING) == "parcel-tracking"


@pytest.mark.parametrize("called", ["parcel-tracking", "Parcel-Tracking", " parcel-tracking "])
def test_it_is_organization_and_name_where_two_visible_projects_share_the_name(workspace: Workspace, called: str) -> None:
    show(workspace, (STUDIO, called))
    assert confirmation_of(workspace, TRACKING) == "Nordlicht Logistik/parcel-tracking"


def test_spaces_are_those_that_a_page_shows(workspace: Workspace) -> None:
    show(workspace, name=" parcel \N{NO-BREAK SPACE} tracking ")
    assert confirmation_of(workspace, TRACKING) == "parcel tracking"


@pytest.mark.parametrize("name", ["", "  ", "parcel\N{ZERO WIDTH SPACE}tracking", "\N{RIGHT-TO-LEFT OVERRIDE}gnikcart"])
def test_it_is_the_ref_where_the_name_can_not_be_typed(workspace: Workspace, name: str) -> None:
    show(workspace, name=name)
    assert confirmation_of(workspace, TRACKING) == TRACKING


def test_it_is_the_ref_where_the_name_is_unknown(workspace: Workspace) -> None:
    assert confirmation_of(workspace, "z" * 20) == "z" * 20


def test_it_is_the_ref_where_both_belong_to_one_organization(workspace: Workspace) -> None:
    show(workspace, ("quiet-harbour-heron", "parcel-tracking"))
    assert confirmation_of(workspace, TRACKING) == TRACKING


def test_it_is_the_ref_where_the_organizations_can_not_be_read(workspace: Workspace, faults: Faults) -> None:
    show(workspace, (STUDIO, "parcel-tracking"))
    faults("M3", status=500)
    assert confirmation_of(workspace, TRACKING) == TRACKING
