"""S13: what a folder shows, in which order, and how much of it."""

import pytest

from tests.sandbox.storage.asking import BAD_NAME, Space, invalid

FOLDER = {"id": None, "updated_at": None, "created_at": None, "last_accessed_at": None, "metadata": None}


@pytest.fixture
def shelf(space: Space, bucket: str) -> str:
    for key in ("Readme.txt", "alpha.txt", "zeta/x.txt", "photos/a.png", "photos/deep/er/b.png"):
        space.put(bucket, key)
    return bucket


def test_by_name_folders_and_files_stand_among_each_other(space: Space, shelf: str) -> None:
    rows = space.rows(shelf)
    assert [row["name"] for row in rows] == ["alpha.txt", "photos", "Readme.txt", "zeta"]
    assert rows[1] == {"name": "photos", **FOLDER}
    assert space.names(shelf, sortBy={"column": "name", "order": "desc"}) == ["zeta", "Readme.txt", "photos", "alpha.txt"]


@pytest.mark.parametrize("column", ["created_at", "last_accessed_at"])
def test_by_time_folders_come_first(space: Space, shelf: str, column: str) -> None:
    assert space.names(shelf, sortBy={"column": column}) == ["photos", "zeta", "Readme.txt", "alpha.txt"]
    assert space.names(shelf, sortBy={"column": column, "order": "desc"}) == ["zeta", "photos", "alpha.txt", "Readme.txt"]


def test_replacing_moves_an_object_in_one_order_only(space: Space, shelf: str) -> None:
    space.put(shelf, "Readme.txt", b"new")
    assert space.names(shelf, sortBy={"column": "updated_at"})[2:] == ["alpha.txt", "Readme.txt"]
    assert space.names(shelf, sortBy={"column": "created_at"})[2:] == ["Readme.txt", "alpha.txt"]


def test_a_row_says_what_is_known_of_the_bytes(space: Space, bucket: str) -> None:
    made = space.put(bucket, "f/cat.txt", b"hello world", Cache_Control="max-age=3600")
    (row,) = space.rows(bucket, "f")
    assert list(row) == ["name", "id", "updated_at", "created_at", "last_accessed_at", "metadata"]
    assert (row["name"], row["id"]) == ("cat.txt", made)
    assert row["created_at"] == row["last_accessed_at"] == row["updated_at"]
    modified = row["metadata"].pop("lastModified")
    assert modified <= row["updated_at"]
    assert row["metadata"] == {
        "eTag": '"5eb63bbbe01eeed093cb22bb8f5acdc3"', "size": 11, "mimetype": "text/plain", "cacheControl": "max-age=3600",
        "contentLength": 11, "httpStatusCode": 200,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("prefix", "names"),
    [
        ("photos", ["a.png", "deep"]),
        ("photos/", ["a.png", "deep"]),
        ("PHOTOS", ["a.png", "deep"]),
        ("photos/deep", ["er"]),
        ("photos/deep/er/", ["b.png"]),
        ("pho", []),
        ("/photos", []),
        ("photos//", []),
        ("/", []),
        ("nope", []),
        ("ü", []),
        ("\ud800", []),
        ("a\x00", []),
    ],
)
def test_a_prefix_is_a_folder(space: Space, shelf: str, prefix: str, names: list[str]) -> None:
    assert space.names(shelf, prefix) == names


@pytest.mark.parametrize(
    ("prefix", "search", "names"),
    [
        ("", "", ["alpha.txt", "photos", "Readme.txt", "zeta"]),
        ("", "A", ["alpha.txt"]),
        ("", "r", ["Readme.txt"]),
        ("", "pho", ["photos"]),
        ("", "lpha", []),
        ("", "%", []),
        ("", "_", []),
        ("photos", "D", ["deep"]),
        ("", "photos/a", ["photos/a.png"]),
        ("", "photos/d", ["photos/deep"]),
        ("", "photos/", ["photos/a.png", "photos/deep"]),
        ("photos", "deep/er/B", ["deep/er/b.png"]),
        ("", "ü", []),
    ],
)
def test_a_search_is_the_start_of_a_name(space: Space, shelf: str, prefix: str, search: str, names: list[str]) -> None:
    for column in ("name", "created_at"):
        assert sorted(space.names(shelf, prefix, search=search, sortBy={"column": column})) == sorted(names)


