"""S1 to S21 against a service."""

import io
import time
from collections.abc import Callable

import pytest

from dashboard.interfaces import Placement, StorageInterface, errors
from dashboard.interfaces.storage.buckets import KEEP
from tests.contract.conftest import Service, remove, unique

TEXT = b"hello world"
WRONG = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.c2lnbmF0dXJl"
# Every character of the alphabet, as far as paths allow it to be tried.
TRICKY = "odd names/a b+c&d,e:f@g=h$i;j!k.l*m'n(o)p_q-r.txt"


def _put(storage: StorageInterface, bucket: str, *keys: str, body: bytes = TEXT, kind: str = "text/plain") -> None:
    for key in keys:
        storage.objects.upload(bucket, key, body, content_type=kind)


def _read(storage: StorageInterface, bucket: str, key: str) -> bytes:
    return storage.objects.read(bucket, key).read_all(1 << 20)


def _calls(storage: StorageInterface, bucket: str) -> dict[str, Callable[[], object]]:
    return {
        "S1": lambda: storage.buckets.create(unique("never")),
        "S2": storage.buckets.all,
        "S3": lambda: storage.buckets.empty(bucket),
        "S4": lambda: storage.buckets.get(bucket),
        "S5": lambda: storage.buckets.update(bucket, public=True),
        "S6": lambda: storage.buckets.delete(bucket),
        "S7": lambda: storage.objects.delete(bucket, "a.txt"),
        "S8": lambda: storage.objects.delete_many(bucket, ["a.txt"]),
        "S9": lambda: storage.objects.upload(bucket, "b.txt", TEXT, content_type="text/plain"),
        "S10": lambda: storage.objects.replace(bucket, "a.txt", TEXT, content_type="text/plain"),
        "S11": lambda: storage.objects.move(bucket, "a.txt", "c.txt"),
        "S12": lambda: storage.objects.copy(bucket, "a.txt", "c.txt"),
        "S13": lambda: storage.objects.all(bucket),
        "S14": lambda: storage.signing.sign(bucket, "a.txt", expires_in=60),
        "S15": lambda: storage.signing.sign_many(bucket, ["a.txt"], expires_in=60),
        "S18": lambda: storage.objects.read(bucket, "a.txt"),
        "S19": lambda: storage.objects.info(bucket, "a.txt"),
    }


def test_a_wrong_token_is_refused_everywhere(service: Service, storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "a.txt")
    for ident, call in _calls(service.storage(WRONG), bucket).items():
        with pytest.raises(errors.TokenRefused) as refused:
            call()
        assert refused.value.operation == ident
    with pytest.raises(errors.NotFound):
        service.storage(WRONG).objects.get(bucket, "a.txt")
    assert _read(storage, bucket, "a.txt") == TEXT


def test_a_weak_token_sees_nothing_and_may_do_nothing(service: Service, storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "a.txt")
    calls = _calls(service.storage(service.weak_token), bucket)
    assert calls["S2"]() == calls["S8"]() == calls["S13"]() == []
    item = service.storage(service.weak_token).signing.sign_many(bucket, ["a.txt"], expires_in=60)[0]
    assert (item.link, bool(item.error)) == (None, True)
    for ident in ("S1", "S3", "S7", "S9", "S10"):
        with pytest.raises(errors.NotAllowed) as refused:
            calls[ident]()
        assert refused.value.operation == ident
    for ident in ("S4", "S5", "S11", "S12", "S14", "S18", "S19"):
        with pytest.raises(errors.NotFound) as missing:
            calls[ident]()
        assert missing.value.operation == ident
    assert _read(storage, bucket, "a.txt") == TEXT


def test_the_credential_may_go_into_the_query_where_the_document_wants_it(
    service: Service, storage: StorageInterface, bucket: str
) -> None:
    if not service.is_sandbox:
        pytest.skip("today's service reads the header only")
    _put(storage, bucket, "a.txt")
    other = service.storage(placement=Placement.QUERY)
    assert bucket in {each.id for each in other.buckets.all()}
    assert _read(other, bucket, "a.txt") == TEXT


