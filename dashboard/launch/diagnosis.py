"""The checks of `manage.py doctor` that need Django: each yields findings about one subject."""

import os
import shutil
import smtplib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from tempfile import gettempdir
from urllib.request import ProxyHandler, build_opener

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection
from django.core.mail.backends.smtp import EmailBackend
from django.db import DatabaseError, connection
from django.http.request import validate_host

from dashboard.backends import DUMMY
from dashboard.features.hostname.rules.findings import Question
from dashboard.features.hostname.services import resolver
from dashboard.interfaces.transport.probe import Probe, probe
from dashboard.jobs.worker import live_workers
from dashboard.launch import troubles
from dashboard.launch.configuration import Finding
from dashboard.launch.environment import is_everywhere
from dashboard.launch.ports import LOOPBACK, listen
from dashboard.launch.prepare import is_collected
from dashboard.launch.processes import connected
from dashboard.launch.rules import Refusal, setting
from dashboard.launch.versions import foreign_database, unapplied
from dashboard.notifications import channels as team_channels
from dashboard.notifications.models import EMAIL, Outage
from dashboard.snapshots.store import FREE_MIN_BYTES as FREE_SNAPSHOT_BYTES
from dashboard.snapshots.store import NONE, StoreError, opened
from dashboard.team import single_sign_on
from dashboard.tokens import spaces
from dashboard.tokens.models import Kind, StoredToken
from dashboard.vault import lookup
from dashboard.vault.seals import CannotOpen
from dashboard.web.text import bytes_text

SKEW_MAX_SECONDS = 60.0
FREE_MIN_BYTES = 256 << 20
SPACES = 3
# Connections allowed by the server, the account and the database. PostgreSQL 16 added a reserve.
ROOM = """
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int,
       CASE WHEN rolconnlimit < 0 THEN 1 << 30 ELSE rolconnlimit END,
       CASE WHEN datconnlimit < 0 THEN 1 << 30 ELSE datconnlimit END
FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()
"""
NETWORK = "Check the address, the network and the firewall between this machine and the service."


def diagnose() -> Iterator[tuple[str, Iterable[Finding]]]:
    """Yield each subject with its findings."""
    yield "addresses", addresses()
    found = list(database())
    yield "database", found
    has_tables = all(finding.verdict != "problem" for finding in found)
    if has_tables:
        yield "database", connections()
        yield "stored tokens", stored_tokens()
        yield "worker", worker()
        yield "channels", channels()
    yield "files", files()
    yield "figures", figures()
    yield "snapshots", snapshots()
    managements = {address: probe(f"{address}/v1/organizations") for address in filter(None, [settings.MANAGEMENT_URL])}
    storages = {address: probe(f"{address}/bucket") for address in _storage_addresses(has_tables=has_tables)}
    yield "management", management(managements)
    yield "storage", storage(storages)
    yield "clock", clock([*managements.values(), *storages.values()])
    yield "DNS", dns()
    yield "mail", mail()
    yield "single sign-on", sign_in_provider()


def addresses() -> Iterator[Finding]:
    """Check PUBLIC_URL: the host is allowed, the proxy is counted, and the address leads to Pilothouse."""
    address = settings.PUBLIC_URL
    if not address:
        yield Finding("ok", "PUBLIC_URL is not set: links lead to the address that a person opened.")
        return
    if not validate_host(settings.PUBLIC_HOST.lower(), settings.ALLOWED_HOSTS):
        text = f"ALLOWED_HOSTS does not list {settings.PUBLIC_HOST}, the host of PUBLIC_URL, so each request gets 400."
        yield Finding("problem", text, f"Add {settings.PUBLIC_HOST} to ALLOWED_HOSTS, or leave it unset.")
    if settings.HTTPS and not settings.TRUSTED_PROXIES:
        text = "PUBLIC_URL is https, but TRUSTED_PROXIES is 0: every person seems to come from the address of the proxy."
        yield Finding("problem", text, "Set TRUSTED_PROXIES to the number of proxies in front, usually 1.")
    if not settings.HTTPS and settings.PUBLIC_HOST not in {"localhost", "127.0.0.1", "::1"}:
        text = "PUBLIC_URL is http: passwords and secrets cross the network unencrypted."
        yield Finding("warning", text, "Put a proxy with TLS in front, and set PUBLIC_URL to its https address.")
    found = probe(f"{address}/healthz")
    if found.failure:
        yield Finding(
            "problem", f"{address} {found.failure}.", "Check DNS, the certificate and the proxy, and that the web runs."
        )
    elif found.status != 200:
        text = f"{address} answers with {found.status} instead of 200 at /healthz."
        yield Finding("problem", text, "Check that the proxy passes requests on to Pilothouse, and that the web runs.")
    else:
        yield Finding("ok", f"{address} leads to Pilothouse.")


