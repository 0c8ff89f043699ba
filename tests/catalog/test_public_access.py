import pytest

from dashboard.catalog.public_access import Answer, Look, verdict


@pytest.mark.parametrize(
    ("read", "public", "title"),
    [
        (("given", "refused"), True, "Public"),
        (("given", "refused"), False, "Still public"),
        (("refused", "refused"), True, "Public, but not reachable"),
        (("refused", "refused"), False, "Private"),
        (("refused", "untold"), False, "Unknown"),
        (("given", "untold"), None, "Public"),
        (("refused", "refused"), None, "Private"),
    ],
)
def test_what_strangers_get_is_judged_with_the_buckets_setting(
    read: tuple[Answer, Answer], public: bool | None, title: str
) -> None:
    assert verdict(Look("a.txt", *read), public=public).title == title
