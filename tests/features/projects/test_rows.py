"""What a project's page says of its record, from records of any generation of the service."""

import msgspec
import pytest

from dashboard.features.projects.rules import region_name
from dashboard.features.projects.services.projects import Organizations
from dashboard.features.projects.views.rows import row_of
from dashboard.interfaces.management.projects import Project

OLDEST = {
    "id": "abcdefghijklmnopqrst",
    "organization_id": "acme",
    "name": "shop",
    "region": "eu-west-1",
    "created_at": "2023-03-29T16:32:59Z",
}


def project(**members: object) -> Project:
    return msgspec.json.decode(msgspec.json.encode({**OLDEST, **members}), type=Project)


def test_the_oldest_record_has_no_state_and_no_database() -> None:
    row = row_of(project(), Organizations(names={"acme": "Acme"}))
    assert (row.organization, row.state, row.project.database) == ("Acme", "", None)


def test_a_state_that_nobody_knows_is_shown_as_it_is() -> None:
    row = row_of(project(status="HIBERNATING"), Organizations(names={}))
    assert (row.state, row.tone) == ("HIBERNATING", "neutral")


def test_a_region_that_nobody_knows_is_shown_as_it_is() -> None:
    row = row_of(project(region="moon-1"), Organizations(names={}))
    assert (row.region, row.project.region) == ("", "moon-1")


@pytest.mark.parametrize("code", ["eu-central-2", "ap-east-1", "us-west-2"])
def test_newer_regions_have_names_too(code: str) -> None:
    assert region_name(code)