def database() -> Iterator[Finding]:
    """Check that the database answers and has exactly this version's tables."""
    try:
        foreign, missing = foreign_database(), unapplied()
    except (DatabaseError, ImproperlyConfigured) as error:
        yield Finding("problem", *troubles.of_database(error, settings.DATABASES["default"]))
        return
    if foreign:
        yield Finding("problem", *foreign)
    elif missing:
        text = f"The database lacks {len(missing)} migrations."
        yield Finding("problem", text, "Run `manage.py prepare`, or start Pilothouse with `manage.py start`.")
    else:
        yield Finding("ok", f"{connection.display_name} answers and is up to date.")


def connections() -> Iterator[Finding]:
    """Check that PostgreSQL allows as many connections as the running webs and workers may open."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(ROOM)
        room = min(cursor.fetchone())
    workers = max(1, live_workers().count())
    webs = max(1, connected() - workers)
    processes = webs * int(setting(os.environ, "WEB_CONCURRENCY") or 2) + workers
    needed = processes * int(settings.DATABASES["default"]["OPTIONS"]["pool"]["max_size"])
    if needed > room:
        text = f"{processes} processes may open {needed} connections, but PostgreSQL allows this account {room}."
        remedy = "Raise max_connections, or the limit of the account or database, or lower WEB_CONCURRENCY."
        yield Finding("problem", text, remedy)
    else:
        yield Finding("ok", f"PostgreSQL allows {room} connections; {processes} processes may open {needed}.")


def files() -> Iterator[Finding]:
    """Check that the static files exist, and that the disks have enough room."""
    if is_collected():
        yield Finding("ok", "The static files are those of this version.")
    else:
        text = f"The static files in {settings.STATIC_ROOT} are missing or those of another version."
        yield Finding("problem", text, "Run `manage.py prepare`, or start Pilothouse with `manage.py start`.")
    own = settings.DATABASES["default"]
    database = [Path(str(own["NAME"])).parent] if connection.vendor == "sqlite" else []
    for folder in dict.fromkeys([Path(settings.DATA_DIR), *database, Path(gettempdir())]):
        if folder.is_dir() and (free := shutil.disk_usage(folder).free) < FREE_MIN_BYTES:
            text = f"The disk of {folder} has {bytes_text(free)} left."
            yield Finding("problem", text, "Make room: without any, changes are refused because they can't be recorded.")


def figures() -> Iterator[Finding]:
    """Check that the port for a worker's metrics is free, or serves them."""
    if not settings.METRICS_ADDRESS:
        yield Finding("ok", "METRICS_ADDRESS is not set: there are no figures.")
        return
    host, _, port = settings.METRICS_ADDRESS.rpartition(":")
    try:
        listen(host.strip("[]"), int(port)).close()
    except Refusal as refusal:
        if _serves_figures(host, port):
            yield Finding("ok", f"A worker serves its figures at {settings.METRICS_ADDRESS}.")
        else:
            text = f"No worker can serve its figures at METRICS_ADDRESS. {str(refusal).partition(';')[0].rstrip('.')}."
            yield Finding("problem", text, "Choose another port, or stop what uses it.")
    else:
        yield Finding("ok", f"{settings.METRICS_ADDRESS} is free for the figures of a worker.")


