"""Every operation of the interface document can be found from its id."""

import pytest

from tests.operations import Places, main, operations

# What no service calls, and why.
UNCALLED = {"S16": "browsers and players open signed links", "S17": "deprecated in favour of S18"}


@pytest.fixture(scope="module")
def places() -> dict[str, Places]:
    return {found.id: found for found in operations()}


def test_each_operation_has_an_interface_method_and_a_sandbox_handler(places: dict[str, Places]) -> None:
    assert len(places) == 46
    assert all(found.methods and found.handlers for found in places.values())


def test_each_operation_has_a_service_and_a_test(places: dict[str, Places]) -> None:
    assert {ident for ident, found in places.items() if not found.services} == UNCALLED.keys()
    assert [ident for ident, found in places.items() if not found.tests] == []


def test_views_are_found_through_reviews_and_kinds_of_jobs(places: dict[str, Places]) -> None:
    assert "dashboard/features/secrets/views/draft.py review" in places["M6"].views
    assert places["S3"].views == ("dashboard/features/bulk/views.py empty", "dashboard/features/bulk/views.py remove")
    assert {"dashboard/features/bulk/views.py move", "dashboard/features/bulk/views.py rename"} <= set(places["S11"].views)


def test_operations_of_the_storage_lead_to_no_view_of_management(places: dict[str, Places]) -> None:
    management = ("secrets", "functions", "hostname", "network", "types", "encryption")
    wrong = {
        (ident, view)
        for ident, found in places.items()
        if ident[0] == "S"
        for view in found.views
        if view.split("/")[2] in management
    }
    assert wrong == set()


def test_the_index_prints_where_an_operation_lives(capsys: pytest.CaptureFixture[str]) -> None:
    main(["M13"])
    text = capsys.readouterr().out
    for place in (
        "DELETE /v1/projects/{ref}/functions/{function_slug}",
        "Functions.delete",
        "tests/features/functions/test_delete.py",
    ):
        assert place in text
