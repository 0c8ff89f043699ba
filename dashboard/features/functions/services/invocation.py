"""Example calls of a function, and their address. The interface has no operation to call one."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.functions import Function
from dashboard.interfaces.management.hostname import HostnameStatus
from dashboard.tokens.workspace import Workspace

HOSTED = frozenset({"api.supabase.com", "api.supabase.io"})
PLACEHOLDER = "https://functions.example"
_BASE = re.compile(r"https?://[A-Za-z0-9.-]+(:\d{1,5})?(/[A-Za-z0-9._~/-]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Base:
    """The address before `/functions/v1/…`. `source`: typed, hostname, hosted or placeholder."""

    address: str
    source: str


@dataclass(frozen=True, slots=True)
class Snippet:
    title: str
    language: str
    text: str


def active_hostname(workspace: Workspace, ref: str) -> str:
    """Return the active custom hostname (M15); empty if there is none or the service doesn't say."""
    try:
        found = workspace.management.hostname.get(ref)
    except InterfaceError:
        return ""
    return found.custom_hostname if found.status is HostnameStatus.SERVICES_RECONFIGURED else ""


def base_problem(typed: str) -> str:
    """Return why a typed address can't be used; empty if it can."""
    if not typed or _BASE.fullmatch(typed):
        return ""
    return "Enter an address such as https://example.com: http or https, a host, and optionally a port and a path."


def base_of(ref: str, *, typed: str, hostname: str, management_url: str) -> Base:
    """Return the most likely address of the project's functions."""
    if typed and not base_problem(typed):
        return Base(typed.rstrip("/"), "typed")
    if hostname and _BASE.fullmatch(f"https://{hostname}"):
        return Base(f"https://{hostname}", "hostname")
    if urlsplit(management_url).hostname in HOSTED:
        return Base(f"https://{ref}.supabase.co", "hosted")
    return Base(PLACEHOLDER, "placeholder")


def snippets_of(function: Function, base: Base) -> list[Snippet]:
    """Return a call in three languages, with a placeholder for the credential."""
    address = f"{base.address}/functions/v1/{function.slug}"
    secured = function.checks_jwt
    return [
        Snippet("curl", "bash", _curl(address, secured=secured)),
        Snippet("fetch", "javascript", _fetch(address, secured=secured)),
        Snippet("Python", "python", _python(address, secured=secured)),
    ]


def _curl(address: str, *, secured: bool) -> str:
    lines = [f"curl -X POST '{address}'"]
    if secured:
        lines.append('-H "Authorization: Bearer $PROJECT_JWT"')
    lines += ["-H 'Content-Type: application/json'", '-d \'{"name": "value"}\'']
    return " \\\n  ".join(lines)


def _fetch(address: str, *, secured: bool) -> str:
    credential = "\n    Authorization: `Bearer ${projectJwt}`," if secured else ""
    return f"""const response = await fetch("{address}", {{
  method: "POST",
  headers: {{{credential}
    "Content-Type": "application/json",
  }},
  body: JSON.stringify({{ name: "value" }}),
}});
console.log(response.status, await response.text());"""


def _python(address: str, *, secured: bool) -> str:
    head = "import os\n\nimport requests" if secured else "import requests"
    credential = '\n    headers={"Authorization": f"Bearer {os.environ[\'PROJECT_JWT\']}"},' if secured else ""
    return f"""{head}

response = requests.post(
    "{address}",{credential}
    json={{"name": "value"}},
    timeout=30,
)
print(response.status_code, response.text)"""
