"""No entrance runs with an invalid setting: one bad value of each, at each entrance."""

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from dashboard.launch import doctor, folder, start
from dashboard.launch.rules import ROLES, RULES, check
from dashboard.team.models import Role
from tests.launch.command import ROOT, environment
from tests.launch.replicas import GUNICORN, KEYS, NOWHERE
from tests.launch.test_composition import settings_of_the_readme

BAD = {
    "MANAGEMENT_URL": "ftp://x",
    "STORAGE_URL": "storage.example",
    "STORAGE_PUBLIC_URL": "never",
    "STORAGE_AUTHORIZATION": "cookie",
    "PUBLIC_URL": "https://x.example/below",
    "HSTS": "everywhere",
    "ALLOWED_HOSTS": "https://x.example",
    "TRUSTED_PROXIES": "some",
    "DATABASE_URL": "postgres://me:secret@db.example",
    "DATA_DIR": __file__,
    "STATIC_ROOT": __file__,
    "SECRET_KEY": "short",
    "SECRET_KEY_FALLBACKS": "short",
    "VAULT_KEYS": ",",
    "OWNER_EMAIL": "nobody",
    "EMAIL_URL": "me:secret@mail.example:587",
    "EMAIL_FROM": "Pilothouse",
    "NOTIFY_URLS": "dbus://me:secret@host",
    "MFA_REQUIRED": "owners, administrator",
    "OIDC_ISSUER": "http://login.example.com",
    "OIDC_CLIENT_ID": "alone",
    "OIDC_CLIENT_SECRET": "secret@alone",
    "OIDC_LABEL": "x" * 61,
    "SHARE_LINK_SECONDS": "1.5",
    "SHARE_MAX_DAYS": "0",
    "SHARE_PASSWORD_REQUIRED": "sometimes",
    "ACTIVITY_DAYS": "0",
    "SNAPSHOT_URL": "https://snapshots.example",
    "SNAPSHOT_MAX_BYTES": "10 GB",
    "SNAPSHOT_MAX_FILE_BYTES": "0",
    "SNAPSHOT_MAX_RATE": "0.5",
    "TRASH_DAYS": "-1",
    "AWS_ENDPOINT_URL": "minio.example",
    "AWS_REGION": "two\nlines",
    "AWS_ACCESS_KEY_ID": "two\nlines",
    "AWS_SECRET_ACCESS_KEY": "secret\nlines",
    "SHARE_TITLE": "x" * 61,
    "SHARE_COLOR": "blue",
    "SHARE_LOGO": __file__,
    "SSL_CERT_FILE": str(ROOT / "manage.py"),
    "DNS_RESOLVERS": "9.9.9.9",
    "METRICS_ADDRESS": "9464",
    "HEALTH_ADDRESS": "8001",
    "ACCESS_LOG": "all",
    "PATTERNS": "perhaps",
    "WEB_CONCURRENCY": "0",
    "PAGE_PATIENCE_MS": "soon",
    "WEB_THREADS": "many",
    # These two are set by `start`.
    "SANDBOX_URL": "nowhere",
    "START_URL": "http://localhost:8000/below",
}

Capture = pytest.CaptureFixture[str]


def by_start(capture: Capture) -> str:
    assert start.main([]) == 2
    return capture.readouterr().err


def by_doctor(capture: Capture) -> str:
    assert doctor.main(["--data", "/nowhere"]) == 1
    return " ".join(capture.readouterr().out.split())


def by_gunicorn(capture: Capture) -> str:
    with pytest.raises(SystemExit, match="2"):
        runpy.run_path(str(ROOT / "dashboard" / "launch" / "gunicorn_config.py"))
    return capture.readouterr().err


def by_whatever_loads_django(_: Capture) -> str:
    with pytest.raises(ImproperlyConfigured) as refused:
        runpy.run_path(str(ROOT / "dashboard" / "settings.py"))
    return str(refused.value)


@pytest.mark.exhaustive
@pytest.mark.parametrize("entrance", [by_start, by_doctor, by_gunicorn, by_whatever_loads_django])
@pytest.mark.parametrize(("name", "value"), BAD.items(), ids=BAD)
def test_a_bad_value_is_refused_at_each_entrance(
    name: str, value: str, entrance: Callable[[Capture], str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(folder.Folder, "open", lambda _: pytest.fail("it went on"))
    monkeypatch.setenv(name, value)
    said = entrance(capsys)
    assert f"{name} " in said
    assert "secret@" not in said


def test_each_setting_has_a_bad_value_and_a_rule() -> None:
    assert set(BAD) == settings_of_the_readme() | {"SANDBOX_URL", "START_URL"}
    assert set(BAD) == set(RULES)
    assert set(Role.values) == set(ROLES)


@pytest.mark.parametrize("command", [["manage.py", "prepare"], ["manage.py", "work"], GUNICORN[1:], ["manage.py", "link", "x@y"]])
def test_a_command_says_it_in_one_sentence(tmp_path: Path, command: list[str]) -> None:
    given = environment({**KEYS, "MANAGEMENT_URL": NOWHERE, "DATA_DIR": str(tmp_path), "MFA_REQUIRED": "owners"})
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=60
    )
    sentence = "pilothouse: MFA_REQUIRED may only name viewer, operator, administrator, owner, separated by commas.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)
    assert not list(tmp_path.iterdir())


def test_good_values_pass_and_mean_the_same_with_spaces_or_left_empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\n")
    check(
        {
            "ALLOWED_HOSTS": "pilothouse.example, .example.org,[::1],*",
            "DATABASE_URL": f"postgres://me:x@db.example:5432/name?sslmode=verify-full&sslrootcert={tmp_path}/ca.pem",
            "PATTERNS": "No",
            "SSL_CERT_FILE": f"{tmp_path}/ca.pem",
        }
    )
    check({"DATABASE_URL": f"sqlite:///{tmp_path}/some.sqlite3"})
    monkeypatch.setenv("MFA_REQUIRED", "owner, administrator")
    for name in ("WEB_THREADS", "PAGE_PATIENCE_MS", "PATTERNS", "ALLOWED_HOSTS", "DNS_RESOLVERS"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("SHARE_TITLE", "$ign in")
    monkeypatch.setattr("gc.disable", lambda: None)
    loaded = runpy.run_path(str(ROOT / "dashboard" / "settings.py"))
    assert loaded["MFA_REQUIRED"] == ["owner", "administrator"]
    assert (loaded["WEB_THREADS"], loaded["PAGE_PATIENCE_MS"]) == (32, 700)
    assert (loaded["PATTERNS"], loaded["DNS_RESOLVERS"]) == (False, [])
    assert "localhost" in loaded["ALLOWED_HOSTS"]
    assert loaded["SHARE_TITLE"] == "$ign in"


def test_no_setting_of_a_developer_steers_a_test() -> None:
    names = {name: value for name, value in BAD.items() if name not in {"DATABASE_URL", "VAULT_KEYS"}}
    code = "import os; import tests.environment; from dashboard import settings; print(*sorted(os.environ), sep='\\n')"
    given = environment({**names, "MFA_REQUIRED_FILE": "/nowhere"})
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True, check=True)
    left = set(done.stdout.split())
    ours = {"DATA_DIR", "PAGE_PATIENCE_MS", "PATTERNS", "SECRET_KEY", "SNAPSHOT_URL", "TRASH_DAYS", "VAULT_KEYS"}
    assert left & set(RULES) == ours
    assert "MFA_REQUIRED_FILE" not in left
