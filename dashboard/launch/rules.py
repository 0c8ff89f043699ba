"""Validation of settings, with the standard library only, as `start` runs without Django."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, urlsplit

from dashboard.notifications import addresses
from dashboard.web.pages import brand_colour

# The roles of `team.models`, which needs Django.
ROLES = ("viewer", "operator", "administrator", "owner")
TRUE, FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
STORAGE_AUTHORIZATIONS = ("auto", "header", "query")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
OIDC = ("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
DATABASE_SCHEMES = ("sqlite", "postgres", "postgresql")
TLS_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
# Values for HSTS beyond our own host. Browsers preload only domains with all their subdomains.
HSTS = ("subdomains", "preload")
# `filemail` writes each message to a folder, for trials.
MAIL_SCHEMES = ("smtp", "smtp+tls", "smtp+ssl", "filemail")


class Refusal(Exception):  # noqa: N818 - reads as a sentence
    """A reason not to start, as one sentence for the terminal."""


def setting(environ: Mapping[str, str], name: str) -> str:
    """Return the setting or the content of the file named by `<name>_FILE`; empty if neither is set."""
    if file := environ.get(f"{name}_FILE"):
        try:
            return Path(file).read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Refusal(f"{name}_FILE names a file that can't be read: {file}.") from error
    return environ.get(name, "").strip()


def listed(value: str) -> list[str]:
    """Return the entries of a list separated by commas."""
    return [entry.strip() for entry in value.split(",") if entry.strip()]


def problems(environ: Mapping[str, str]) -> list[str]:
    """Return one sentence per invalid setting. Never quotes a value that may be secret."""
    found = []
    for name, judge in RULES.items():
        try:
            value = setting(environ, name)
        except Refusal as refusal:
            found.append(str(refusal))
            continue
        if value and (trouble := judge(value)):
            found.append(f"{name} {trouble}")
    return found or _incomplete(environ)


def check(environ: Mapping[str, str]) -> None:
    """Raise `Refusal` for the first invalid setting."""
    if found := problems(environ):
        raise Refusal(found[0])


def check_parts(environ: Mapping[str, str]) -> None:
    """Run `check`, and require what `start` would supply: a service and keys."""
    check(environ)
    if not setting(environ, "MANAGEMENT_URL") and not setting(environ, "STORAGE_URL"):
        raise Refusal("Set MANAGEMENT_URL, STORAGE_URL or both. Only `manage.py start` includes a sandbox.")
    for name in ("SECRET_KEY", "VAULT_KEYS"):
        if not setting(environ, name):
            raise Refusal(f"Set {name}. Only `manage.py start` generates one.")


def _incomplete(environ: Mapping[str, str]) -> list[str]:
    missing = [name for name in OIDC if not setting(environ, name)]
    given = [name for name in (*OIDC, "OIDC_LABEL") if setting(environ, name)]
    return [f"{given[0]} needs {' and '.join(missing)}, too."] if given and missing else []


def _address(value: str) -> str | None:
    try:
        parts = urlsplit(value.replace("{ref}", "ref"))
        port = parts.port
    except ValueError:
        return "is not an address: it should look like https://example.com."
    if parts.scheme not in {"http", "https"}:
        return "must begin with http:// or https://."
    if trouble := _address_trouble(parts, port):
        return trouble
    if value.count("{") != value.count("{ref}") or value.count("}") != value.count("{ref}"):
        return "may contain no braces but those of {ref}."
    return None


def _address_trouble(parts: SplitResult, port: int | None) -> str | None:
    if not parts.hostname or port == 0:
        return "names no host: it should look like https://example.com."
    if parts.username or parts.password:
        return "must not contain a user name or password."
    if parts.query or parts.fragment:
        return "must end before any ? or #."
    if re.search(r"[\s\x00-\x1f]", parts.geturl()):
        return "must not contain spaces."
    return None


def _fixed_address(value: str) -> str | None:
    return "can't contain {ref}, as it is the same for all projects." if "{ref}" in value else _address(value)


def _origin(value: str) -> str | None:
    if trouble := _fixed_address(value):
        return trouble
    return "must end after the host and port." if urlsplit(value).path not in {"", "/"} else None


def _issuer(value: str) -> str | None:
    if trouble := _fixed_address(value):
        return trouble
    if "/.well-known/" in value:
        return "must end before /.well-known/."
    parts = urlsplit(value)
    return None if parts.scheme == "https" or parts.hostname in LOOPBACK else "must begin with https://."


def _public_storage(value: str) -> str | None:
    return None if value == "none" else _address(value)


def _authorization(value: str) -> str | None:
    return None if value in STORAGE_AUTHORIZATIONS else f"must be one of {', '.join(STORAGE_AUTHORIZATIONS)}."


def _hsts(value: str) -> str | None:
    return None if value in HSTS else f"must be one of {', '.join(HSTS)}, or empty."


def _proxies(value: str) -> str | None:
    return None if value.isdecimal() and int(value) <= 16 else "must be the number of proxies in front, 0 to 16."


def _count(value: str) -> str | None:
    return None if value.isdecimal() and 0 < int(value) < 1_000_000 else "must be a whole number above 0."


def _days(value: str) -> str | None:
    return None if value.isdecimal() and int(value) <= 3650 else "must be a whole number of days, 0 to 3650."


def _bytes(value: str) -> str | None:
    return None if value.isdecimal() and len(value) < 19 and int(value) > 0 else "must be a whole number of bytes above 0."


def _vault_keys(value: str) -> str | None:
    """Check for Fernet keys: 32 bytes in URL-safe Base64."""
    for key in value.replace(",", " ").split() or [""]:
        try:
            raw = base64.urlsafe_b64decode(key)
        except (binascii.Error, ValueError):
            raw = b""
        if len(raw) != 32:
            return "must be keys of 32 bytes in URL-safe base64, newest first, separated by commas."
    return None


def _secret_key(value: str) -> str | None:
    return None if len(value) >= 32 else "is too short: use at least 32 random characters."


def _email(value: str) -> str | None:
    return None if re.fullmatch(r"[^@\s]+@[^@\s]+", value) else "must be an e-mail address."


def _sender(value: str) -> str | None:
    return None if re.fullmatch(r"[^@\s]+@[^@\s]+|[^<>]+ <[^@\s<>]+@[^@\s<>]+>", value) else "must be an e-mail address."


def _mail_server(value: str) -> str | None:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in MAIL_SCHEMES and (parts.scheme == "filemail" or bool(parts.hostname and parts.port != 0))
    except ValueError:
        usable = False
    return None if usable else "must look like smtp+tls://user:password@host:587 or smtp+ssl://user:password@host:465."


def _database(value: str) -> str | None:
    try:
        parts = urlsplit(value)
        usable = parts.port != 0 and (parts.scheme == "sqlite" or len(parts.path) > 1)
    except ValueError:
        return "is not an address: it should look like postgres://user:password@host/name."
    if parts.scheme not in DATABASE_SCHEMES:
        return "must begin with postgres:// or sqlite:// (SQLite in the data folder is used when it is not set)."
    if not usable:
        return "names no database: it should look like postgres://user:password@host/name."
    given = parse_qs(parts.query)
    if any(mode not in TLS_MODES for mode in given.get("sslmode", [])):
        return f"has an sslmode that is not one of {', '.join(TLS_MODES)}."
    roots = [file for file in given.get("sslrootcert", []) if file != "system"]
    return next((f"has an sslrootcert that {trouble}" for file in roots if (trouble := _authorities(file))), None)


def _authorities(value: str) -> str | None:
    try:
        holds_one = b"CERTIFICATE-----" in Path(value).read_bytes()
    except (OSError, ValueError):
        return f"names a file that can't be read: {value}."
    return None if holds_one else "names a file without a certificate."


def _folder(value: str) -> str | None:
    return "names a file; it must be a folder." if Path(value).expanduser().is_file() else None


def _snapshots(value: str) -> str | None:
    parts = urlsplit(value)
    if parts.username or parts.password or parts.query or parts.fragment:
        return "must hold no credentials and end before any ? or #."
    is_store = parts.hostname if parts.scheme == "s3" else parts.scheme == "file" and not parts.netloc and parts.path != "/"
    return None if value == "none" or is_store else "must look like file:///folder or s3://bucket/folder, or be none."


def _hosts(value: str) -> str | None:
    if all(re.fullmatch(r"\*|\.?[\w.-]+|\[[0-9a-fA-F:.]+\]", host) for host in listed(value)):
        return None
    return "must be host names without scheme, port or path, separated by commas."


def _roles(value: str) -> str | None:
    return None if set(listed(value)) <= set(ROLES) else f"may only name {', '.join(ROLES)}, separated by commas."


def _switch(value: str) -> str | None:
    return None if value.lower() in TRUE + FALSE else "must be true or false."


def _resolvers(value: str) -> str | None:
    for entry in listed(value):
        host, _, port = entry.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            return "must be a list of host:port, separated by commas."
    return None


def _listener(value: str) -> str | None:
    return "must be host:port, such as 127.0.0.1:9464." if "," in value or _resolvers(value) else None


def _title(value: str) -> str | None:
    return None if len(value) <= 60 and value.isprintable() else "must be one line of at most 60 characters."


def _line(value: str) -> str | None:
    return None if value.isprintable() else "must be one line."


def _colour(value: str) -> str | None:
    return None if brand_colour.COLOUR.fullmatch(value) else "must look like #0b6e99."


def _logo(value: str) -> str | None:
    try:
        with Path(value).open("rb") as file:
            data = file.read(brand_colour.LOGO_MAX_BYTES + 1)
    except (OSError, ValueError):
        return "names a file that can't be read. It must be a path, not an address."
    if brand_colour.logo_type(data) and len(data) <= brand_colour.LOGO_MAX_BYTES:
        return None
    return f"must be a PNG, JPEG, WebP or SVG file of at most {brand_colour.LOGO_MAX_BYTES // 1000} KB."


RULES: dict[str, Callable[[str], str | None]] = {
    "MANAGEMENT_URL": _fixed_address,
    "STORAGE_URL": _address,
    "STORAGE_PUBLIC_URL": _public_storage,
    "STORAGE_AUTHORIZATION": _authorization,
    "SANDBOX_URL": _fixed_address,
    "PUBLIC_URL": _origin,
    "HSTS": _hsts,
    "START_URL": _origin,
    "ALLOWED_HOSTS": _hosts,
    "TRUSTED_PROXIES": _proxies,
    "WEB_CONCURRENCY": _count,
    "WEB_THREADS": _count,
    "PAGE_PATIENCE_MS": _count,
    "SHARE_LINK_SECONDS": _count,
    "SHARE_MAX_DAYS": _count,
    "SHARE_PASSWORD_REQUIRED": _switch,
    "ACTIVITY_DAYS": _count,
    "SECRET_KEY": _secret_key,
    "SECRET_KEY_FALLBACKS": lambda value: next(filter(None, map(_secret_key, listed(value))), None),
    "VAULT_KEYS": _vault_keys,
    "DATA_DIR": _folder,
    "STATIC_ROOT": _folder,
    "DATABASE_URL": _database,
    "SNAPSHOT_URL": _snapshots,
    "SNAPSHOT_MAX_BYTES": _bytes,
    "SNAPSHOT_MAX_FILE_BYTES": _bytes,
    "SNAPSHOT_MAX_RATE": _count,
    "TRASH_DAYS": _days,
    "AWS_ENDPOINT_URL": _fixed_address,
    "AWS_REGION": _line,
    "AWS_ACCESS_KEY_ID": _line,
    "AWS_SECRET_ACCESS_KEY": _line,
    "SSL_CERT_FILE": _authorities,
    "DNS_RESOLVERS": _resolvers,
    "METRICS_ADDRESS": _listener,
    "HEALTH_ADDRESS": _listener,
    "ACCESS_LOG": _switch,
    "OWNER_EMAIL": _email,
    "EMAIL_URL": _mail_server,
    "EMAIL_FROM": _sender,
    "NOTIFY_URLS": addresses.problem,
    "MFA_REQUIRED": _roles,
    "PATTERNS": _switch,
    "OIDC_ISSUER": _issuer,
    "OIDC_CLIENT_ID": _line,
    "OIDC_CLIENT_SECRET": _line,
    "OIDC_LABEL": _title,
    "SHARE_TITLE": _title,
    "SHARE_COLOR": _colour,
    "SHARE_LOGO": _logo,
}
