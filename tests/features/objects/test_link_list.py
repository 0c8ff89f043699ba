"""A list of links for what was chosen, and the script that fetches them."""

import csv
import subprocess
from io import StringIO
from pathlib import Path
from urllib.parse import urlencode

import pytest
import requests
from django.http import HttpResponseBase
from pytest_django.fixtures import Settings

from dashboard.journal.models import Entry
from dashboard.links.models import RawLink
from tests.features.objects.conftest import Desk


def made(desk: Desk, kind: str, **fields: object) -> str:
    answer: HttpResponseBase = desk.client.post(
        f"{desk.address('manifest')}?{urlencode(fields, doseq=True)}", {"kind": kind, "life": "3600"}
    )
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment")
    return str(answer.getvalue(), "utf-8")


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def folder_of(folder: Path) -> Path:
    """The one folder that the script made."""
    (made,) = folder.iterdir()
    return made


def test_it_asks_for_the_form_and_the_end(desk: Desk) -> None:
    answer = desk.client.get(desk.address("manifest"), {"folder": "a/"})
    assert "Shell script with curl" in answer.text
    assert f'action="{desk.address("manifest")}?folder=a%2F"' in answer.text
    assert "</html>" in answer.text


def test_a_table_names_every_object_with_a_link_that_works(desk: Desk) -> None:
    desk.put("a/=1+1.txt", "a/b/what?.txt", body=b"bytes")
    rows = list(csv.DictReader(StringIO(made(desk, "csv", folder="a/"))))
    assert {row["key"] for row in rows} == {"a/=1+1.txt", "a/b/what?.txt"}
    assert all(requests.get(row["address"], timeout=10).content == b"bytes" for row in rows)


def test_it_says_the_end_and_what_was_refused(desk: Desk) -> None:
    desk.put("a.txt", body=b"123")
    good, bad = csv.DictReader(StringIO(made(desk, "csv", key=["a.txt", "gone.txt"])))
    assert good["address"].startswith("http")
    assert (bool(good["ends at"]), good["refusal"]) == (True, "")
    assert (bad["address"], bad["ends at"]) == ("", "")
    assert bad["refusal"]


def test_each_batch_is_in_the_journal_and_noted_without_its_links(desk: Desk) -> None:
    desk.put("a.txt")
    (row,) = csv.DictReader(StringIO(made(desk, "csv", key="a.txt")))
    token = row["address"].partition("token=")[2]
    entry = Entry.objects.get(operation="S15")
    assert token not in f"{entry.after}{entry.target}"
    assert RawLink.objects.get().keys == ["a.txt"]


def test_the_script_fetches_everything_under_safe_names(desk: Desk, tmp_path: Path) -> None:
    desk.put("s/it's $(touch owned).txt", "s/-rf", "s/deep/er/x;y.txt", body=b"bytes")
    desk.put("s/empty.txt", body=b"")
    done = run(tmp_path, made(desk, "script", folder="s/"))
    assert done.returncode == 0, done.stderr
    assert "4 fetched, 0 were here, 0 failed, 0 had no link" in done.stdout
    here = folder_of(tmp_path)
    found = {str(path.relative_to(here)): path.read_bytes() for path in here.rglob("*") if path.is_file()}
    assert found == {
        "s/it's $(touch owned).txt": b"bytes",
        "s/-rf": b"bytes",
        "s/deep/er/x;y.txt": b"bytes",
        "s/empty.txt": b"",
    }


def test_the_script_goes_on_where_it_stopped(desk: Desk, tmp_path: Path) -> None:
    desk.put("s/a.bin", body=b"0123456789")
    desk.put("s/b.bin", body=b"abc")
    script = made(desk, "script", folder="s/")
    run(tmp_path, script)
    here = folder_of(tmp_path) / "s"
    (here / "a.bin").unlink()
    (here / "a.bin.part").write_bytes(b"01234")
    done = run(tmp_path, script)
    assert "1 fetched, 1 were here, 0 failed" in done.stdout, done.stderr
    assert (here / "a.bin").read_bytes() == b"0123456789"
    assert not (here / "a.bin.part").exists()


def test_no_object_replaces_a_file_of_the_folder_that_the_script_is_run_in(desk: Desk, tmp_path: Path) -> None:
    """Names that a shell, a tool or a person finds there anyway."""
    names = [".profile", "Makefile", "bin/curl", "links.sh"]
    desk.put(*names, body=b"theirs")
    (tmp_path / "bin").mkdir()
    for name in names:
        (tmp_path / name).write_bytes(b"mine")
    done = run(tmp_path, made(desk, "script", key=names))
    assert "4 fetched" in done.stdout, done.stderr
    assert [(tmp_path / name).read_bytes() for name in names] == [b"mine"] * 4
    (new,) = {path.name for path in tmp_path.iterdir()} - {".profile", "Makefile", "bin", "links.sh"}
    assert sorted(path.read_bytes() for path in (tmp_path / new).rglob("*") if path.is_file()) == [b"theirs"] * 4


def test_the_script_does_not_follow_a_link_that_has_its_folders_name(desk: Desk, tmp_path: Path) -> None:
    desk.put("s/a.txt")
    script = made(desk, "script", folder="s/")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work").mkdir()
    run(tmp_path / "work", script)
    name = folder_of(tmp_path / "work").name
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / name).symlink_to(tmp_path / "elsewhere")
    done = run(tmp_path / "other", script)
    assert (done.returncode, list((tmp_path / "elsewhere").iterdir())) == (1, [])


def test_the_script_says_what_it_could_not_fetch(desk: Desk, tmp_path: Path) -> None:
    desk.put("s/a.txt", "s/b.txt")
    script = made(desk, "script", folder="s/")
    desk.storage.objects.delete(desk.bucket, "s/a.txt")
    done = run(tmp_path, script)
    assert done.returncode == 1
    assert "not fetched: ./s/a.txt" in done.stderr
    assert (folder_of(tmp_path) / "s" / "b.txt").exists()


def test_a_time_in_the_past_is_refused_and_the_selection_kept(desk: Desk) -> None:
    here = f"{desk.address('manifest')}?folder=a%2F"
    answer = desk.client.post(here, {"kind": "csv", "life": "exact", "end": "2020-01-01T00:00"})
    assert answer.status_code == 422
    assert "in the past" in answer.text
    assert f'action="{here}"' in answer.text
    assert "</html>" in answer.text


@pytest.mark.usefixtures("service")
def test_where_browsers_reach_no_storage_there_are_no_links(desk: Desk, settings: Settings) -> None:
    settings.STORAGE_PUBLIC_URL = "none"
    assert "Signed links are unavailable" in desk.client.get(desk.address("manifest"), {"folder": "a/"}).text
