"""Changing type and Cache-Control of existing objects."""

import pytest
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

from dashboard.catalog.labels import cache_problem, type_problem
from dashboard.features.bulk import services as jobs
from dashboard.features.bulk.rules import Labels
from dashboard.features.bulk.tasks import labels
from dashboard.jobs.models import Job, State
from dashboard.journal.models import Entry
from tests.features.bulk.conftest import Desk, Faults, outcomes, through, words
from tests.jobs.conftest import turn
from tests.pages import kept

HOUR = "max-age=3600"


@pytest.fixture(autouse=True)
def no_service_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "_REWRITTEN", set())


def change(desk: Desk, *names: str, kind: str = "", caching: str = HOUR) -> Job:
    return through(jobs.label(desk.workspace, desk.selection(*names), Labels(kind, caching), back="/"))


def put_with_metadata(desk: Desk, key: str) -> None:
    desk.storage.objects.replace(desk.bucket, key, b"text", content_type="text/plain", metadata={"camera": "X100"})


def seen(desk: Desk, key: str) -> tuple[str | None, str | None]:
    info = desk.storage.objects.info(desk.bucket, key)
    return info.content_type, info.cache_control


def test_objects_get_a_new_cache_control_and_keep_type_bytes_and_metadata(desk: Desk) -> None:
    desk.put("in/a.txt", "in/deep/b.txt", body=b"text")
    put_with_metadata(desk, "c.txt")
    job = change(desk, "in/", "c.txt")
    assert (job.state, job.done, job.failed) == (State.DONE, 3, 0), words(job)
    for key in ("in/a.txt", "in/deep/b.txt", "c.txt"):
        assert seen(desk, key) == ("text/plain", HOUR)
        assert desk.text(key) == "text"
    assert desk.storage.objects.info(desk.bucket, "c.txt").metadata == {"camera": "X100"}
    assert Entry.objects.get(operation="S12").after == {"type": "", "cache": HOUR}


def test_objects_get_a_new_type_and_those_that_have_it_are_skipped(desk: Desk) -> None:
    desk.put("a.txt")
    desk.storage.objects.upload(desk.bucket, "b.md", b"# b", content_type="text/markdown")
    job = change(desk, "a.txt", "b.md", "gone.txt", kind="text/markdown", caching="")
    assert outcomes(job) == {"a.txt": "done", "b.md": "skipped", "gone.txt": "skipped"}
    assert seen(desk, "a.txt") == ("text/markdown", "no-cache")


def test_where_a_copy_onto_itself_is_refused_the_bytes_are_stored_again(desk: Desk, faults: Faults) -> None:
    put_with_metadata(desk, "a.txt")
    faults("S12", status=409, message="The resource already exists", times=10)
    job = change(desk, "a.txt")
    assert outcomes(job) == {"a.txt": "done"}, words(job)
    assert seen(desk, "a.txt") == ("text/plain", HOUR)
    assert desk.text("a.txt") == "text"
    assert desk.storage.objects.info(desk.bucket, "a.txt").metadata == {"camera": "X100"}
    assert Entry.objects.filter(operation="S10").count() == 1


def test_metadata_that_the_service_dropped_are_reported_as_lost(
    desk: Desk, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_with_metadata(desk, "a.txt")
    desk.put("b.txt")
    faults("S12", status=409, message="The resource already exists", times=10)
    original = HTTPAdapter.send

    def without_metadata(self: HTTPAdapter, request: PreparedRequest, **options: object) -> Response:
        """A server that ignores the header, as older ones do."""
        request.headers.pop("x-metadata", None)
        return original(self, request, **options)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(HTTPAdapter, "send", without_metadata)
    job = change(desk, "a.txt", "b.txt")
    assert outcomes(job) == {"a.txt": "done", "b.txt": "done"}
    assert words(job) == {"a.txt": labels.LOST, "b.txt": ""}
    assert seen(desk, "a.txt") == ("text/plain", HOUR)


def test_a_new_type_is_stored_with_the_bytes_where_a_copy_onto_itself_is_refused(desk: Desk, faults: Faults) -> None:
    put_with_metadata(desk, "a.txt")
    faults("S12", status=409, message="The resource already exists", times=10)
    job = change(desk, "a.txt", kind="text/markdown", caching="")
    assert outcomes(job) == {"a.txt": "done"}, words(job)
    assert seen(desk, "a.txt") == ("text/markdown", "no-cache")
    assert (desk.text("a.txt"), desk.storage.objects.info(desk.bucket, "a.txt").metadata) == ("text", {"camera": "X100"})


@pytest.mark.parametrize("labels_of", [{"kind": "text/markdown", "caching": ""}, {"caching": HOUR}], ids=["type", "caching"])
def test_an_object_that_was_replaced_in_the_meantime_is_not_overwritten(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, labels_of: dict[str, str]
) -> None:
    desk.put("a.txt", body=b"old")
    monkeypatch.setattr(labels, "_REWRITTEN", {desk.workspace.storage(desk.space).address})
    genuine = labels.Executor._info

    def replaced_once(self: labels.Executor, key: str) -> object:
        told = genuine(self, key)
        desk.storage.objects.replace(desk.bucket, key, b"new", content_type="text/plain")
        return told

    monkeypatch.setattr(labels.Executor, "_info", replaced_once)
    job = change(desk, "a.txt", **labels_of)
    assert words(job) == {"a.txt": labels.CHANGED.message}
    assert desk.text("a.txt") == "new"


def test_a_lost_answer_is_read_back(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt")
    faults("S12", cut="after", times=1)
    job = change(desk, "a.txt")
    assert outcomes(job) == {"a.txt": "done"}, words(job)
    assert seen(desk, "a.txt") == ("text/plain", HOUR)


def test_the_dialog_takes_a_preset_or_an_own_header_and_a_type(desk: Desk) -> None:
    desk.put("a.txt")
    here = kept(desk.client, desk.address("labels"), key=["a.txt"])
    assert "Type and caching of a.txt" in desk.client.get(here).text
    for wrong in (
        {},
        {"caching": "other", "other": "max-age=1\r\nX: y"},
        {"caching": "other"},
        {"content_type": "text"},
        {"content_type": "multipart/form-data"},
    ):
        assert desk.client.post(here, wrong).status_code == 422, wrong
    answer = desk.client.post(here, {"caching": "other", "other": "public, max-age=60", "content_type": "text/csv"})
    assert answer.status_code in {302, 303}, answer.text
    through(turn(Job.objects.latest("pk")))
    assert seen(desk, "a.txt") == ("text/csv", "public, max-age=60")


@pytest.mark.parametrize("text", ["no-cache", "public, max-age=60", "max-age=31536000, immutable", 'private="x"'])
def test_a_header_of_caching_is_accepted(text: str) -> None:
    assert cache_problem(text) == ""


@pytest.mark.parametrize("text", ["", "a\nb", "max age", "ü", "a" * 300, "a;b"])
def test_what_is_no_header_of_caching_is_refused(text: str) -> None:
    assert cache_problem(text)


@pytest.mark.parametrize(
    ("text", "fine"), [("image/png", True), ("text/plain; charset=utf-8", True), ("x", False), ("a/b\n", False)]
)
def test_a_type_has_two_parts(text: str, fine: bool) -> None:
    assert (type_problem(text) == "") is fine