def test_s1_s2_s4_make_and_show_a_bucket(storage: StorageInterface) -> None:
    name = unique("made")
    assert storage.buckets.create(name, public=True, file_size_limit=1000, allowed_mime_types=["image/png", "text/*"]) == name
    shown = storage.buckets.get(name)
    assert (shown.id, shown.name, shown.is_public) == (name, name, True)
    assert (shown.file_size_limit, shown.allowed_mime_types) == (1000, ["image/png", "text/*"])
    assert shown.created_at is not None
    assert name in {bucket.id for bucket in storage.buckets.all()}
    with pytest.raises(errors.Conflict):
        storage.buckets.create(name)
    remove(storage, name)


def test_s1_refuses_a_wrong_type_and_an_endless_limit(storage: StorageInterface) -> None:
    with pytest.raises(errors.TooLarge):
        storage.buckets.create(unique("wrong"), allowed_mime_types=["image"])
    with pytest.raises(errors.TooLarge):
        storage.buckets.create(unique("wrong"), file_size_limit=10_000_000_000_000)
    with pytest.raises(errors.Rejected):
        storage.buckets.create(unique("wrong"), file_size_limit=-1)


def test_s3_empties_a_bucket(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "a.txt", "b/c.txt")
    assert storage.buckets.empty(bucket)
    assert storage.objects.all(bucket) == []
    assert storage.buckets.empty(bucket)


def test_s3_s4_s5_s6_know_no_such_bucket(storage: StorageInterface) -> None:
    gone = unique("never")
    for call in (
        storage.buckets.get,
        storage.buckets.empty,
        storage.buckets.delete,
        lambda bucket: storage.buckets.update(bucket, public=True),
    ):
        with pytest.raises(errors.NotFound):
            call(gone)


def test_s5_changes_what_is_given_and_keeps_the_rest(storage: StorageInterface, bucket: str) -> None:
    assert storage.buckets.update(bucket, public=True, file_size_limit=2048, allowed_mime_types=["text/plain"])
    storage.buckets.update(bucket, public=False, file_size_limit=KEEP)
    kept = storage.buckets.get(bucket)
    assert (kept.is_public, kept.file_size_limit, kept.allowed_mime_types) == (False, 2048, ["text/plain"])
    storage.buckets.update(bucket, public=False, file_size_limit=None, allowed_mime_types=None)
    cleared = storage.buckets.get(bucket)
    assert (cleared.file_size_limit, cleared.allowed_mime_types) == (None, None)


def test_s6_refuses_a_bucket_with_objects_in_it(storage: StorageInterface) -> None:
    name = storage.buckets.create(unique("full"))
    _put(storage, name, "a.txt")
    with pytest.raises(errors.Conflict):
        storage.buckets.delete(name)
    storage.objects.delete(name, "a.txt")
    assert storage.buckets.delete(name)


def test_s7_deletes_one_object_and_no_folder(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "folder/a.txt")
    with pytest.raises(errors.NotFound):
        storage.objects.delete(bucket, "folder")
    assert storage.objects.delete(bucket, "folder/a.txt")
    with pytest.raises(errors.NotFound):
        storage.objects.delete(bucket, "folder/a.txt")


def test_s8_says_what_it_deleted(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "a.txt", "b/c.txt", "d.txt")
    deleted = storage.objects.delete_many(bucket, ["a.txt", "b/c.txt", "never.txt", "b"])
    assert sorted(each.name for each in deleted) == ["a.txt", "b/c.txt"]
    assert [each.name for each in storage.objects.all(bucket)] == ["d.txt"]
    assert storage.objects.delete_many(unique("never"), ["a"]) == []
    with pytest.raises(errors.Rejected):
        storage.objects.delete_many(bucket, [])


