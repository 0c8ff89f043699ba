"""Failures of Pilothouse itself; no service is involved."""

import errno
from datetime import timedelta

from django.db import OperationalError
from django.utils import timezone

from dashboard.web.failures.cards import AGAIN, CHECK, Problem, Step

HOME = Step("Go to Home", "/")

NOT_FOUND = Problem(
    404,
    "Page not found",
    result="Nothing is at this address, or you may not see it.",
    cause="The link may be old, or its target renamed or deleted.",
    step=HOME,
    tone="attention",
    icon="search-x",
    kind="NotFound",
)

BAD_REQUEST = Problem(
    400,
    "Bad request",
    result="Pilothouse can't read this request. Nothing was changed.",
    cause="The address may be incomplete.",
    step=HOME,
    kind="BadRequest",
)

STALE_FORM = Problem(
    403,
    "This form is out of date",
    result="The form does not belong to your current session. Nothing was changed.",
    cause="You may have signed in again in another tab, or your browser blocks cookies.",
    step=Step("Reload the page", "."),
    tone="attention",
    icon="shield-alert",
    kind="StaleForm",
)

# The CSRF token on pages drawn from last known data. It is never valid.
REMEMBERED_CSRF = "remembered"
REMEMBERED = Problem(
    403,
    "This page shows last known data",
    result="Nothing was sent: the current state isn't known yet.",
    cause="Changes are possible again once the service has answered.",
    step=Step("Reload the page", "."),
    tone="attention",
    icon="hourglass",
    kind="Remembered",
)

NOT_KEPT = Problem(
    422,
    "Not replaced",
    result="What would be replaced could not be kept. Nothing was changed.",
    cause="It may be too large, or the store of snapshots full.",
    kind="NotKept",
)

NOT_RECORDED = Problem(
    503,
    "Nothing was changed",
    result="Pilothouse can't write its activity log at the moment, so it sends no changes.",
    cause="The database may be busy, full or unreachable. Try again in a moment.",
    icon="server-crash",
    kind="NotRecorded",
)

OURS = Problem(
    500,
    "Something went wrong",
    result="Pilothouse failed. The cause is in its log.",
    cause="Try again. If it fails again, give your administrator the request number below.",
    step=HOME,
    icon="server-crash",
    kind="ServerError",
)

DATABASE = Problem(
    503,
    "The database is unavailable",
    result="Pilothouse can't use its own database at the moment. Nothing was sent.",
    cause="It may be busy, full or unreachable; the log says which.",
    step=HOME,
    icon="server-crash",
    kind="DatabaseError",
)

DISK_FULL = Problem(
    503,
    "Disk full",
    result="Pilothouse can't save anything. Nothing was changed.",
    cause="Your administrator has to free space for the database.",
    step=HOME,
    icon="server-crash",
    kind="DiskFull",
)

ALREADY_SENT = Problem(
    409,
    "This form was already sent",
    result="The outcome of the first request isn't known, so this one was not sent.",
    cause="The activity says how it ended, once that is known. Check the current state before you send it again.",
    step=CHECK,
    tone="attention",
    icon="circle-question-mark",
    kind="AlreadySent",
)


def of_failure(error: BaseException | None) -> Problem:
    """Describe a failure of ours: a full disk, the database, or something else."""
    if is_disk_full(error):
        return DISK_FULL
    return DATABASE if isinstance(error, OperationalError) else OURS


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk caused this failure, in SQLite, PostgreSQL or a file."""
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
        "Not allowed",
        result=reason or "Your role does not allow this. Nothing was changed.",
        cause="Ask an owner of this team to do it or to change your role.",
        step=HOME,
        icon="shield-alert",
        kind="Forbidden",
    )


def needs_token(kind: str, space: str | None, step: Step | None, *, reading: bool, instead: str = "") -> Problem:
    """Describe a missing token: 200 for a page, 403 for a change. `instead`: what else helps, in a sentence."""
    place = f" for {space}" if space and space != "shared" else ""
    reach = "projects and their settings" if kind == "management" else "buckets and objects"
    return Problem(
        200 if reading else 403,
        f"No {kind} token{place} yet",
        result=f"Pilothouse shows {reach} with your own token. None is stored{place}.",
        cause=f"It is stored encrypted, never shown again, and used only for your requests. {instead}".rstrip(),
        step=step,
        tone="info",
        icon="key-round",
        kind="TokenMissing",
    )


def broken_token(kind: str, space: str | None, step: Step | None, *, reading: bool) -> Problem:
    """Describe a stored token that can't be decrypted."""
    place = f" for {space}" if space and space != "shared" else ""
    return Problem(
        200 if reading else 403,
        f"Store your {kind} token{place} again",
        result="The stored token can't be decrypted any more. Nothing was sent.",
        cause="Its encryption key was removed from the configuration, or the stored row was changed.",
        step=step,
        tone="attention",
        icon="key-round",
        kind="TokenBroken",
    )


def unusable_grant(reason: str, step: Step, *, reading: bool) -> Problem:
    """Describe access through somebody else's token that has ended or is paused."""
    return Problem(
        200 if reading else 403,
        "Your access doesn't work",
        result=f"{reason} Nothing was sent.",
        cause="You can also use a token of your own.",
        step=step,
        tone="attention",
        icon="key-round",
        kind="GrantUnusable",
    )


def locked_account(step: Step, *, reading: bool) -> Problem:
    """Describe an account that is locked because another person's link set the password."""
    return Problem(
        200 if reading else 403,
        "Your account is locked",
        result="Your password was set with a link that somebody else made. Nothing was sent.",
        cause="Unlock it to use your tokens again.",
        step=step,
        tone="attention",
        icon="lock-keyhole",
    )


def busy(*, own: bool = False) -> Problem:
    return Problem(
        503,
        "You have too many transfers running" if own else "Too many transfers are running",
        result="Pilothouse is busy with your uploads and downloads." if own else "Pilothouse is busy with other transfers.",
        cause="Try again when one of them has finished.",
        retry_at=timezone.now() + timedelta(seconds=2),
        step=AGAIN,
        tone="attention",
        icon="hourglass",
        kind="Busy",
    )


def key_in_use(*, own: bool, by_job: bool) -> Problem:
    """Describe a conflict with another upload to the same key, or with a job that writes there."""
    if by_job:
        whose = "Your" if own else "Somebody else's"
        title = f"{whose} job is writing to this file name"
        cause = "Try again when the job has ended."
    else:
        title = f"{'You are' if own else 'Somebody else is'} already uploading this file name"
        cause = "It may be another tab, or an earlier upload that the service is still storing."
    return Problem(
        423,
        title,
        result="Nothing was sent: only one of two simultaneous writes would be kept.",
        cause=cause,
        retry_at=timezone.now() + timedelta(seconds=5),
        step=AGAIN,
        tone="attention",
        icon="hourglass",
        kind="KeyInUse",
    )


def bad_body(status: int, sentence: str) -> Problem:
    return Problem(status, "The upload was refused", result=sentence, cause="Nothing was stored.", icon="file-x", kind="BadBody")


def snapshots_away(reason: str, *, of_one: bool = False) -> Problem:
    """Say that the store of snapshots, or one thing in it, can't be read."""
    return Problem(
        503,
        "What was kept can't be read" if of_one else "The store of snapshots can't be read",
        result=reason,
        cause="Your administrator can check it with “manage.py doctor”, and what is in it with “manage.py snapshot verify”.",
        step=None if of_one else AGAIN,
        icon="server-crash",
        kind="SnapshotsAway",
    )
