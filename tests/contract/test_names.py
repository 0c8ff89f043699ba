"""Names against a service: what the library lets through goes there and back as it is."""

import io
import random
import secrets
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.interfaces import StorageInterface, names
from tests.contract.conftest import Service, remove, unique

ALPHABET = "abcXYZ019_!.*'()&$@=;:+,?- "
part = st.text(ALPHABET, min_size=1, max_size=24).filter(lambda text: text not in (".", ".."))
keys = st.lists(part, min_size=1, max_size=6).map("/".join)


@pytest.fixture(scope="module")
def place(service: Service) -> Iterator[tuple[StorageInterface, str]]:
    """A bucket for all examples."""
    storage = service.storage()
    bucket = storage.buckets.create(unique("names"))
    yield storage, bucket
    remove(storage, bucket)


@given(keys)
@settings(max_examples=40)
def test_any_allowed_name_comes_back_as_it_was(place: tuple[StorageInterface, str], key: str) -> None:
    storage, bucket = place
    assert names.key_problem(key) is None
    body = secrets.token_bytes(8)
    assert storage.objects.upload(bucket, key, body, content_type="text/plain", upsert=True).key == f"{bucket}/{key}"
    assert storage.objects.read(bucket, key).read_all(100) == body
    folder, _, name = key.rpartition("/")
    assert name in {row.name for row in storage.objects.all(bucket, prefix=folder, limit=1000)}
    item = storage.signing.sign_many(bucket, [key], expires_in=60)[0]
    assert item.link is not None
    assert storage.signing.open(item.link).read_all(100) == body
    if "?" not in key:
        assert storage.signing.open(storage.signing.sign(bucket, key, expires_in=60)).read_all(100) == body
    assert [deleted.name for deleted in storage.objects.delete_many(bucket, [key])] == [key]


@given(st.text(ALPHABET, min_size=1, max_size=40).filter(lambda name: names.bucket_name_problem(name) is None))
@settings(max_examples=15)
def test_any_allowed_bucket_name_works(service: Service, name: str) -> None:
    storage = service.storage()
    bucket = storage.buckets.create(name[:90] + unique("-n"))
    try:
        assert storage.buckets.get(bucket).name == bucket
        storage.objects.upload(bucket, "a/b c.txt", b"x", content_type="text/plain")
        assert [row.name for row in storage.objects.all(bucket)] == ["a"]
        assert storage.objects.info(bucket, "a/b c.txt").size == 1
        assert storage.objects.delete(bucket, "a/b c.txt")
    finally:
        remove(storage, bucket)


class Torn(io.BytesIO):
    """A body that fails somewhere."""

    def __init__(self, size: int, at: int) -> None:
        super().__init__(bytes(size))
        self.size, self.at = size, at

    def __len__(self) -> int:
        return self.size

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() >= self.at:
            raise ConnectionAbortedError
        return super().read(min(size or 0, self.at - self.tell()))


def test_fifty_torn_uploads_leave_nothing_and_spoil_nothing(place: tuple[StorageInterface, str]) -> None:
    storage, bucket = place
    storage.objects.upload(bucket, "torn/old.bin", b"the old one", content_type="text/plain")
    chance = random.Random(50)  # noqa: S311 - where to tear
    for number in range(25):
        size = chance.randrange(1, 3 << 20)
        for key in (f"torn/{number}.bin", "torn/old.bin"):
            with pytest.raises(ConnectionAbortedError):
                storage.objects.replace(bucket, key, Torn(size, chance.randrange(size)), content_type="text/plain")
    assert [row.name for row in storage.objects.all(bucket, prefix="torn")] == ["old.bin"]
    assert storage.objects.read(bucket, "torn/old.bin").read_all(100) == b"the old one"
