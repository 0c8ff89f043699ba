"""For a second run, on another database: what never opens the product's own has nothing new to say there.

Used by .ci/run with `-p`.
"""

import pytest

OPENED_BY = frozenset({"db", "transactional_db", "database"})


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left = [item for item in items if not _opens_the_database(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if _opens_the_database(item)]


def _opens_the_database(item: pytest.Item) -> bool:
    fixtures = item.fixturenames if isinstance(item, pytest.Function) else ()
    return item.get_closest_marker("django_db") is not None or not OPENED_BY.isdisjoint(fixtures)
