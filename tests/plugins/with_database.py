"""For the second of two databases: leaves out the tests that never touch one. Used by .ci/run with `-p`."""

import pytest

FIXTURES = frozenset({"db", "transactional_db", "live_server"})


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if not _touches_one(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if _touches_one(item)]


def _touches_one(item: pytest.Item) -> bool:
    marked = any(item.get_closest_marker(name) for name in ("django_db", "postgresql"))
    return marked or not FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
