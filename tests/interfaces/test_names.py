"""Names: the whole alphabet goes through unchanged, and everything else is refused before anything is sent."""

import json
import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
import responses
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.interfaces import ManagementInterface, StorageInterface, Token, errors, names
from dashboard.interfaces.paths import LITERAL

ANYWHERE = re.compile(".*", re.DOTALL)
BASE = "https://service.example/storage/v1"
ALPHABET = "abcXYZ019_!.*'()&$@=;:+,?- "

NASTY = [
    *(
        "..",
        ".",
        "../x",
        "a/..",
        "a/../../bucket2/secret",
        "../../bucket/x",
        "./a",
        "a/./b",
        "%2e%2e/x",
        "a%2Fb",
        "a#b",
        "~x",
        "x~",
    ),
    *("Übersicht.pdf", "日本.txt", "a\\b", "a\nb", "a\r\nX: y", "a\x00b", "a\tb", "a\x7fb", "\ud800", "a\udfffb", "é", "e\u0301"),
    *(
        "a[b]",
        "{a}",
        "a|b",
        "a^b",
        "a`b",
        'a"b',
        "<a>",
        "\u202eabc",
        "\u200b",
        "\U0001d4b3",
        "a%",
        "",
        "a\u00a0b",
        "\u2028",
        "..\\..",
        "%2e%2e%2f",
    ),
]
GOOD = [
    *(
        "a",
        "a/b/c/d/e/f/g",
        "a//b",
        "a/",
        " ",
        "a b",
        "...",
        ".hidden",
        "a?b=1",
        "a?token=x",
        "a&b=c;d",
        "a+b",
        "@",
        "$",
        ":",
        "a:b",
    ),
    *(
        "'",
        "(",
        "*",
        "!",
        "a,b",
        "http://x/y",
        "?",
        "?a",
        "a?",
        "=",
        "-",
        "--",
        "a/.emptyFolderPlaceholder",
        "/".join(["x" * 255] * 4),
    ),
]

# Nothing is stored under these, but objects with such keys may be there.
ODD = ["/a", "//evil.example/x", "/", "x" * 256, f"a/{'x' * 1100}/b"]

keys = st.text(ALPHABET + "/", min_size=1, max_size=60).filter(lambda key: names.key_problem(key) is None)


def _storage() -> StorageInterface:
    return StorageInterface(BASE, Token("canary"))


def _each(storage: StorageInterface, bucket: str, key: str) -> dict[str, Callable[[], object]]:
    """Every operation that takes a key in its path."""
    return {
        "/object/": lambda: storage.objects.delete(bucket, key),
        "/object/ ": lambda: storage.objects.upload(bucket, key, b"", content_type="text/plain"),
        "/object/  ": lambda: storage.objects.replace(bucket, key, b"", content_type="text/plain"),
        "/object/sign/": lambda: storage.signing.sign(bucket, key, expires_in=60),
        "/object/   ": lambda: storage.objects.get(bucket, key).close(),
        "/object/authenticated/": lambda: storage.objects.read(bucket, key).close(),
        "/object/info/authenticated/": lambda: storage.objects.info(bucket, key),
        "/object/public/": lambda: storage.objects.read_public(bucket, key).close(),
        "/object/info/public/": lambda: storage.objects.info_public(bucket, key),
    }


def _answer(request: object) -> tuple[int, dict[str, str], str]:
    del request
    body = {"Key": "k", "message": "m", "name": "n", "signedURL": "/object/sign/b/k?token=t"}
    return 200, {"Content-Type": "application/json"}, json.dumps(body)


def _targets(bucket: str, key: str) -> dict[str, str]:
    """The paths that each operation asked for, by the place that it should begin with."""
    asked = {}
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        for verb in ("GET", "POST", "PUT", "DELETE"):
            mock.add_callback(verb, ANYWHERE, callback=_answer)
        for place, call in _each(_storage(), bucket, key).items():
            call()
            asked[place.strip()] = str(mock.calls[-1].request.path_url)
    return asked


