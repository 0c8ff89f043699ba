"""Warnings about valid but risky settings, shown by `manage.py check --deploy`."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qs, urlsplit

from dashboard.launch.rules import Refusal, problems, setting

# Suffixes of private networks: RFC 6762, RFC 8375, ICANN's .internal, and Kubernetes' (in .local).
PRIVATE_SUFFIXES = (".internal", ".local", ".home.arpa", ".lan", ".localhost")
DEMANDING_MODES = {"require", "verify-ca", "verify-full"}


def risks(environ: Mapping[str, str]) -> list[str]:
    """Return one sentence per risky setting. Never quotes a value that may be secret."""
    if problems(environ):
        return []  # fix errors first
    return [*_mail(environ), *_database(environ), *_services(environ), *_own_origin(environ)]


def _mail(environ: Mapping[str, str]) -> list[str]:
    parts = _parts(environ, "EMAIL_URL")
    if parts.scheme != "smtp" or _is_here(parts.hostname or ""):
        return []
    return ["EMAIL_URL sends one-time links and the password unencrypted. Use smtp+tls:// (port 587) or smtp+ssl:// (port 465)."]


def _database(environ: Mapping[str, str]) -> list[str]:
    parts = _parts(environ, "DATABASE_URL")
    modes = parse_qs(parts.query).get("sslmode", ["prefer"])
    if not parts.scheme.startswith("postgres") or _is_beside(parts.hostname or "") or modes[-1] in DEMANDING_MODES:
        return []
    return ["DATABASE_URL connects to another host without requiring TLS. Add ?sslmode=verify-full&sslrootcert=<file>."]


def _services(environ: Mapping[str, str]) -> list[str]:
    names = ("MANAGEMENT_URL", "STORAGE_URL", "STORAGE_PUBLIC_URL")
    plain = [name for name in names if (parts := _parts(environ, name)).scheme == "http" and _is_public(parts.hostname or "")]
    return [f"{name} sends tokens unencrypted over a public network. Use https://." for name in plain]


def _own_origin(environ: Mapping[str, str]) -> list[str]:
    own = _origin(_parts(environ, "PUBLIC_URL"))
    names = [name for name in ("STORAGE_URL", "STORAGE_PUBLIC_URL") if own and _origin(_parts(environ, name)) == own]
    return [f"{name} is below PUBLIC_URL: a stored page would run as part of the dashboard. Use another host." for name in names]


def _parts(environ: Mapping[str, str], name: str) -> SplitResult:
    try:
        return urlsplit(setting(environ, name).replace("{ref}", "ref"))
    except Refusal:
        return urlsplit("")


def _origin(parts: SplitResult) -> tuple[str, str, int] | None:
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return (parts.scheme, parts.hostname, parts.port or usual) if usual and parts.hostname else None


def _is_here(host: str) -> bool:
    """Whether the host is this machine."""
    address = _address(host)
    return host in {"", "localhost"} or bool(address and address.is_loopback)


def _is_beside(host: str) -> bool:
    """Whether the host is this machine or, named without a dot, a container in its network."""
    return _is_here(host) or (_address(host) is None and "." not in host)


def _is_public(host: str) -> bool:
    if address := _address(host):
        return address.is_global
    return "." in host and not host.endswith(PRIVATE_SUFFIXES)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
