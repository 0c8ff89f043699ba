"""Check whether an object is public, by S20 and S21 without a token."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from dashboard.interfaces import StorageInterface, errors
from dashboard.interfaces.paths import LITERAL
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import side_by_side

Answer = Literal["given", "refused", "untold"]
FIRST_BYTE = {"Range": "bytes=0-0"}


@dataclass(frozen=True, slots=True)
class Look:
    """The result of two requests without a token: content (S20) and metadata (S21).

    "untold": neither access nor a refusal could be established. `words` is the service's message; `size` is in bytes.
    """

    key: str
    bytes: Answer
    facts: Answer
    words: str = ""
    type: str = ""
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an object is public, compared with its bucket's setting: a tone, a title and a sentence."""

    tone: str
    title: str
    text: str


def verdict(seen: Look, *, public: bool | None) -> Verdict:
    """Judge the result of `look`. `public`: the bucket's setting; None if it can't be read."""
    answers = {seen.bytes, seen.facts}
    given = "given" in answers
    if not given and "untold" in answers:
        return Verdict("neutral", "Unknown", "The request without a token got no clear answer.")
    result = "Without a token, the service returned this file." if given else "Without a token, the service refused this file."
    if public is None:
        tone, title = ("attention", "Public") if given else ("neutral", "Private")
        return Verdict(tone, title, f"{result} Your token can't read the bucket's settings.")
    match given, public:
        case True, True:
            return Verdict("attention", "Public", result)
        case True, False:
            return Verdict("danger", "Still public", f"{result} The bucket is private: a cache in front of it may hold a copy.")
        case False, True:
            text = f"{result} The bucket is public: something in front of the service may block it."
            return Verdict("attention", "Public, but not reachable", text)
        case _:
            return Verdict("neutral", "Private", f"{result} Copies in caches or downloaded before remain.")


def look(storage: StorageInterface, bucket: str, key: str) -> Look:
    """Request the first byte and the metadata without a token. Raises no interface errors."""
    (given, words, kind), (told, more, size) = side_by_side(
        lambda: _bytes(storage, bucket, key), lambda: _facts(storage, bucket, key)
    )
    return Look(key=key, bytes=given, facts=told, words=words or more, type=kind, size=size)


def public_address(workspace: Workspace, space: str, bucket: str, key: str = "") -> str:
    """Return a public object's URL, or its prefix without a key; empty if browsers can't reach it."""
    base = workspace.storage_public_url(space)
    parts = (quote(part, safe=LITERAL) for part in key.split("/"))
    return f"{base}/object/public/{quote(bucket, safe=LITERAL)}/{'/'.join(parts)}" if base else ""


def _bytes(storage: StorageInterface, bucket: str, key: str) -> tuple[Answer, str, str]:
    try:
        with storage.objects.read_public(bucket, key, headers=FIRST_BYTE) as stream:
            return "given", "", stream.headers.get("content-type", "")
    except errors.InterfaceError as error:
        # 416 means that the object can be read but is empty.
        return ("given", "", "") if error.status == 416 else (*_refusal(error), "")


def _facts(storage: StorageInterface, bucket: str, key: str) -> tuple[Answer, str, int | None]:
    try:
        return "given", "", storage.objects.info_public(bucket, key).size
    except errors.InterfaceError as error:
        return (*_refusal(error), None)


def _refusal(error: errors.InterfaceError) -> tuple[Answer, str]:
    refused = isinstance(error, errors.NotFound | errors.NotAllowed | errors.TokenRefused | errors.Rejected)
    return ("refused" if refused else "untold"), error.text or str(error)