def snapshots() -> Iterator[Finding]:
    """Check that the store of snapshots takes, returns and deletes an object, and has room."""
    if settings.SNAPSHOT_URL == NONE:
        yield Finding("ok", "SNAPSHOT_URL is not set: there are no snapshots.")
        return
    remedy = "Check SNAPSHOT_URL. The first start makes a folder, which this account must own; a bucket needs credentials."
    try:
        store = opened(settings.SNAPSHOT_URL)
        store.probe()
        free = store.free()
    except StoreError as error:
        yield Finding("problem", f"The store of snapshots can't be used. {error}", remedy)
        return
    if free is not None and free < FREE_SNAPSHOT_BYTES:
        yield Finding("warning", f"The disk of the snapshots has {bytes_text(free)} left, so none are taken.", "Make room.")
    else:
        yield Finding("ok", f"The store of snapshots at {settings.SNAPSHOT_URL} can be written and read.")


def _serves_figures(host: str, port: str) -> bool:
    """Ask the address, on this machine if it means every address. Ignores proxies of the environment."""
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(f"http://{LOOPBACK if is_everywhere(host.strip('[]')) else host}:{port}/metrics", timeout=5) as answer:
            return b"pilothouse_" in answer.read(1 << 20)
    except (OSError, HTTPException):
        return False


def stored_tokens() -> Iterator[Finding]:
    """Check that VAULT_KEYS decrypt the stored tokens."""
    try:
        lookup.digest("doctor", "")
    except CannotOpen:
        text = "VAULT_KEYS can't decrypt anything that is stored, so share links and remembered data are lost, too."
        yield Finding("problem", text, "Restore the keys that were used with this database.")
        return
    tokens = list(StoredToken.objects.select_related("person"))
    closed = [token for token in tokens if not token.is_locked and not token.opens]
    if closed:
        text = f"{len(closed)} of {len(tokens)} stored tokens can't be decrypted."
        remedy = "Add the earlier key to VAULT_KEYS and run `manage.py reseal`, or ask their owners to store them again."
        yield Finding("problem", text, remedy)
    else:
        yield Finding("ok", f"VAULT_KEYS decrypt all {len(tokens)} stored tokens.")


def worker() -> Iterator[Finding]:
    """Check that a worker runs jobs."""
    if live_workers().exists():
        yield Finding("ok", "A worker is running.")
    else:
        yield Finding("problem", "No worker is running: jobs and checks wait.", "Run `manage.py work`, or use `manage.py start`.")


def channels() -> Iterator[Finding]:
    """Check that each address in NOTIFY_URLS is valid, and that each channel's last message was sent. Sends nothing."""
    invalid = team_channels.unusable()
    yield from (Finding("problem", f"The address of {name} is not valid.", "Check NOTIFY_URLS.") for name in invalid)
    failing = list(Outage.objects.filter(channel__in=[EMAIL, *team_channels.ids()]).order_by("channel"))
    for outage in failing:
        text = f"Notifications by {team_channels.name_of(outage.channel)} have failed since {outage.since:%Y-%m-%d %H:%M} UTC."
        yield Finding("problem", text, "The notifications of an owner say why. Check EMAIL_URL or NOTIFY_URLS.")
    if not failing and not invalid:
        yield Finding("ok", "No channel of notifications fails.")


def management(probes: dict[str, Probe]) -> Iterator[Finding]:
    """Check that the management interface answers. Without a token, it should refuse."""
    if not probes:
        yield Finding("ok", "MANAGEMENT_URL is not set: Pilothouse shows storage only.")
    for address, found in probes.items():
        yield _service(address, found, "MANAGEMENT_URL")


def storage(probes: dict[str, Probe]) -> Iterator[Finding]:
    """Check that the storage answers; if its address has `{ref}`, that of some projects with a stored token."""
    if not settings.STORAGE_URL:
        yield Finding("ok", "STORAGE_URL is not set: Pilothouse shows projects only.")
    elif not probes:
        yield Finding("ok", "STORAGE_URL names one address per project, and nobody stored a token yet. Nothing was checked.")
    for address, found in probes.items():
        yield _service(address, found, "STORAGE_URL")


def sign_in_provider() -> Iterator[Finding]:
    """Check that the OpenID Connect provider publishes its configuration under the issuer that is set. Sends no secret."""
    if not settings.OIDC_ISSUER:
        yield Finding("ok", "OIDC_ISSUER is not set: people sign in with passwords and passkeys.")
        return
    found = probe(f"{settings.OIDC_ISSUER}/.well-known/openid-configuration")
    if found.failure:
        yield Finding("problem", f"{settings.OIDC_ISSUER} {found.failure}.", NETWORK)
    elif trouble := single_sign_on.trouble():
        yield Finding(
            "problem", f"The provider at {settings.OIDC_ISSUER} {trouble}.", "Check OIDC_ISSUER: the provider names it."
        )
    else:
        yield Finding(
            "ok", f"{settings.OIDC_ISSUER} describes itself. OIDC_CLIENT_ID and its secret are tried at the next sign-in."
        )


