"""Lists that are filtered by typing."""

from dashboard.web.pages.finder import Hit, matching


def test_what_has_the_text_as_its_name_is_first_as_enter_opens_that() -> None:
    hits = [Hit(name=name, href="/", icon="package") for name in ("old logs", "logs 2026", "Logs", "logs-archive")]
    assert [hit.name for hit in matching("logs", hits)] == ["Logs", "logs 2026", "logs-archive", "old logs"]
