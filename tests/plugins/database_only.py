"""For a second run on another database: only tests that use the product's own, unless marked as equal on every database.

Used by .ci/run with `-p`.
"""

import pytest

OPENED_BY = frozenset({"db", "transactional_db", "database"})


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left = [item for item in items if not _has_something_to_say(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if _has_something_to_say(item)]


def opens_database(item: pytest.Item) -> bool:
    fixtures = item.fixturenames if isinstance(item, pytest.Function) else ()
    return item.get_closest_marker("django_db") is not None or not OPENED_BY.isdisjoint(fixtures)


def _has_something_to_say(item: pytest.Item) -> bool:
    return opens_database(item) and item.get_closest_marker("one_database") is None
