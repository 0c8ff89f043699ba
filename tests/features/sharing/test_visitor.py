"""What somebody with a link sees: the page, and a face for every reason why it does not open."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import Message
from io import BytesIO
from urllib.parse import parse_qs, quote, unquote, urlsplit
from zipfile import ZipFile

import pytest
import requests
import responses
from pytest_django.fixtures import Settings

from dashboard.links import lifecycle
from dashboard.links.models import Share
from dashboard.team.models import Person, Role
from dashboard.tokens.models import StoredToken
from tests.features.service import Faults
from tests.features.sharing.conftest import Desk

UNKNOWN = "/l/" + "A" * 22


def test_the_page_says_what_it_is_until_when_and_from_whom(desk: Desk) -> None:
    desk.put("dir/Angebot & Co.pdf", body=b"x" * 2048, content_type="application/pdf")
    share, path = desk.share("dir/Angebot & Co.pdf", note="The offer,\nas promised")
    page = desk.visitor.get(path)
    assert page.status_code == 200
    for words in ("Angebot &amp; Co.pdf", "2.0 KB", "PDF document", "in 7 days", "Olga Owner", "The offer,<br>as promised"):
        assert words in page.text, words
    assert f"{share.ends_at:%-d %b %Y, %H:%M:%S} UTC" in page.text
    assert "dir/" not in page.text
    assert desk.bucket not in page.text
    share.refresh_from_db()
    assert share.opened == 0, "looking at the page is no download"


def test_the_end_is_told_in_the_sharers_zone_and_in_utc(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", ends_at=datetime(2099, 7, 1, 22, 30, tzinfo=UTC), zone="Europe/Berlin")
    page = desk.visitor.get(path).text
    assert "Thursday 2 July 2099, 00:30 in Berlin" in page
    assert "(1 Jul 2099, 22:30:00 UTC)" in page
    Share.objects.filter(pk=share.pk).update(zone="")
    assert " in Berlin" not in desk.visitor.get(path).text


def test_a_download_through_us_is_not_said_to_be_in_a_hurry(desk: Desk, hidden: None) -> None:
    desk.put("a.txt")
    assert "within 60 seconds" not in desk.visitor.get(desk.share("a.txt")[1]).text


def test_the_download_is_a_short_presigned_link_under_the_name_and_counts_once(desk: Desk) -> None:
    desk.put("dir/a b+c?.txt", body=b"the bytes")
    share, path = desk.share("dir/a b+c?.txt")
    answer = desk.visitor.get(f"{path}/file")
    assert answer.status_code == 302
    got = requests.get(answer["Location"], timeout=10)
    assert got.content == b"the bytes"
    assert "a%20b%2Bc%3F.txt" in got.headers["Content-Disposition"]
    share.refresh_from_db()
    assert (share.opened, share.opened_at is not None) == (1, True)


def test_a_direct_link_leads_to_the_file_at_once(desk: Desk) -> None:
    desk.put("a.txt", body=b"direct")
    share, path = desk.share("a.txt", landing=False)
    assert requests.get(desk.visitor.get(path)["Location"], timeout=10).content == b"direct"
    share.refresh_from_db()
    assert share.opened == 1


def test_no_answer_runs_script_is_kept_or_found_or_tells_where_it_came_from(desk: Desk) -> None:
    desk.put("a.txt")
    _, open_path = desk.share("a.txt")
    _, locked = desk.share("a.txt", password="correct horse")
    gone, gone_path = desk.share("a.txt")
    lifecycle.revoke(desk.person, Share.objects.filter(pk=gone.pk))
    for path in (open_path, f"{open_path}/file", locked, gone_path, UNKNOWN, f"{UNKNOWN}/file", f"{UNKNOWN}/file/x"):
        answer = desk.visitor.get(path)
        assert answer["Referrer-Policy"] == "no-referrer", path
        assert "noindex" in answer["X-Robots-Tag"], path
        assert "no-store" in answer["Cache-Control"], path
        if "Location" not in answer:
            assert "script-src" not in answer["Content-Security-Policy"]
            assert "default-src 'none'" in answer["Content-Security-Policy"]
            assert "<script" not in answer.text


def test_an_expired_link_says_until_when_it_worked(desk: Desk, later: Callable[[timedelta], None]) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    later(timedelta(days=7, seconds=-5))
    assert desk.visitor.get(path).status_code == 200
    later(timedelta(seconds=6))
    answer = desk.visitor.get(path)
    assert answer.status_code == 410
    assert "Link expired" in answer.text
    assert f"It expired just now, on {share.ends_at:%-d %B %Y at %H:%M} UTC." in answer.text
    assert desk.visitor.get(f"{path}/file").status_code == 410


def test_an_ended_link_says_so_at_once_and_undo_opens_it_again(desk: Desk) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    mine = Share.objects.filter(pk=share.pk)
    assert lifecycle.revoke(desk.person, mine) == [share.pk]
    for address in (path, f"{path}/file"):
        answer = desk.visitor.get(address)
        assert answer.status_code == 410
        assert "revoked this link" in answer.text
        assert "a.txt" not in answer.text
    assert lifecycle.restore(desk.person, mine) == [share.pk]
    assert desk.visitor.get(path).status_code == 200


def test_a_used_up_link_says_so(desk: Desk) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt", limit=1)
    assert "Downloads left" in desk.visitor.get(path).text
    assert desk.visitor.get(f"{path}/file").status_code == 302
    for address in (path, f"{path}/file"):
        answer = desk.visitor.get(address)
        assert answer.status_code == 410
        assert "limit reached" in answer.text


def test_a_missing_file_is_said_to_be_gone_and_counts_nothing(desk: Desk) -> None:
    share, path = desk.share("never.txt")
    for address in (path, f"{path}/file", f"{path}/file?n=1", f"{path}/file?n=x", f"{path}/file?n=0&key=b"):
        answer = desk.visitor.get(address)
        assert answer.status_code == 404, address
        assert "File missing" in answer.text
        assert "never.txt" not in answer.text
    share.refresh_from_db()
    assert share.opened == 0


def test_a_link_dies_with_its_owner_and_with_the_owners_token(desk: Desk) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt")
    Person.objects.filter(pk=desk.person.pk).update(is_active=False)
    left = desk.visitor.get(path)
    assert (left.status_code, "has left the team" in left.text) == (410, True)
    Person.objects.filter(pk=desk.person.pk).update(is_active=True)
    assert desk.visitor.get(path).status_code == 200
    StoredToken.objects.filter(person=desk.person, kind="storage").delete()
    forgotten = desk.visitor.get(f"{path}/file")
    assert (forgotten.status_code, "no longer accepts" in forgotten.text) == (503, True)


def test_a_refused_token_is_said_and_noted(desk: Desk) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt")
    token = StoredToken.objects.get(person=desk.person, kind="storage")
    token.seal("eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.AAAA")
    token.save()
    answer = desk.visitor.get(path)
    assert (answer.status_code, "no longer accepts" in answer.text) == (503, True)
    token.refresh_from_db()
    assert token.refused_at is not None


@pytest.mark.parametrize("fault", [{"status": 500}, {"cut": "before"}, {"html": True}, {"status": 429, "retry_after": 30}])
def test_a_service_that_is_down_is_said_to_be_so(desk: Desk, faults: Faults, fault: dict[str, object]) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt")
    for operation in ("S14", "S19"):
        faults(operation, **fault)
    for address in (path, f"{path}/file"):
        answer = desk.visitor.get(address)
        assert answer.status_code == 503
        assert int(answer["Retry-After"]) > 0
        assert "Storage unavailable" in answer.text
        assert "not answer" not in answer.text, "most of these did"
    share.refresh_from_db()
    assert share.opened == 0


def test_an_unknown_code_has_one_answer_however_near_it_is(desk: Desk) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt")
    ended, ended_path = desk.share("a.txt")
    lifecycle.revoke(desk.person, Share.objects.filter(pk=ended.pk))
    answers = {
        desk.visitor.get(near).text for near in (UNKNOWN, path[:-1], path + "x", ended_path[:-1], f"{ended_path[:-1]}/file")
    }
    assert len(answers) == 1
    assert "Link not found" in answers.pop()


def test_the_code_is_in_the_database_only_sealed(desk: Desk) -> None:
    share, path = desk.share("a.txt")
    row = Share.objects.filter(pk=share.pk).values().get()
    code = path.removeprefix("/l/")
    assert code not in " ".join(map(str, row.values()))
    assert code not in row["sealed_code"].stored()
    assert share.code == code


def test_a_set_lists_each_file_with_its_download(desk: Desk) -> None:
    desk.put("in/a.txt", body=b"aa")
    desk.put("in/deep/b.txt", body=b"bbb")
    desk.put("other.txt")
    share, path = desk.share("in/a.txt", "in/deep/b.txt")
    page = desk.visitor.get(path)
    assert "2 objects" in page.text
    assert ">a.txt<" in page.text
    assert ">deep/b.txt<" in page.text
    assert "3 bytes" in page.text
    assert requests.get(desk.visitor.get(f"{path}/file?n=1")["Location"], timeout=10).content == b"bbb"
    assert desk.visitor.get(f"{path}/file?n=2").status_code == 404
    share.refresh_from_db()
    assert share.opened == 1


def test_a_set_comes_as_one_archive_that_counts_once_and_leaves_out_what_is_gone(desk: Desk) -> None:
    desk.put("in/a.txt", body=b"aa")
    desk.put("in/deep/b.txt", body=b"bbb")
    share, path = desk.share("in/a.txt", "in/gone.txt", folders=("in/deep/",), limit=1)
    assert ">missing<" in desk.visitor.get(path).text
    assert desk.visitor.head(f"{path}/all").status_code == 200
    answer = desk.visitor.get(f"{path}/all")
    packed = ZipFile(BytesIO(answer.getvalue()))
    assert {name: packed.read(name) for name in packed.namelist()} == {"a.txt": b"aa", "deep/b.txt": b"bbb"}
    assert answer["Content-Disposition"].startswith("attachment")
    share.refresh_from_db()
    assert share.opened == 1
    assert desk.visitor.get(f"{path}/all").status_code == 410


def test_one_object_is_no_archive(desk: Desk) -> None:
    desk.put("a.txt")
    _, path = desk.share("a.txt")
    assert desk.visitor.get(f"{path}/all")["Location"] == path


def test_a_folder_shows_what_is_in_it_and_nothing_beside_it(desk: Desk) -> None:
    desk.put("in/a.txt", "in/deep/b.txt", body=b"inside")
    desk.put("out.txt", "in-2/c.txt")
    _, path = desk.share(folders=("in/",))
    page = desk.visitor.get(path)
    assert ">a.txt<" in page.text
    assert ">deep/b.txt<" in page.text
    assert "out.txt" not in page.text
    assert requests.get(desk.visitor.get(f"{path}/file?key=in/deep/b.txt")["Location"], timeout=10).content == b"inside"
    for outside in ("out.txt", "in-2/c.txt", "in/../out.txt", "in/", ""):
        assert desk.visitor.get(f"{path}/file", {"key": outside}).status_code == 404, outside


def test_an_owner_of_the_team_ends_a_members_link_for_good(desk: Desk, ada: Person) -> None:
    share, _ = desk.share("a.txt")
    Share.objects.filter(pk=share.pk).update(owner=ada)
    row = Share.objects.filter(pk=share.pk)
    assert desk.person.role == Role.OWNER
    lifecycle.revoke(desk.person, row)
    assert lifecycle.restore(ada, row) == []
    assert lifecycle.restore(desk.person, row) == [share.pk]


@pytest.mark.parametrize("name", ["تقرير سنوي ٢٠٢٦.pdf", "見積書 最終.pdf", "🚀 lançamento.pdf", 'the "quoted"; one.pdf'])
def test_a_download_has_its_name_in_any_script(desk: Desk, name: str, settings: Settings) -> None:
    """The service that the tests run against takes none of these names; others may."""
    _, path = desk.share(f"dir/{name}")
    signed = f"/object/sign/{quote(f'{desk.bucket}/dir/{name}')}?token=t"
    with responses.RequestsMock(assert_all_requests_are_fired=False) as lenient:
        lenient.post(re.compile(".*/object/sign/.*"), json={"signedURL": signed})
        lenient.get(re.compile(".*/object/.*"), body=b"x", headers={"Content-Length": "1"})
        led = urlsplit(desk.visitor.get(f"{path}/file")["Location"])
        assert unquote(led.path).endswith(f"/dir/{name}")
        assert parse_qs(led.query)["download"] == [name]
        settings.STORAGE_PUBLIC_URL = "none"
        sent = desk.visitor.get(f"{path}/file")
    said = Message()
    said["Content-Disposition"] = sent["Content-Disposition"]
    assert said.get_filename() == name
    assert b"".join(sent) == b"x"


def test_the_password_page_names_who_sent_the_link_and_the_team_but_no_address(
    desk: Desk, owner: Person, settings: Settings
) -> None:
    settings.SHARE_TITLE = "Nordlicht"
    desk.put("a.txt")
    _, path = desk.share("a.txt", password="four random words")
    for name, words in (("Nina Vogel", "Sent by Nina Vogel, Nordlicht. Ask them"), ("", "Ask the person who sent you the link.")):
        Person.objects.filter(pk=owner.pk).update(name=name)
        page = desk.visitor.get(path).text
        assert words in " ".join(re.sub(r"<[^>]+>", "", page).replace(" ,", ",").split())
        assert owner.email not in page


def test_a_shared_file_stands_above_its_name_and_facts(desk: Desk) -> None:
    desk.put("a.txt", body=b"Dear all")
    _, path = desk.share("a.txt")
    page = desk.visitor.get(path).text
    assert page.index("Dear all") < page.index("<h1") < page.index("Shared by") < page.index("Download")