@given(key=keys, bucket=st.text(ALPHABET, min_size=1, max_size=30).filter(lambda name: names.bucket_name_problem(name) is None))
@settings(max_examples=150)
def test_every_allowed_name_goes_out_as_it_is(key: str, bucket: str) -> None:
    if bucket in ("public", "authenticated", "info"):
        return
    for place, target in _targets(bucket, key).items():
        path, question, _ = target.partition("?")
        assert not question, "a question mark of the name is part of the path"
        assert path.startswith("/storage/v1" + place)
        assert unquote(path) == f"/storage/v1{place}{bucket}/{key}"
        assert all(mark in path for mark in set(key) & set(LITERAL)), (
            "an encoded one would make a signed link that can't be redeemed"
        )


@pytest.mark.parametrize("key", GOOD)
def test_a_name_that_looks_odd_goes_out_as_it_is(key: str) -> None:
    assert names.key_problem(key) is None
    assert names.suggest_key(key) == key
    for place, target in _targets("b", key).items():
        assert unquote(target) == f"/storage/v1{place}b/{key}"


@pytest.mark.parametrize("key", [*NASTY, *ODD])
def test_a_name_against_the_rules_is_refused_with_a_suggestion_before_anything_is_sent(key: str) -> None:
    storage = _storage()
    calls: dict[str, Callable[[], object]] = {
        "S9": lambda: storage.objects.upload("b", key, b"", content_type="text/plain"),
        "S10": lambda: storage.objects.replace("b", key, b"", content_type="text/plain"),
        "S11": lambda: storage.objects.move("b", "a", key),
        "S12": lambda: storage.objects.copy("b", "a", key),
    }
    with responses.RequestsMock() as mock:
        for ident, call in calls.items():
            with pytest.raises(errors.NameRefused) as caught:
                call()
            assert caught.value.operation == ident
            assert str(caught.value) == names.key_problem(key)
            assert caught.value.suggestion is not None
            assert names.key_problem(caught.value.suggestion) is None
        assert len(mock.calls) == 0


@pytest.mark.parametrize("key", NASTY)
def test_a_name_that_is_only_asked_for_never_leaves_its_bucket(key: str) -> None:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        for verb in ("GET", "POST", "DELETE"):
            mock.add_callback(verb, ANYWHERE, callback=_answer)
        for place, call in _each(_storage(), "b", key).items():
            before = len(mock.calls)
            try:
                call()
            except errors.NameRefused:
                assert len(mock.calls) == before
            else:
                assert unquote(mock.calls[-1].request.path_url) == f"/storage/v1{place.strip()}b/{key}"


@pytest.mark.parametrize("key", ODD)
def test_an_odd_key_that_is_there_can_be_read_moved_away_and_deleted(key: str) -> None:
    storage = _storage()
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        for verb in ("GET", "POST", "DELETE"):
            mock.add_callback(verb, ANYWHERE, callback=_answer)
        storage.objects.read("b", key).close()
        storage.objects.info("b", key)
        storage.objects.delete("b", key)
        storage.signing.sign("b", key, expires_in=60)
        storage.objects.move("b", key, "away")
        assert [unquote(call.request.path_url) for call in mock.calls] == [
            *(f"/storage/v1/object/{way}b/{key}" for way in ("authenticated/", "info/authenticated/", "", "sign/")),
            "/storage/v1/object/move",
        ]


@pytest.mark.parametrize("key", ["a/.emptyFolderPlaceholder", ".emptyFolderPlaceholder", "x.emptyFolderPlaceholder"])
def test_only_an_empty_file_is_sent_as_the_mark_of_an_empty_folder(key: str) -> None:
    assert names.upload_problem(key, 0) is None
    problem = names.upload_problem(key, 1)
    assert problem
    with responses.RequestsMock(), pytest.raises(errors.NameRefused, match=re.escape(problem)) as caught:
        _storage().objects.upload("b", key, b"1", content_type="text/plain")
    assert caught.value.suggestion == names.suggest_upload(key, 1)
    assert names.upload_problem(names.suggest_upload(key, 1), 1) is None


