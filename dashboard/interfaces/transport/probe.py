"""Send one request without a credential, to learn whether an address can be reached. Not an operation of the document."""

import ssl
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

import requests
from urllib3.exceptions import NameResolutionError

from dashboard.interfaces.transport.sessions import NoCredential, origin, trusted

CONNECT_SECONDS, READ_SECONDS = 3.0, 5.0


@dataclass(frozen=True, slots=True)
class Probe:
    """The status and the server's clock, or `failure`, worded to follow "The address": "can't be reached"."""

    status: int | None = None
    server_time: datetime | None = None
    failure: str = ""


def probe(url: str) -> Probe:
    """Send one GET without a token, and read the head of its answer. Follows no redirect."""
    try:
        answer = origin(url).session.get(
            url,
            timeout=(CONNECT_SECONDS, READ_SECONDS),
            verify=trusted(),
            auth=NoCredential(),
            allow_redirects=False,
            stream=True,
        )
    except requests.RequestException as error:
        return Probe(failure=_failure(error))
    except OSError:
        return Probe(failure="can't be reached, because the file that SSL_CERT_FILE names can't be read")
    with answer:
        return Probe(status=answer.status_code, server_time=_time(answer.headers.get("Date", "")))


def _failure(error: requests.RequestException) -> str:
    """Name the cause in our words, as the library's text contains the address."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"shows a certificate that isn't valid here: {cause.verify_message}"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return "doesn't speak TLS as we do"
    if any(isinstance(cause, NameResolutionError) for cause in causes):
        return "has a host name that can't be found"
    if isinstance(error, requests.Timeout):
        return "doesn't answer in time"
    return "can't be reached"


def _causes(error: BaseException) -> list[BaseException]:
    """Return the causes of an exception, including those that a library keeps as an argument or `reason`."""
    found: list[BaseException] = []
    queue: list[object] = [error]
    while queue and len(found) < 20:
        one = queue.pop()
        if isinstance(one, BaseException) and one not in found:
            found.append(one)
            queue += [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]
    return found


def _time(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
