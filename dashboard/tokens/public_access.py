"""What somebody without any key gets of an object: S20 and S21, asked for real and without the token."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from dashboard.interfaces import StorageInterface, errors
from dashboard.interfaces.paths import LITERAL
from dashboard.tokens.workspace import Workspace
from dashboard.web.parallel import side_by_side

Answer = Literal["given", "refused", "untold"]
FIRST_BYTE = {"Range": "bytes=0-0"}


@dataclass(frozen=True, slots=True)
class Look:
    """How two requests without a key ended: for the bytes (S20) and for the facts (S21).

    "untold": no answer that says yes or no. `words` are the service's own where it refused or failed; `type` and `size` (bytes)
    are what came with the answers.
    """

    key: str
    bytes: Answer
    facts: Answer
    words: str = ""
    type: str = ""
    size: int | None = None


def look(storage: StorageInterface, bucket: str, key: str) -> Look:
    """Ask for the first byte and for the facts of one object, as a stranger would. Raises nothing of the interface."""
    (given, words, kind), (told, more, size) = side_by_side(
        lambda: _bytes(storage, bucket, key), lambda: _facts(storage, bucket, key)
    )
    return Look(key=key, bytes=given, facts=told, words=words or more, type=kind, size=size)


def public_address(workspace: Workspace, space: str, bucket: str, key: str = "") -> str:
    """Where anybody finds a public object; without a key, what that begins with. Empty where browsers can't reach the storage."""
    base = workspace.storage_public_url(space)
    parts = (quote(part, safe=LITERAL) for part in key.split("/"))
    return f"{base}/object/public/{quote(bucket, safe=LITERAL)}/{'/'.join(parts)}" if base else ""


def _bytes(storage: StorageInterface, bucket: str, key: str) -> tuple[Answer, str, str]:
    try:
        with storage.objects.read_public(bucket, key, headers=FIRST_BYTE) as stream:
            return "given", "", stream.headers.get("content-type", "")
    except errors.InterfaceError as error:
        # An empty object has no first byte, and the service says so only where the object may be read.
        return ("given", "", "") if error.status == 416 else (*_refusal(error), "")


def _facts(storage: StorageInterface, bucket: str, key: str) -> tuple[Answer, str, int | None]:
    try:
        return "given", "", storage.objects.info_public(bucket, key).size
    except errors.InterfaceError as error:
        return (*_refusal(error), None)


def _refusal(error: errors.InterfaceError) -> tuple[Answer, str]:
    refused = isinstance(error, errors.NotFound | errors.NotAllowed | errors.TokenRefused | errors.Rejected)
    return ("refused" if refused else "untold"), error.text or str(error)