def test_s9_stores_once_unless_told_otherwise(storage: StorageInterface, bucket: str) -> None:
    stored = storage.objects.upload(bucket, "a/b.txt", TEXT, content_type="text/plain", cache_control="max-age=3600")
    assert stored.key == f"{bucket}/a/b.txt"
    with pytest.raises(errors.Conflict):
        storage.objects.upload(bucket, "a/b.txt", b"other", content_type="text/plain")
    storage.objects.upload(bucket, "a/b.txt", b"other", content_type="text/plain", upsert=True)
    assert _read(storage, bucket, "a/b.txt") == b"other"


def test_s9_streams_a_reader_and_keeps_nothing_of_a_broken_one(storage: StorageInterface, bucket: str) -> None:
    body = bytes(range(256)) * 20_000

    class Reader:
        def __init__(self, *, fails_at: int | None = None) -> None:
            self.stream, self.fails_at = io.BytesIO(body), fails_at

        def __len__(self) -> int:
            return len(body)

        def read(self, size: int = -1, /) -> bytes:
            if self.fails_at is not None and self.stream.tell() >= self.fails_at:
                raise ConnectionResetError
            return self.stream.read(size)

    storage.objects.upload(bucket, "whole.bin", Reader(), content_type="application/octet-stream")
    assert storage.objects.read(bucket, "whole.bin").read_all(10 << 20) == body
    with pytest.raises(ConnectionResetError):
        storage.objects.upload(bucket, "broken.bin", Reader(fails_at=1 << 20), content_type="application/octet-stream")
    with pytest.raises(ConnectionResetError):
        storage.objects.replace(bucket, "whole.bin", Reader(fails_at=1 << 20), content_type="application/octet-stream")
    time.sleep(0.3)
    assert [each.name for each in storage.objects.all(bucket)] == ["whole.bin"]
    assert storage.objects.read(bucket, "whole.bin").read_all(10 << 20) == body


def test_s9_keeps_empty_objects_and_odd_names(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "empty", "newfolder/.emptyFolderPlaceholder", body=b"", kind="application/octet-stream")
    _put(storage, bucket, TRICKY, "what?.txt", "a//b", "trailing/")
    assert _read(storage, bucket, "empty") == b""
    for key in (TRICKY, "what?.txt", "a//b", "trailing/"):
        assert _read(storage, bucket, key) == TEXT
        assert storage.objects.info(bucket, key).name == key
        assert storage.objects.delete(bucket, key)


def test_s9_refuses_size_type_and_unknown_bucket(storage: StorageInterface) -> None:
    name = storage.buckets.create(unique("small"), file_size_limit=1000, allowed_mime_types=["image/png", "text/*"])
    _put(storage, name, "exact.txt", body=b"x" * 1000)
    for operation in (storage.objects.upload, storage.objects.replace):
        with pytest.raises(errors.TooLarge):
            operation(name, "big.txt", b"x" * 1001, content_type="text/plain")
        with pytest.raises(errors.TooLarge):
            operation(name, "a.pdf", b"x", content_type="application/pdf")
        with pytest.raises(errors.NotFound):
            operation(unique("never"), "a.txt", b"x", content_type="text/plain")
    remove(storage, name)


def test_s10_replaces_and_creates(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "a.txt")
    assert storage.objects.replace(bucket, "a.txt", b"second", content_type="text/plain").key == f"{bucket}/a.txt"
    assert _read(storage, bucket, "a.txt") == b"second"
    storage.objects.replace(bucket, "new.txt", TEXT, content_type="text/plain")
    assert _read(storage, bucket, "new.txt") == TEXT


def test_s11_moves_and_never_overwrites(storage: StorageInterface, bucket: str, public_bucket: str) -> None:
    _put(storage, bucket, "a.txt", "taken.txt")
    assert storage.objects.move(bucket, "a.txt", "b/c.txt")
    with pytest.raises(errors.NotFound):
        storage.objects.move(bucket, "a.txt", "d.txt")
    with pytest.raises(errors.Conflict):
        storage.objects.move(bucket, "b/c.txt", "taken.txt")
    storage.objects.move(bucket, "b/c.txt", "e.txt", destination_bucket=public_bucket)
    assert _read(storage, public_bucket, "e.txt") == TEXT
    with pytest.raises(errors.NotFound):
        storage.objects.move(bucket, "taken.txt", "x", destination_bucket=unique("never"))