@given(st.text(max_size=40))
@settings(max_examples=300)
def test_any_text_is_a_good_name_or_refused_in_words_with_a_good_suggestion(text: str) -> None:
    problem = names.key_problem(text)
    suggestion = names.suggest_key(text)
    assert names.key_problem(suggestion) is None
    assert names.suggest_key(suggestion) == suggestion
    assert suggestion == text or problem
    assert problem is None or (problem.endswith(".") and problem.isprintable())


@given(st.text(max_size=40))
@settings(max_examples=200)
def test_any_text_is_a_good_bucket_name_or_refused(text: str) -> None:
    problem = names.bucket_name_problem(text)
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.add("POST", BASE + "/bucket/", json={"name": text.encode("utf-8", "replace").decode()})
        if problem is None:
            _storage().buckets.create(text)
        else:
            with pytest.raises(errors.NameRefused, match=re.escape(problem)):
                _storage().buckets.create(text)
        assert len(mock.calls) == (problem is None)


@pytest.mark.parametrize(
    ("key", "suggestion"),
    [
        ("Übersicht.pdf", "Ubersicht.pdf"),
        ("a#b", "a-b"),
        ("~x", "-x"),
        ("Straße/Ærø [1].txt", "Strasse/Aero -1-.txt"),
        ("日本.txt", "RiBen.txt"),
        ("Привет мир.txt", "Privet mir.txt"),
        ("/a", "a"),
        (f"{'x' * 300}.tar", f"{'x' * 251}.tar"),
        ("../../etc/passwd", "etc/passwd"),
        ("a\nb.txt", "a b.txt"),
        ("May\u0131s\u2013Haziran.pdf", "Mayis-Haziran.pdf"),
        ("dir//ü", "dir//u"),
        ("", "file"),
        ("..", "file"),
    ],
)
def test_suggestions_keep_what_they_can(key: str, suggestion: str) -> None:
    assert names.suggest_key(key) == suggestion


@pytest.mark.parametrize(
    "name",
    ["", " a", "a ", "a/b", "ü", "x" * 101, ".", "..", "sign", "list", "list-v2", "upload", "a--table-s3", "a%b", "a~b", "a\tb"],
)
def test_bucket_names_against_the_rules_are_refused(name: str) -> None:
    assert names.bucket_name_problem(name)


@pytest.mark.parametrize("name", ["a", "x" * 100, "My bucket (2)!", "_", "...", "a?b", "public", "UPPER"])
def test_bucket_names_within_the_rules_are_fine(name: str) -> None:
    assert names.bucket_name_problem(name) is None


@pytest.mark.parametrize(
    ("ident", "call"),
    [
        ("S9", lambda storage: storage.objects.upload("list", "k", b"", content_type="text/plain")),
        ("S10", lambda storage: storage.objects.replace("upload", "sign/b/k", b"", content_type="text/plain")),
        ("S17", lambda storage: storage.objects.get("public", "b/k")),
    ],
)
def test_a_bucket_whose_path_means_another_operation_is_refused(ident: str, call: Callable[[StorageInterface], object]) -> None:
    with responses.RequestsMock() as mock, pytest.raises(errors.NameRefused, match=ident):
        call(_storage())
    assert len(mock.calls) == 0


@pytest.mark.parametrize("bucket", ["..", ".", "a/b", "../object", "", "a/../../v1", "a\x00"])
def test_a_bucket_or_project_that_would_change_the_path_is_refused(bucket: str) -> None:
    storage, management = _storage(), ManagementInterface(BASE, Token("canary"))
    with responses.RequestsMock() as mock:
        for call in (
            storage.buckets.delete,
            storage.buckets.get,
            storage.objects.all,
            management.secrets.all,
            management.functions.all,
        ):
            with pytest.raises(errors.NameRefused):
                call(bucket)
        with pytest.raises(errors.NameRefused):
            management.functions.delete("a" * 20, bucket)
    assert len(mock.calls) == 0
