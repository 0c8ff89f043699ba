"""What keeps `start` from starting is said in one sentence, with exit status 2, before anything runs."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.command import ROOT, environment, free_port, refused
from tests.launch.replicas import KEYS, NOWHERE


def assert_one_sentence(outcome: tuple[int, str, str], *words: str) -> None:
    status, printed, said = outcome
    assert (status, printed) == (2, "")
    assert said.startswith("pilothouse: ")
    assert said.count("\n") == 1
    assert "Traceback" not in said
    for word in words:
        assert word in said


def test_it_names_a_used_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert_one_sentence(refused("--data", str(tmp_path), "--port", str(port)), f"Port {port}", "in use", "--port")


def test_it_names_a_host_that_is_not_this_machine(tmp_path: Path) -> None:
    outcome = refused("--data", str(tmp_path), "--host", "192.0.2.7", "--port", str(free_port()))
    assert_one_sentence(outcome, "192.0.2.7", "--host")


def test_it_names_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert_one_sentence(
        refused("--data", str(tmp_path / "file" / "data")), str(tmp_path / "file" / "data"), "can't be read or written"
    )


def test_it_names_a_folder_without_permission() -> None:
    assert_one_sentence(refused("--data", "/proc/pilothouse"), "/proc/pilothouse", "can't be read or written")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("MANAGEMENT_URL", "ftp://x", "http:// or https://"),
        ("MANAGEMENT_URL", "https://", "host"),
        ("MANAGEMENT_URL", "https://{ref}.example", "{ref}"),
        ("MANAGEMENT_URL", "https://me:secret@x.example", "password"),
        ("MANAGEMENT_URL", "https://x.example:port", "address"),
        ("STORAGE_URL", "storage.example", "http:// or https://"),
        ("STORAGE_URL", "https://{project}.example", "{ref}"),
        ("STORAGE_URL", "https://x.example/?a=b", "?"),
        ("STORAGE_PUBLIC_URL", "never", "http:// or https://"),
        ("STORAGE_AUTHORIZATION", "cookie", "auto, header, query"),
        ("PUBLIC_URL", "https://x.example/below", "port"),
        ("TRUSTED_PROXIES", "some", "0 to 16"),
        ("WEB_THREADS", "many", "above 0"),
        ("WEB_CONCURRENCY", "0", "above 0"),
        ("SHARE_LINK_SECONDS", "1.5", "above 0"),
        ("PAGE_PATIENCE_MS", "0.7", "above 0"),
        ("SECRET_KEY", "short", "32"),
        ("VAULT_KEYS", "not-a-key", "base64"),
        ("DATABASE_URL", "mysql://x", "postgres://"),
        ("DNS_RESOLVERS", "9.9.9.9", "host:port"),
        ("METRICS_ADDRESS", "9464", "host:port"),
        ("OWNER_EMAIL", "nobody", "e-mail"),
        ("SHARE_TITLE", "x" * 61, "60 characters"),
        ("SHARE_COLOR", "blue", "#0b6e99"),
        ("SHARE_LOGO", "https://strangers.example/logo.png", "path, not an address"),
        ("SHARE_LOGO", __file__, "PNG, JPEG, WebP or SVG"),
        ("EMAIL_URL", "me:secret@mail.example:587", "smtp+tls://"),
        ("EMAIL_URL", "smtp+tls://me:secret@mail.example:port", "smtp+tls://"),
        ("EMAIL_FROM", "Pilothouse", "e-mail"),
        ("NOTIFY_URLS", "dbus://me:secret@host", "not supported"),
        ("OIDC_ISSUER", "http://login.example.com", "https://"),
        ("OIDC_ISSUER", "https://login.example.com/.well-known/openid-configuration", "before /.well-known/"),
        ("OIDC_ISSUER", "https://login.example.com", "needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, too"),
        ("OIDC_CLIENT_SECRET", "secret-of-a-client", "needs OIDC_ISSUER and OIDC_CLIENT_ID, too"),
        ("SECRET_KEY_FILE", "/nowhere/at/all", "/nowhere/at/all"),
    ],
)
def test_it_names_a_bad_setting(tmp_path: Path, name: str, value: str, words: str) -> None:
    outcome = refused("--data", str(tmp_path), "--port", str(free_port()), **{name: value})
    assert_one_sentence(outcome, name, words)
    assert "secret@" not in outcome[2]


def test_it_refuses_a_port_that_is_none(tmp_path: Path) -> None:
    status, _, said = refused("--data", str(tmp_path), "--port", "70000")
    assert status == 2
    assert "1 to 65535" in said


def test_it_does_not_make_new_keys_for_tokens_sealed_with_others(tmp_path: Path) -> None:
    (tmp_path / "pilothouse.sqlite3").touch()
    assert_one_sentence(refused("--data", str(tmp_path), "--port", str(free_port())), "VAULT_KEYS", "vault_keys")


def test_it_says_that_a_key_file_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "vault_keys").write_text("half a k")
    assert_one_sentence(refused("--data", str(tmp_path), "--port", str(free_port())), "vault_keys", "damaged")


def test_it_says_that_the_database_does_not_answer_without_its_password(tmp_path: Path) -> None:
    port = free_port()
    given = {"DATABASE_URL": f"postgres://me:hush-hush@127.0.0.1:{port}/nothing", "MANAGEMENT_URL": "http://127.0.0.1:9"}
    status, printed, said = refused("--data", str(tmp_path), "--port", str(free_port()), **given)
    # Waiting for a connection takes so long that `start` may say first what it does.
    assert (status, printed, "hush" in said) == (2, "", False)
    assert said.endswith(f"pilothouse: No database server listens at 127.0.0.1:{port}. Start it, or correct DATABASE_URL.\n")


def test_help_names_the_options() -> None:
    status, printed, _ = refused("--help")
    assert status == 0
    for option in ("--host", "--port", "--data"):
        assert option in printed


def test_a_bad_setting_leaves_no_folder_behind(tmp_path: Path) -> None:
    refused("--data", str(tmp_path / "x"), "--port", str(free_port()), MANAGEMENT_URL="ftp://x")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("given", "warns"), [({}, True), ({"OWNER_EMAIL": "ada@example.org"}, False)])
def test_prepare_warns_when_nobody_said_who_the_first_owner_is(tmp_path: Path, given: dict[str, str], warns: bool) -> None:
    environ = environment({**KEYS, "MANAGEMENT_URL": NOWHERE, "DATA_DIR": str(tmp_path), **given})
    done = subprocess.run(
        [sys.executable, "manage.py", "prepare"], cwd=ROOT, env=environ, capture_output=True, text=True, check=True
    )
    assert ("OWNER_EMAIL is not set" in done.stderr) is warns
    assert "Sign in as" in done.stdout
