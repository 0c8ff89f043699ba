"""Whether a bucket's door is as open as its settings say: what a stranger was given, and what that means."""

from dataclasses import dataclass

from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.public_access import Look, look, public_address
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Verdict:
    """`tone` good, attention, danger or neutral; `look` is None where there was nothing to try with."""

    tone: str
    title: str
    text: str
    look: Look | None
    address: str


def verdict_of(workspace: Workspace, space: str, bucket: Bucket, key: str) -> Verdict:
    """Try one object without the key (S20, S21) and say what that means. Without an object nothing is asked."""
    if not key:
        told = "public: whatever is put into it can be read by anybody" if bucket.public else "private"
        text = f"The service has it as {told}. There is no file at hand to try the door with."
        return Verdict("neutral", "Not tried", text, None, public_address(workspace, space, bucket.id))
    seen = look(workspace.storage(space), bucket.id, key)
    return Verdict(*_meaning(seen, public=bool(bucket.public)), seen, public_address(workspace, space, bucket.id, key))


def _meaning(seen: Look, *, public: bool) -> tuple[str, str, str]:
    """Tone, title and text."""
    answers = {seen.bytes, seen.facts}
    if "given" in answers and public:
        return "good", "Anybody can read it", "Asked without a token, the service handed out this file."
    if "given" in answers:
        text = (
            "The bucket is private, and yet this file was handed out without a token. A cache in front of the service may hold a "
            "copy for a while; what was cached or downloaded elsewhere can't be called back."
        )
        return "danger", "Still handed out", text
    if "untold" in answers:
        return "attention", "Could not be tried", "The request without a token brought no answer that says yes or no."
    if public:
        text = (
            "The bucket is public, and yet the request without a token was refused: perhaps by something in front of the service."
        )
        return "attention", "Public, but not reachable", text
    text = (
        "Asked without a token, the service refused this file. Its public addresses are dead. Copies that browsers and caches "
        "took before live on until they expire."
    )
    return "good", "Closed to strangers", text