def test_s12_copies_and_overwrites_only_when_told(storage: StorageInterface, bucket: str, public_bucket: str) -> None:
    _put(storage, bucket, "a.txt")
    assert storage.objects.copy(bucket, "a.txt", "b/c.txt") == f"{bucket}/b/c.txt"
    with pytest.raises(errors.Conflict):
        storage.objects.copy(bucket, "a.txt", "b/c.txt")
    storage.objects.copy(bucket, "a.txt", "b/c.txt", upsert=True)
    assert storage.objects.copy(bucket, "a.txt", "d.txt", destination_bucket=public_bucket) == f"{public_bucket}/d.txt"
    with pytest.raises(errors.NotFound):
        storage.objects.copy(bucket, "never.txt", "x.txt")


def test_s13_lists_a_folder(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "Readme.txt", "alpha.txt", "photos/a.png", "photos/deep/b.png", "zeta/x.txt")
    rows = storage.objects.all(bucket)
    assert [(row.name, row.is_folder) for row in rows] == [
        ("alpha.txt", False),
        ("photos", True),
        ("Readme.txt", False),
        ("zeta", True),
    ]
    first = rows[0]
    assert (first.size, first.mimetype) == (len(TEXT), "text/plain")
    assert first.etag
    assert first.updated_at is not None
    assert first.created_at is not None
    assert (rows[1].size, rows[1].updated_at) == (None, None)
    assert [row.name for row in storage.objects.all(bucket, prefix="photos")] == ["a.png", "deep"]
    assert [row.name for row in storage.objects.all(bucket, prefix="photos/")] == ["a.png", "deep"]
    assert [row.name for row in storage.objects.all(bucket, limit=2, offset=1)] == ["photos", "Readme.txt"]
    assert [row.name for row in storage.objects.all(bucket, order="desc", limit=1)] == ["zeta"]
    assert [row.name for row in storage.objects.all(bucket, search="AL")] == ["alpha.txt"]
    assert storage.objects.all(bucket, search="lpha") == []
    assert [row.is_folder for row in storage.objects.all(bucket, sort_by="created_at")] == [True, True, False, False]
    assert storage.objects.all(unique("never")) == []
    with pytest.raises(errors.Rejected):
        storage.objects.all(bucket, limit=0)


def test_s14_s16_sign_and_redeem(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "folder/a b.txt", TRICKY)
    link = storage.signing.sign(bucket, "folder/a b.txt", expires_in=60)
    assert link.expires_at is not None
    assert 0 < link.expires_at.timestamp() - time.time() < 120
    assert storage.signing.open(link).read_all(100) == TEXT
    assert storage.signing.open(storage.signing.sign(bucket, TRICKY, expires_in=60)).read_all(100) == TEXT
    with storage.signing.open(link, headers={"Range": "bytes=0-4"}) as part:
        assert (part.status, b"".join(part)) == (206, b"hello")
    with storage.signing.open(link, download="my ü.txt") as saved:
        assert "attachment" in saved.headers["content-disposition"]
    other = type(link)(link.path.replace("a b.txt", "c.txt"))
    with pytest.raises(errors.NotAllowed):
        storage.signing.open(other)
    with pytest.raises(errors.NotFound):
        storage.signing.sign(bucket, "never.txt", expires_in=60)
    with pytest.raises(errors.Rejected):
        storage.signing.sign(bucket, "folder/a b.txt", expires_in=0)


def test_s16_ends_when_it_said(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "a.txt")
    link = storage.signing.sign(bucket, "a.txt", expires_in=1)
    time.sleep(2.1)
    with pytest.raises(errors.NotAllowed):
        storage.signing.open(link)


