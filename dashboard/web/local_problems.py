"""Problems of our own making: no service is involved."""

import errno
from datetime import timedelta

from django.db import OperationalError
from django.utils import timezone

from dashboard.web.cards import AGAIN, CHECK, Problem, Step

HOME = Step("Go to the start page", "/")

NOT_FOUND = Problem(
    404,
    "Nothing is here",
    result="This address leads nowhere, or to something that you can't see.",
    cause="A link may be old, or the thing may have been renamed or deleted.",
    step=HOME,
    tone="attention",
    icon="search-x",
    kind="NotFound",
)

BAD_REQUEST = Problem(
    400,
    "This request can't be read",
    result="Refused by this dashboard: the request is broken.",
    cause="The address may have been cut when it was copied.",
    step=HOME,
    kind="BadRequest",
)

STALE_FORM = Problem(
    403,
    "The form is out of date",
    result="Refused by this dashboard: the form does not belong to your current sign-in. Nothing was done.",
    cause="You may have signed in again in another tab, or cookies are blocked.",
    step=Step("Load the page again", "."),
    tone="attention",
    icon="shield-alert",
    kind="StaleForm",
)

NOT_RECORDED = Problem(
    503,
    "Nothing was changed",
    result="Refused by this dashboard: its journal can't be written at the moment, and no change is sent without its entry.",
    cause="The database may be busy, full or away. Try again in a moment.",
    icon="server-crash",
    kind="NotRecorded",
)

OURS = Problem(
    500,
    "Something went wrong here",
    result="This dashboard failed; the cause is in its log.",
    cause="Trying again may help. If it does not, tell the person who runs it the request's number below.",
    step=HOME,
    icon="server-crash",
    kind="ServerError",
)

DATABASE = Problem(
    503,
    "Our database does not answer",
    result="This dashboard can't use its own database at the moment.",
    cause="It may be busy, full or away; the log says which. No change is sent that can't be written down first.",
    step=HOME,
    icon="server-crash",
    kind="DatabaseError",
)

DISK_FULL = Problem(
    503,
    "The disk of this dashboard is full",
    result="Pilothouse can't save anything at the moment, so nothing was changed.",
    cause="The person who runs it has to free space for its database. Then try again.",
    step=HOME,
    icon="server-crash",
    kind="DiskFull",
)

ALREADY_SENT = Problem(
    409,
    "This form was sent before",
    result="Refused by this dashboard: the same form was sent already and its outcome was not confirmed.",
    cause="It may have been done or not. Check the current state before you send a new form.",
    step=CHECK,
    tone="attention",
    icon="circle-question-mark",
    kind="AlreadySent",
)


def of_failure(error: BaseException | None) -> Problem:
    """What a failure of ours is: a full disk, the database, or something else."""
    if is_disk_full(error):
        return DISK_FULL
    return DATABASE if isinstance(error, OperationalError) else OURS


def is_disk_full(error: BaseException | None) -> bool:
    """Whether this failure, or one behind it, comes from a disk without space: SQLite's, PostgreSQL's or a file's."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if getattr(error, "sqlstate", None) == "53100" or getattr(error, "sqlite_errorname", None) == "SQLITE_FULL":
            return True
        error = error.__cause__ or error.__context__
    return False


def forbidden(reason: str) -> Problem:
    return Problem(
        403,
        "Not allowed for you",
        result=reason or "Refused by this dashboard: your role does not allow this.",
        cause="An owner of this team can do it, or change your role.",
        step=HOME,
        icon="shield-alert",
        kind="Forbidden",
    )


def needs_token(kind: str, space: str | None, step: Step | None, *, reading: bool) -> Problem:
    """An invitation rather than an error: 200 for a page, 403 for an act that could not be done."""
    place = f" for {space}" if space and space != "shared" else ""
    reach = "projects and their settings" if kind == "management" else "buckets and objects"
    return Problem(
        200 if reading else 403,
        f"No {kind} token{place} yet",
        result=f"Pilothouse shows {reach} with a token of your own, and none is stored{place}.",
        cause="It is kept sealed, is never shown again, and is used for nothing but your own requests.",
        step=step,
        tone="info",
        icon="key-round",
        kind="TokenMissing",
    )


def broken_token(kind: str, space: str | None, step: Step | None, *, reading: bool) -> Problem:
    """Stored, but it does not open: an invitation to store it again."""
    place = f" for {space}" if space and space != "shared" else ""
    return Problem(
        200 if reading else 403,
        f"Your {kind} token{place} has to be stored again",
        result="What is stored can't be opened any more, so nothing was sent.",
        cause="The key that sealed it was taken out of the configuration, or the stored row was changed.",
        step=step,
        tone="attention",
        icon="key-round",
        kind="TokenBroken",
    )


def locked_tokens(step: Step, *, reading: bool) -> Problem:
    """Somebody else's link set the password, so the person has to unlock the tokens first."""
    return Problem(
        200 if reading else 403,
        "Your tokens are locked",
        result="Your password was set with a link that somebody else made. Until you unlock your tokens, nothing is sent.",
        cause="Unlock them with your old password, or by storing the same token again.",
        step=step,
        tone="attention",
        icon="lock-keyhole",
    )


def busy(*, own: bool = False) -> Problem:
    return Problem(
        503,
        "You have many transfers under way" if own else "All places for transfers are taken",
        result=f"This dashboard is busy with {'your' if own else 'other'} uploads and downloads.",
        cause="A place is free again as soon as one of them ends.",
        retry_at=timezone.now() + timedelta(seconds=2),
        step=AGAIN,
        tone="attention",
        icon="hourglass",
        kind="Busy",
    )


def key_in_use(*, own: bool) -> Problem:
    """Another upload to this key is under way."""
    who = "You are" if own else "Somebody else is"
    return Problem(
        423,
        f"{who} uploading to this name",
        result="Nothing was sent: of two uploads to one name at the same time only one would be kept.",
        cause="It may come from another tab, or the service may still be storing an upload that got no answer.",
        retry_at=timezone.now() + timedelta(seconds=5),
        step=AGAIN,
        tone="attention",
        icon="hourglass",
        kind="KeyInUse",
    )


def bad_body(status: int, sentence: str) -> Problem:
    return Problem(status, "The upload was refused", result=sentence, cause="Nothing was stored.", icon="file-x", kind="BadBody")
