"""Environments of the child processes, derived from that of `start`."""

import ipaddress
import socket
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from dashboard.launch.ports import LOOPBACK, SandboxPorts
from dashboard.launch.rules import setting

SECRETS = (
    *("SECRET_KEY", "SECRET_KEY_FALLBACKS", "VAULT_KEYS", "DATABASE_URL"),
    *("EMAIL_URL", "NOTIFY_URLS", "OIDC_CLIENT_SECRET", "AWS_SECRET_ACCESS_KEY"),
)
# The folder in the data folder where `start` keeps snapshots.
SNAPSHOTS = "snapshots"


def needs_sandbox(environ: Mapping[str, str]) -> bool:
    """Return whether no service is configured, so that the sandbox is started."""
    return not setting(environ, "MANAGEMENT_URL") and not setting(environ, "STORAGE_URL")


def for_web(
    environ: Mapping[str, str], *, data: Path, host: str, address: str, keys: Mapping[str, str], sandbox: SandboxPorts | None
) -> dict[str, str]:
    """Return the environment of preparation, web server and worker. Explicit settings are kept. `address` is where it listens."""
    prepared = {name: value for name, value in environ.items() if name.removesuffix("_FILE") not in keys}
    prepared.update(keys)
    prepared["DATA_DIR"], prepared["START_URL"] = str(data), address
    prepared["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
    if "SNAPSHOT_URL_FILE" not in prepared:
        prepared["SNAPSHOT_URL"] = snapshot_url(environ, data)
    prepared.setdefault("ALLOWED_HOSTS", ",".join(allowed_hosts(host, setting(environ, "PUBLIC_URL"))))
    if sandbox:
        root = f"http://{LOOPBACK}:{sandbox.http}"
        prepared["SANDBOX_URL"] = prepared["MANAGEMENT_URL"] = root
        prepared["STORAGE_URL"] = f"{root}/{{ref}}/storage/v1"
        prepared.setdefault("DNS_RESOLVERS", f"{LOOPBACK}:{sandbox.dns}")
        if not is_loopback(host):
            prepared.setdefault("STORAGE_PUBLIC_URL", "none")
    return prepared


def snapshot_url(environ: Mapping[str, str], data: Path) -> str:
    """Return SNAPSHOT_URL; where it is not set, the address of the folder that `start` made, or "none"."""
    folder = data.absolute() / SNAPSHOTS
    return setting(environ, "SNAPSHOT_URL") or (folder.as_uri() if folder.is_dir() else "none")


def for_sandbox(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the sandbox, without our secrets."""
    hidden = {*SECRETS, *(f"{name}_FILE" for name in SECRETS), "DJANGO_SETTINGS_MODULE"}
    return {name: value for name, value in environ.items() if name not in hidden}


def allowed_hosts(host: str, public_url: str) -> list[str]:
    """Return ALLOWED_HOSTS: loopback, the given host, and this machine's names if it listens everywhere."""
    names = ["localhost", LOOPBACK, "[::1]"]
    if is_everywhere(host):
        names += [socket.gethostname(), *_own_addresses()]
    else:
        names.append(f"[{host}]" if ":" in host else host)
    if public := urlsplit(public_url).hostname:
        names.append(public)
    return list(dict.fromkeys(name.lower() for name in names))


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_everywhere(host: str) -> bool:
    """Return whether `host` means every address of this machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def address(host: str, port: int, public_url: str) -> str:
    """Return the address to print: PUBLIC_URL if set, else a local one. Passkeys work at `localhost`, not at its address."""
    if public_url:
        return public_url.rstrip("/")
    if is_everywhere(host) or is_loopback(host):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _own_addresses() -> list[str]:
    """Return this machine's outward address, by connecting a datagram socket, which sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return []
        return [str(probe.getsockname()[0])]