def test_s15_signs_several_in_their_order(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "a.txt", "what?.txt", "sp ace/a b.txt")
    keys = ["a.txt", "never.txt", "what?.txt", "sp ace/a b.txt", "a.txt"]
    items = storage.signing.sign_many(bucket, keys, expires_in=60)
    assert [item.path for item in items] == keys
    assert [item.error is None for item in items] == [True, False, True, True, True]
    for item in items:
        if item.link:
            assert storage.signing.open(item.link).read_all(100) == TEXT
    assert all(item.error for item in storage.signing.sign_many(unique("never"), ["a"], expires_in=60))
    with pytest.raises(errors.Rejected):
        storage.signing.sign_many(bucket, [], expires_in=60)


def test_s17_still_reads(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "a.txt")
    assert storage.objects.get(bucket, "a.txt").read_all(100) == TEXT
    with pytest.raises(errors.NotFound):
        storage.objects.get(bucket, "never.txt")


def test_s18_reads_whole_in_part_and_not_again(storage: StorageInterface, bucket: str) -> None:
    storage.objects.upload(bucket, "a.txt", TEXT, content_type="text/plain", cache_control="max-age=3600")
    with storage.objects.read(bucket, "a.txt") as stream:
        assert (stream.status, stream.length, stream.headers["content-type"]) == (200, 11, "text/plain")
        assert stream.headers["cache-control"] == "max-age=3600"
        assert stream.headers["accept-ranges"] == "bytes"
        etag = stream.headers["etag"]
        assert b"".join(stream) == TEXT
    with storage.objects.read(bucket, "a.txt", headers={"Range": "bytes=2-4"}) as stream:
        assert (stream.status, stream.headers["content-range"], b"".join(stream)) == (206, "bytes 2-4/11", b"llo")
    with storage.objects.read(bucket, "a.txt", headers={"If-None-Match": etag}) as stream:
        assert (stream.status, b"".join(stream)) == (304, b"")
    with pytest.raises(errors.Rejected) as caught:
        storage.objects.read(bucket, "a.txt", headers={"Range": "bytes=100-200"})
    assert caught.value.status == 416
    for gone in ((bucket, "never.txt"), (unique("never"), "a.txt"), (bucket, "a.txt/b")):
        with pytest.raises(errors.NotFound):
            storage.objects.read(*gone)


def test_s18_serves_html_as_text(storage: StorageInterface, bucket: str) -> None:
    _put(storage, bucket, "page.html", body=b"<h1>x</h1>", kind="text/html")
    with storage.objects.read(bucket, "page.html") as stream:
        assert stream.headers["content-type"].startswith("text/plain")


def test_s19_tells_of_an_object(storage: StorageInterface, bucket: str) -> None:
    storage.objects.upload(bucket, "d/a.txt", TEXT, content_type="text/plain", cache_control="max-age=60")
    info = storage.objects.info(bucket, "d/a.txt")
    assert (info.name, info.size, info.content_type, info.cache_control) == ("d/a.txt", 11, "text/plain", "max-age=60")
    assert info.etag
    assert info.last_modified is not None
    with pytest.raises(errors.NotFound):
        storage.objects.info(bucket, "never.txt")


def test_s20_s21_serve_public_buckets_only(service: Service, storage: StorageInterface, bucket: str, public_bucket: str) -> None:
    _put(storage, bucket, "a.txt")
    _put(storage, public_bucket, "img/a b.txt")
    stranger = service.storage(WRONG)
    assert stranger.objects.read_public(public_bucket, "img/a b.txt").read_all(100) == TEXT
    assert stranger.objects.info_public(public_bucket, "img/a b.txt").size == 11
    for read in (stranger.objects.read_public, stranger.objects.info_public):
        for place in ((bucket, "a.txt"), (public_bucket, "never.txt"), (unique("never"), "a.txt")):
            with pytest.raises(errors.NotFound):
                read(*place)