def clock(probes: Iterable[Probe], now: datetime | None = None) -> Iterator[Finding]:
    """Compare this machine's clock with those of the services and of PostgreSQL."""
    now = now or datetime.now(UTC)
    times = [found.server_time for found in probes if found.server_time]
    if connection.vendor == "postgresql":
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT clock_timestamp()")
                times.append(cursor.fetchone()[0])
        except DatabaseError:
            pass
    if not times:
        yield Finding("warning", "No other clock was found to compare with.", "Make sure that NTP sets this machine's clock.")
        return
    skew = max(((now - time).total_seconds() for time in times), key=abs)
    if abs(skew) > SKEW_MAX_SECONDS:
        text = f"This machine's clock is {abs(skew):.0f} seconds {'ahead of' if skew > 0 else 'behind'} another."
        yield Finding("problem", text, "Set it by NTP: expiries of links, tokens and sign-in codes depend on it.")
    else:
        yield Finding("ok", f"This machine's clock agrees with {len(times)} others.")


def dns() -> Iterator[Finding]:
    """Check that each resolver answers; hostname checks need them."""
    try:
        found = resolver.resolvers(settings.DNS_RESOLVERS)
    except resolver.NoResolver as nothing:
        yield Finding("problem", str(nothing), "Set DNS_RESOLVERS, or fix /etc/resolv.conf.")
        return
    question = Question(settings.PUBLIC_HOST or "example.com", "A")
    for one, answers in resolver.ask([question], found).items():
        if why := answers[question].why:
            yield Finding("problem", f"The resolver {one.label} gives no answer: {why}.", "Set DNS_RESOLVERS to others.")
        else:
            yield Finding("ok", f"The resolver {one.label} answers.")


def mail() -> Iterator[Finding]:
    """Check that the mail server accepts the account. Sends nothing."""
    if settings.EMAIL_BACKEND == DUMMY:
        yield Finding("ok", "EMAIL_URL is not set: links are shown instead of mailed.")
        return
    remedy = "Check EMAIL_URL: scheme, host, port, user name and password."
    server = get_connection()
    try:
        server.open()
    except smtplib.SMTPAuthenticationError:
        yield Finding("problem", "The mail server refuses the user name or the password.", remedy)
    except smtplib.SMTPException as error:
        yield Finding("problem", f"The mail server can't be used ({type(error).__name__}).", remedy)
    except (OSError, ImproperlyConfigured) as error:
        yield Finding("problem", f"The mail server can't be reached ({type(error).__name__}).", remedy)
    else:
        words = "The mail server accepts us" if isinstance(server, EmailBackend) else "Mail is written to a folder"
        yield Finding("ok", f"{words}; nothing was sent.")
    finally:
        with suppress(smtplib.SMTPException, OSError):
            server.close()


def _service(address: str, found: Probe, name: str) -> Finding:
    """Judge an answer to a call without a token, which should be a refusal."""
    if found.failure:
        return Finding("problem", f"{address} {found.failure}.", NETWORK)
    status = found.status or 0
    if status == 404 or 300 <= status < 400:
        text = f"{address} answers with {status}: this interface is not there."
        return Finding("problem", text, f"Check the path of {name}; README.md, Connect your service, has examples.")
    if status >= 500 or status == 429:
        return Finding("problem", f"{address} answers with {status}.", "The service has a problem. Look there.")
    return Finding("ok", f"{address} answers.")


def _storage_addresses(*, has_tables: bool) -> list[str]:
    match spaces.mode():
        case "none":
            return []
        case "single":
            return [spaces.address(spaces.SHARED)]
    if not has_tables:
        return []
    held = StoredToken.objects.filter(kind=Kind.STORAGE).order_by("space").values_list("space", flat=True).distinct()
    return [spaces.address(space) for space in held if spaces.can_be(space)][:SPACES]