def test_pages_follow_one_another(space: Space, bucket: str) -> None:
    for number in range(5):
        space.put(bucket, f"f{number}")
        space.put(bucket, f"d{number}/x")
    for column in ("name", "created_at", "updated_at"):
        for order in ("asc", "desc"):
            sort_by = {"column": column, "order": order}
            whole = space.names(bucket, sortBy=sort_by)
            assert len(whole) == 10
            for size in (1, 3, 4, 10):
                pages = [space.names(bucket, limit=size, offset=at, sortBy=sort_by) for at in range(0, 12, size)]
                assert [name for page in pages for name in page] == whole
    assert space.names(bucket, offset=10) == space.names(bucket, offset=10**30) == []


def test_a_folder_sorts_with_its_slash(space: Space, bucket: str) -> None:
    for key in ("photos/x", "photos.txt", "photos-a", "photos0", "photosA"):
        space.put(bucket, key)
    assert space.names(bucket) == ["photos-a", "photos.txt", "photos", "photos0", "photosA"]


def test_folders_that_differ_in_case_are_one_by_name_and_two_by_time(space: Space, bucket: str) -> None:
    for key in ("Photos/a", "photos/b", "photos/c"):
        space.put(bucket, key)
    assert space.names(bucket) == ["Photos"]
    assert space.names(bucket, sortBy={"column": "created_at"}) == ["Photos", "photos"]
    assert space.names(bucket, "PHOTOS") == ["a", "b", "c"]
    space.call("DELETE", f"/object/{bucket}/Photos/a")
    assert space.names(bucket) == space.names(bucket, sortBy={"column": "created_at"}) == ["photos"]


def test_empty_segments_are_names_like_others(space: Space, bucket: str) -> None:
    for key in ("a//b", "a/", "%20", "/lead"):
        space.put(bucket, key)
    assert space.names(bucket) == [" ", "", "a"]
    assert space.names(bucket, "a") == ["", ""]
    assert [row["id"] is None for row in space.rows(bucket, "a")] == [False, True]
    assert space.names(bucket, "a//") == ["b"]
    assert space.names(bucket, "/") == ["lead"]


def test_a_folder_goes_with_the_last_object_below_it(space: Space, bucket: str) -> None:
    for key in ("a/b/c/1", "a/b/2", "a/3"):
        space.put(bucket, key)
    space.call("DELETE", f"/object/{bucket}", data={"prefixes": ["a/b/c/1", "a/b/2"]})
    assert space.names(bucket, "a") == ["3"]
    space.call("POST", "/object/move", data={"bucketId": bucket, "sourceKey": "a/3", "destinationKey": "x/y/z"})
    assert space.names(bucket) == ["x"]
    assert space.names(bucket, "x") == ["y"]
    space.put(bucket, "x/y/z", b"replaced")
    space.call("DELETE", f"/object/{bucket}/x/y/z")
    assert space.names(bucket) == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "body must have required property 'prefix'"),
        ({"prefix": "", "limit": 0}, "body/limit must be >= 1"),
        ({"prefix": "", "limit": "many"}, "body/limit must be integer"),
        ({"prefix": "", "offset": -1}, "body/offset must be >= 0"),
        ({"prefix": "", "sortBy": {"column": "size"}}, "body/sortBy/column must be equal to one of the allowed values"),
        (
            {"prefix": "", "sortBy": {"column": "name", "order": "up"}},
            "body/sortBy/order must be equal to one of the allowed values",
        ),
        ({"prefix": "", "sortBy": {}}, "body/sortBy must have required property 'column'"),
        ({"prefix": "", "sortBy": "name"}, "body/sortBy must be object"),
        ({"prefix": {}}, "body/prefix must be string"),
    ],
)
def test_it_names_what_is_wrong_with_a_wish(space: Space, bucket: str, body: object, complaint: str) -> None:
    assert space.call("POST", f"/object/list/{bucket}", data=body).refusal == invalid(complaint)


def test_simple_values_are_taken_for_what_they_mean(space: Space, shelf: str) -> None:
    body = {"prefix": None, "limit": "2", "offset": True, "search": None, "sortBy": {"column": ["name"]}}
    assert [row["name"] for row in space.call("POST", f"/object/list/{shelf}", data=body).json()] == ["photos", "Readme.txt"]


def test_an_unknown_bucket_is_empty_and_a_wrong_name_is_refused(space: Space) -> None:
    assert space.rows("none") == []
    assert space.call("POST", "/object/list/no%23", data={"prefix": ""}).refusal == BAD_NAME
