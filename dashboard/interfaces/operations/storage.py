"""The operations of the storage interface, a row each, in the document's order."""

from datetime import timedelta

from dashboard.interfaces.operations.deadlines import Pace
from dashboard.interfaces.operations.records import (
    LISTING_CAP,
    About,
    Doubt,
    Kept,
    Operation,
    Read,
    Request,
    Right,
    Settlement,
    Target,
    Words,
    Write,
)

ROWS: tuple[Operation, ...] = (
    Write(
        Request("S1", "POST", "/bucket/"),
        Words("create the bucket", About.BUCKETS),
        Right("operator", Target.NEW_BUCKET, ("buckets",)),
        Settlement(Doubt.READ_BACK, changes="buckets"),
    ),
    Read(
        Request("S2", "GET", "/bucket/", cap=LISTING_CAP),
        Words("list the buckets", About.BUCKETS),
        Right("viewer", Target.SCOPE, ()),
        Kept.LAST_KNOWN,
    ),
    # It may take an hour. Until then what the bucket holds doesn't prove that a request without an answer was lost.
    Write(
        Request("S3", "POST", "/bucket/{bucketId}/empty", pace=Pace.HEAVY),
        Words("empty the bucket", About.BUCKETS),
        Right("administrator", Target.BUCKET, ("delete",)),
        Settlement(Doubt.READ_BACK, changes="objects", may_run_for=timedelta(hours=1)),
    ),
    Read(
        Request("S4", "GET", "/bucket/{bucketId}"),
        Words("read the bucket", About.BUCKETS),
        Right("viewer", Target.SHOWN_BUCKET, ()),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("S5", "PUT", "/bucket/{bucketId}"),
        Words("change the bucket", About.BUCKETS),
        Right("administrator", Target.BUCKET, ("buckets",)),
        Settlement(Doubt.READ_BACK, changes="buckets"),
    ),
    Write(
        Request("S6", "DELETE", "/bucket/{bucketId}"),
        Words("delete the bucket", About.BUCKETS),
        Right("administrator", Target.BUCKET, ("buckets", "delete")),
        Settlement(Doubt.READ_BACK, changes="buckets"),
    ),
    Write(
        Request("S7", "DELETE", "/object/{bucketName}/{wildcard}"),
        Words("delete the object", About.OBJECTS),
        Right("operator", Target.KEY, ("delete",), proves="delete"),
        Settlement(Doubt.READ_BACK, changes="objects"),
    ),
    Write(
        Request("S8", "DELETE", "/object/{bucketName}", cap=LISTING_CAP),
        Words("delete the objects", About.OBJECTS),
        Right("operator", Target.PREFIXES, ("delete",), proves="delete", by_rows=True),
        Settlement(Doubt.READ_BACK, changes="objects"),
    ),
    Write(
        Request("S9", "POST", "/object/{bucketName}/{wildcard}", pace=Pace.TRANSFER, taken=("sign", "list", "list-v2", "upload")),
        Words("upload the object", About.OBJECTS),
        Right("operator", Target.KEY, ("upload",), proves="insert"),
        Settlement(Doubt.READ_BACK, changes="objects"),
    ),
    Write(
        Request("S10", "PUT", "/object/{bucketName}/{wildcard}", pace=Pace.TRANSFER, taken=("upload",)),
        Words("replace the object", About.OBJECTS),
        Right("operator", Target.KEY, ("upload", "change"), proves="update"),
        Settlement(Doubt.READ_BACK, changes="objects"),
    ),
    Write(
        Request("S11", "POST", "/object/move", pace=Pace.HEAVY),
        Words("move the object", About.OBJECTS),
        Right("operator", Target.BOTH_KEYS, ("read", "delete", "upload")),
        Settlement(Doubt.READ_BACK, changes="requests"),
    ),
    Write(
        Request("S12", "POST", "/object/copy", pace=Pace.HEAVY),
        Words("copy the object", About.OBJECTS),
        Right("operator", Target.BOTH_KEYS, ("read", "upload")),
        Settlement(Doubt.JOB, changes=""),
    ),
    Read(
        Request("S13", "POST", "/object/list/{bucketName}", cap=LISTING_CAP),
        Words("list the objects", About.OBJECTS),
        Right("viewer", Target.FOLDER, ("read",), proves="list", by_rows=True),
        Kept.LAST_KNOWN,
    ),
    Read(
        Request("S14", "POST", "/object/sign/{bucketName}/{wildcard}"),
        Words("create a signed link", About.LINKS, act="create a signed link to"),
        Right("viewer", Target.KEY, ("read", "sign")),
        Kept.NOTHING,
    ),
    Read(
        Request("S15", "POST", "/object/sign/{bucketName}", cap=LISTING_CAP),
        Words("create signed links", About.LINKS, act="create signed links to"),
        Right("viewer", Target.PATHS, ("read", "sign")),
        Kept.NOTHING,
    ),
    Read(
        Request("S16", "GET", "/object/sign/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
        Words("open the signed link", About.LINKS),
        Right("viewer", Target.LINK, ("read",)),
        Kept.NOTHING,
    ),
    Read(
        Request(
            "S17", "GET", "/object/{bucketName}/{wildcard}", pace=Pace.TRANSFER, taken=("sign", "public", "authenticated", "info")
        ),
        Words("read the object", About.OBJECTS),
        Right("viewer", Target.KEY, ("read",)),
        Kept.NOTHING,
    ),
    Read(
        Request("S18", "GET", "/object/authenticated/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
        Words("read the object", About.OBJECTS),
        Right("viewer", Target.KEY, ("read",), proves="read"),
        Kept.NOTHING,
    ),
    Read(
        Request("S19", "GET", "/object/info/authenticated/{bucketName}/{wildcard}"),
        Words("read the object's details", About.OBJECTS),
        Right("viewer", Target.KEY, ("read",), proves="read"),
        Kept.NOTHING,
    ),
    Read(
        Request("S20", "GET", "/object/public/{bucketName}/{wildcard}", pace=Pace.TRANSFER),
        Words("read the public object", About.OBJECTS),
        Right("viewer", Target.KEY, ("read",)),
        Kept.NOTHING,
    ),
    Read(
        Request("S21", "GET", "/object/info/public/{bucketName}/{wildcard}"),
        Words("read the public object's details", About.OBJECTS),
        Right("viewer", Target.KEY, ("read",)),
        Kept.NOTHING,
    ),
)
