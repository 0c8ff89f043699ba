"""`manage.py doctor` names each problem and its remedy, ends with 1 where there is one, and shows no secret."""

import secrets
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from threading import Thread

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from pytest_django import Settings

from dashboard.interfaces.transport.probe import probe
from dashboard.jobs.worker import register
from dashboard.launch import diagnosis
from dashboard.launch.configuration import Finding
from dashboard.notifications.models import Outage
from dashboard.tokens.models import StoredToken
from dashboard.vault import lookup
from tests.interfaces.servers import answer, serving, silence
from tests.launch.command import ROOT, environment, free_port, prepared
from tests.launch.proxy import certificate
from tests.launch.replicas import KEYS, NOWHERE
from tests.sandboxes import Sandbox
from tests.team.oidc_provider import Provider


def doctor(data: Path, **settings: str) -> tuple[int, str]:
    """Exit status and report."""
    words = [sys.executable, "manage.py", "doctor", "--data", str(data)]
    done = subprocess.run(words, cwd=ROOT, env=environment(settings), capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.returncode, done.stdout


def found(findings: Iterable[Finding], verdict: str, *words: str) -> None:
    """There is a finding with this verdict and these words, and whatever isn't ok says what to do."""
    everything = list(findings)
    assert all(bool(finding.remedy) == (finding.verdict != "ok") for finding in everything)
    fitting = [one for one in everything if one.verdict == verdict and all(word in one.text + one.remedy for word in words)]
    assert fitting, everything


@contextmanager
def answering(status: int) -> Iterator[str]:
    """The address of a server with this status and a clock that is right."""
    with serving(answer(status=status, more=f"Date: {format_datetime(datetime.now(UTC))}\r\n")) as server:
        yield server.address


@contextmanager
def mail_server(verdict: bytes) -> Iterator[int]:
    """The port of a mail server with this verdict on any password; it understands nothing but signing in."""
    replies = {b"EHLO": b"250-mail\r\n250 AUTH PLAIN", b"AUTH": verdict, b"QUIT": b"221 bye"}

    def serve(listener: socket.socket) -> None:
        with suppress(OSError), listener.accept()[0] as connection, connection.makefile("rwb") as lines:
            lines.write(b"220 mail\r\n")
            lines.flush()
            for line in lines:
                lines.write(replies.get(line[:4].upper(), b"502 what?") + b"\r\n")
                lines.flush()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        yield listener.getsockname()[1]
    thread.join(10)


def test_the_store_of_snapshots_is_written_read_and_left_as_it_was(tmp_path: Path, settings: Settings) -> None:
    settings.SNAPSHOT_URL = (tmp_path / "store").as_uri()
    found(diagnosis.snapshots(), "problem", "is missing", "The first start makes")
    assert not (tmp_path / "store").exists()
    (tmp_path / "store").mkdir()
    found(diagnosis.snapshots(), "ok", settings.SNAPSHOT_URL)
    assert [path for path in (tmp_path / "store").rglob("*") if path.is_file()] == []
    (tmp_path / "file").write_text("")
    settings.SNAPSHOT_URL = (tmp_path / "file" / "store").as_uri()
    found(diagnosis.snapshots(), "problem", "can't be read", "SNAPSHOT_URL")
    settings.SNAPSHOT_URL = "none"
    found(diagnosis.snapshots(), "ok", "there are no snapshots")


class TestCommand:
    def test_a_stopped_installation_has_problems_with_remedies(self, tmp_path: Path) -> None:
        data = Path(shutil.copytree(prepared(), tmp_path / "data"))
        status, report = doctor(data, MANAGEMENT_URL=NOWHERE, DNS_RESOLVERS=f"127.0.0.1:{free_port()}")
        assert status == 1
        assert "problem  worker" in report
        assert "problem  management" in report
        assert "manage.py work" in report

    def test_wrong_settings_are_named_before_django_would_refuse_them(self, tmp_path: Path) -> None:
        status, report = doctor(tmp_path, MANAGEMENT_URL="ftp://x", WEB_THREADS="many")
        assert status == 1
        assert "MANAGEMENT_URL must begin with http" in report
        assert "WEB_THREADS must be a whole number" in report
        assert "other checks" in report

    def test_it_names_missing_damaged_and_readable_keys(self, tmp_path: Path) -> None:
        status, report = doctor(tmp_path / "nowhere", MANAGEMENT_URL=NOWHERE)
        assert (status, report.count("is not set, and")) == (1, 2)
        for name, content, mode in (("secret_key", "k" * 50, 0o644), ("vault_keys", "damaged", 0o600)):
            (tmp_path / name).write_text(content)
            (tmp_path / name).chmod(mode)
        status, report = doctor(tmp_path, MANAGEMENT_URL=NOWHERE)
        assert status == 1
        assert "chmod 600" in report
        assert "damaged: VAULT_KEYS must be keys" in report

    def test_it_says_that_neither_service_nor_sandbox_is_there(self, tmp_path: Path) -> None:
        status, report = doctor(tmp_path, **KEYS)
        assert (status, "no sandbox was started" in report) == (1, True)

    def test_it_warns_of_a_risky_setting_without_failing_for_it(self, tmp_path: Path) -> None:
        status, report = doctor(
            tmp_path, **KEYS, STORAGE_URL="http://203.0.114.7:5000", EMAIL_URL="smtp+tls://me:hush@nowhere:port"
        )
        assert (status, "EMAIL_URL must look like" in report) == (1, True)
        _, report = doctor(tmp_path, **KEYS, MANAGEMENT_URL=NOWHERE, EMAIL_URL="smtp://me:hush@192.0.2.1:25")
        assert "warning  settings" in report
        assert "EMAIL_URL sends one-time links" in report

    def test_it_shows_no_secret(self, tmp_path: Path) -> None:
        canary = f"canary{secrets.token_hex(8)}"
        keys = {"SECRET_KEY": canary * 3, "VAULT_KEYS": Fernet.generate_key().decode()}
        port = free_port()
        status, report = doctor(
            tmp_path,
            MANAGEMENT_URL=NOWHERE,
            DATABASE_URL=f"postgres://me:{canary}@127.0.0.1:{port}/name",
            EMAIL_URL=f"smtp://me:{canary}@127.0.0.1:{port}",
            **keys,
        )
        assert status == 1
        assert "problem  database" in report
        assert "problem  mail" in report
        assert canary not in report
        assert keys["VAULT_KEYS"] not in report

    def test_it_changes_nothing(self, tmp_path: Path) -> None:
        doctor(tmp_path / "nowhere", MANAGEMENT_URL=NOWHERE, **KEYS)
        assert not (tmp_path / "nowhere").exists()


class TestAddresses:
    def test_a_public_address_that_leads_elsewhere_is_a_problem(self, settings: Settings) -> None:
        with answering(404) as address:
            settings.PUBLIC_URL, settings.PUBLIC_HOST = address, "127.0.0.1"
            found(diagnosis.addresses(), "problem", "answers with 404", "proxy")
        found(diagnosis.addresses(), "problem", "can't be reached")

    def test_a_public_address_that_leads_here_is_fine(self, settings: Settings) -> None:
        with answering(200) as address:
            settings.PUBLIC_URL, settings.PUBLIC_HOST = address, "127.0.0.1"
            found(diagnosis.addresses(), "ok", "leads to Pilothouse")

    def test_a_host_that_is_not_allowed_and_an_uncounted_proxy_are_problems(self, settings: Settings) -> None:
        settings.PUBLIC_URL, settings.PUBLIC_HOST = f"https://127.0.0.1:{free_port()}", "team.example"
        settings.HTTPS, settings.TRUSTED_PROXIES, settings.ALLOWED_HOSTS = True, 0, ["localhost"]
        found(diagnosis.addresses(), "problem", "ALLOWED_HOSTS", "team.example")
        found(diagnosis.addresses(), "problem", "TRUSTED_PROXIES")

    def test_plain_http_for_others_is_warned_of(self, settings: Settings) -> None:
        settings.PUBLIC_URL, settings.PUBLIC_HOST, settings.HTTPS = f"http://127.0.0.1:{free_port()}", "team.example", False
        found(diagnosis.addresses(), "warning", "unencrypted")


@pytest.mark.django_db
class TestDatabase:
    def test_missing_and_unknown_migrations_are_problems(self) -> None:
        found(diagnosis.database(), "ok", "up to date")
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE app = 'labels'")
        found(diagnosis.database(), "problem", "lacks", "manage.py prepare")
        with connection.cursor() as cursor:
            cursor.execute("UPDATE django_migrations SET app = 'strangers' WHERE app = 'jobs'")
        found(diagnosis.database(), "problem", "build", "strangers")

    def test_a_token_of_a_lost_key_is_a_problem(self, management_token: StoredToken, settings: Settings) -> None:
        lookup.ensure_key()
        found(diagnosis.stored_tokens(), "ok", "all 1 stored tokens")
        StoredToken.objects.update(person_id=management_token.person_id, space="moved")
        found(diagnosis.stored_tokens(), "problem", "1 of 1", "manage.py reseal")
        lookup._key.cache_clear()
        settings.VAULT_KEYS = [Fernet.generate_key().decode()]
        try:
            found(diagnosis.stored_tokens(), "problem", "can't decrypt anything", "Restore the keys")
        finally:
            lookup._key.cache_clear()

    def test_a_channel_that_fails_is_a_problem(self) -> None:
        found(diagnosis.channels(), "ok")
        Outage.objects.create(channel="email", error="refused")
        found(diagnosis.channels(), "problem", "by E-mail", "EMAIL_URL")
        Outage.objects.update(channel="of an address that was removed")
        found(diagnosis.channels(), "ok")

    def test_an_address_of_a_channel_that_is_not_valid_is_a_problem(self, settings: Settings) -> None:
        settings.NOTIFY_URLS = ["slack://hush", "jsons://hooks.example/canary"]
        findings = list(diagnosis.channels())
        found(findings, "problem", "The address of slack is not valid", "NOTIFY_URLS")
        assert len(findings) == 1
        assert "hush" not in findings[0].text

    def test_a_sign_in_provider_that_is_away_or_another_is_a_problem(self, settings: Settings) -> None:
        found(diagnosis.sign_in_provider(), "ok", "not set")
        with Provider().running() as provider:
            settings.OIDC_ISSUER = provider.issuer
            found(diagnosis.sign_in_provider(), "ok", "describes itself")
            provider.described = {"issuer": "https://another.example"}
            found(diagnosis.sign_in_provider(), "problem", "names another issuer", "OIDC_ISSUER")
            provider.faults = {"/.well-known/openid-configuration": "html"}
            found(diagnosis.sign_in_provider(), "problem", "doesn't describe itself", "OIDC_ISSUER")
        found(diagnosis.sign_in_provider(), "problem", "can't be reached")

    def test_no_worker_is_a_problem(self) -> None:
        found(diagnosis.worker(), "problem", "manage.py work")
        register()
        found(diagnosis.worker(), "ok")


@pytest.mark.django_db
class TestServices:
    def test_a_service_that_answers_is_fine(self, service: Sandbox, storage_token: StoredToken) -> None:
        for subject, findings in diagnosis.diagnose():
            if subject in {"management", "storage", "clock"}:
                found(findings, "ok")
        assert diagnosis._storage_addresses(has_tables=True) == [service.storage(storage_token.space)]

    @pytest.mark.usefixtures("service")
    def test_without_a_stored_key_no_address_of_a_project_is_known(self) -> None:
        found(diagnosis.storage({}), "ok", "Nothing was checked")

    @pytest.mark.parametrize(("status", "words"), [(404, "the path of STORAGE_URL"), (502, "answers with 502")])
    def test_an_answer_of_another_server_is_a_problem(self, settings: Settings, status: int, words: str) -> None:
        with answering(status) as address:
            settings.STORAGE_URL = address
            found(diagnosis.storage({address: probe(address)}), "problem", words)

    def test_an_address_that_cannot_be_reached_is_a_problem(self) -> None:
        found(diagnosis.management({NOWHERE: probe(NOWHERE)}), "problem", "can't be reached", "firewall")
        unknown = "http://no-such-host.invalid"
        found(diagnosis.management({unknown: probe(unknown)}), "problem", "can't be found")

    def test_a_service_that_speaks_no_tls_is_a_problem(self) -> None:
        def serve(listener: socket.socket) -> None:
            with suppress(OSError), listener.accept()[0] as plain:
                plain.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        with socket.create_server(("127.0.0.1", 0)) as listener:
            Thread(target=serve, args=(listener,), daemon=True).start()
            address = f"https://127.0.0.1:{listener.getsockname()[1]}"
            found(diagnosis.management({address: probe(address)}), "problem", "doesn't speak TLS")

    def test_a_service_that_hangs_is_a_problem(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("dashboard.interfaces.transport.probe.READ_SECONDS", 0.2)
        with serving(silence) as server:
            found(diagnosis.management({server.address: probe(server.address)}), "problem", "in time")

    def test_a_certificate_that_is_not_trusted_is_a_problem(self, tmp_path: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate(tmp_path), tmp_path / "privkey.pem")

        def serve(listener: socket.socket) -> None:
            with suppress(OSError), listener.accept()[0] as plain, context.wrap_socket(plain, server_side=True):
                pass

        with socket.create_server(("127.0.0.1", 0)) as listener:
            Thread(target=serve, args=(listener,), daemon=True).start()
            address = f"https://127.0.0.1:{listener.getsockname()[1]}"
            found(diagnosis.management({address: probe(address)}), "problem", "certificate that isn't valid")


@pytest.mark.django_db
class TestClock:
    def test_a_clock_that_differs_by_more_than_a_minute_is_a_problem(self) -> None:
        with answering(401) as address:
            probes = [probe(address)]
        found(diagnosis.clock(probes), "ok", "agrees")
        found(diagnosis.clock(probes, datetime.now(UTC) + timedelta(minutes=5)), "problem", "ahead of", "NTP")
        found(diagnosis.clock(probes, datetime.now(UTC) - timedelta(minutes=5)), "problem", "behind", "NTP")

    def test_without_another_clock_it_warns(self) -> None:
        """PostgreSQL has one."""
        found(diagnosis.clock([probe(NOWHERE)]), "ok" if connection.vendor == "postgresql" else "warning")


class TestDns:
    def test_a_resolver_that_does_not_answer_is_a_problem(self, settings: Settings) -> None:
        settings.DNS_RESOLVERS = [f"127.0.0.1:{free_port()}"]
        found(diagnosis.dns(), "problem", "gives no answer", "DNS_RESOLVERS")

    def test_a_resolver_that_answers_is_fine(self, settings: Settings, sandbox: Sandbox) -> None:
        settings.DNS_RESOLVERS = [sandbox.dns]
        found(diagnosis.dns(), "ok", "answers")

    def test_a_resolver_that_is_not_found_is_a_problem(self, settings: Settings) -> None:
        settings.DNS_RESOLVERS = ["no-such-host.invalid:53"]
        found(diagnosis.dns(), "problem", "None of the configured resolvers")


class TestMail:
    @pytest.fixture(autouse=True)
    def smtp(self, settings: Settings) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 5
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "me", "hush"

    def test_a_server_that_is_away_is_a_problem(self, settings: Settings) -> None:
        settings.EMAIL_PORT = free_port()
        found(diagnosis.mail(), "problem", "can't be reached", "EMAIL_URL")

    def test_a_password_that_is_refused_is_a_problem(self, settings: Settings) -> None:
        with mail_server(b"535 5.7.8 no") as settings.EMAIL_PORT:
            found(diagnosis.mail(), "problem", "refuses the user name or the password")

    def test_a_server_that_accepts_is_fine_and_gets_no_mail(self, settings: Settings) -> None:
        with mail_server(b"235 yes") as settings.EMAIL_PORT:
            found(diagnosis.mail(), "ok", "nothing was sent")

    def test_without_a_server_links_are_shown(self, settings: Settings) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
        found(diagnosis.mail(), "ok", "shown instead of mailed")
