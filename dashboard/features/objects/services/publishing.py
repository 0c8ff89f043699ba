"""What somebody without a token gets to see of an object."""

from dataclasses import dataclass

from dashboard.interfaces.errors import InterfaceError, NotAllowed, NotFound, Rejected, TokenRefused
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.workspace import Workspace

CLOSED = (NotFound, NotAllowed, TokenRefused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publicity:
    """`flagged`: what the bucket says of itself, None where it can't be asked; `open`, `told`: what came without a token."""

    flagged: bool | None
    open: bool
    told: bool
    type: str = ""
    size: int | None = None

    @property
    def is_true(self) -> bool:
        """Is the bucket's word true of this object?"""
        return self.flagged == self.open


def reads_openly(workspace: Workspace, space: str, bucket: str, key: str) -> tuple[bool, str]:
    """S20 for the first byte, without a token: whether it came, and of what type it says it is."""
    try:
        with workspace.storage(space).objects.read_public(bucket, key, headers={"Range": "bytes=0-0"}) as stream:
            return True, stream.headers.get("content-type", "")
    except CLOSED:
        return False, ""
    except Rejected as refusal:
        # An object of no bytes has no first one, but it was found.
        if refusal.status != 416:
            raise
        return True, ""


def tells_openly(workspace: Workspace, space: str, bucket: str, key: str) -> tuple[bool, int | None]:
    """S21, without a token: whether it was told, and the object's size. A service that knows no S21 tells nothing."""
    try:
        return True, workspace.storage(space).objects.info_public(bucket, key).size
    except (*CLOSED, Rejected):
        return False, None


def publicity(found: Bucket | InterfaceError, read: tuple[bool, str], told: tuple[bool, int | None]) -> Publicity:
    """The three answers together."""
    flagged = found.is_public if isinstance(found, Bucket) else None
    return Publicity(flagged=flagged, open=read[0], type=read[1], told=told[0], size=told[1])
