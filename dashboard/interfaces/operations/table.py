"""The operations of the interface document, a row each, in the document's order."""

from datetime import timedelta
from types import MappingProxyType

from dashboard.interfaces.operations.deadlines import Pace
from dashboard.interfaces.operations.records import (
    LISTING_CAP,
    About,
    Doubt,
    Kept,
    Read,
    Request,
    Right,
    Settlement,
    Target,
    Words,
    Write,
)

LARGE_SCHEMA = "A large schema can take longer than the service waits for its database. Ask for fewer schemas at once."
NO_SCHEMA = "The project may still be starting, without a database to read. Try again in a few minutes."
STARTING = "The project may still be starting, without a database. Try again in a few minutes."

_ROWS = (
    Read(
        Request("M1", "GET", "/v1/projects", cap=LISTING_CAP),
        Words("list the projects", About.PROJECTS),
        Right("viewer", Target.SCOPE, ()),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("M2", "POST", "/v1/projects"),
        Words("create the project", About.PROJECTS),
        Right("administrator", Target.NONE, ()),
        Settlement(Doubt.READ_BACK, changes="projects"),
    ),
    Read(
        Request("M3", "GET", "/v1/organizations", cap=LISTING_CAP),
        Words("list the organizations", About.PROJECTS),
        Right("viewer", Target.SCOPE, ()),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("M4", "POST", "/v1/organizations"),
        Words("create the organization", About.PROJECTS),
        Right("administrator", Target.NONE, ()),
        Settlement(Doubt.READ_BACK, changes="organizations"),
    ),
    Read(
        Request("M5", "GET", "/v1/projects/{ref}/secrets"),
        Words("read the secrets", About.SECRETS, act="reveal"),
        Right("viewer", Target.PROJECT, ("read",), section="secrets"),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("M6", "POST", "/v1/projects/{ref}/secrets"),
        Words("save the secrets", About.SECRETS),
        Right("operator", Target.PROJECT, ("change",), section="secrets"),
        Settlement(Doubt.RESEND, changes="secrets"),
    ),
    Write(
        Request("M7", "DELETE", "/v1/projects/{ref}/secrets"),
        Words("delete the secrets", About.SECRETS),
        Right("operator", Target.PROJECT, ("change",), section="secrets"),
        Settlement(Doubt.RESEND, changes="secrets"),
    ),
    Read(
        Request("M8", "GET", "/v1/projects/{ref}/types/typescript", pace=Pace.SLOW),
        Words("generate the types", About.TYPES, causes={"TimedOut": LARGE_SCHEMA, "Rejected": NO_SCHEMA}),
        Right("viewer", Target.PROJECT, ("read",), section="types"),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("M9", "POST", "/v1/projects/{ref}/functions", pace=Pace.SLOW),
        Words("create the function", About.FUNCTIONS),
        Right("operator", Target.PROJECT, ("functions",), section="functions"),
        Settlement(Doubt.READ_BACK, changes="functions"),
    ),
    Read(
        Request("M10", "GET", "/v1/projects/{ref}/functions", cap=LISTING_CAP),
        Words("list the functions", About.FUNCTIONS),
        Right("viewer", Target.PROJECT, ("read",), section="functions"),
        Kept.LAST_KNOWN,
    ),
    Read(
        Request("M11", "GET", "/v1/projects/{ref}/functions/{function_slug}"),
        Words("read the function", About.FUNCTIONS),
        Right("viewer", Target.PROJECT, ("read",), section="functions"),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("M12", "PATCH", "/v1/projects/{ref}/functions/{function_slug}", pace=Pace.SLOW),
        Words("update the function", About.FUNCTIONS),
        Right("operator", Target.PROJECT, ("functions",), section="functions"),
        Settlement(Doubt.READ_BACK, changes="functions"),
    ),
    Write(
        Request("M13", "DELETE", "/v1/projects/{ref}/functions/{function_slug}"),
        Words("delete the function", About.FUNCTIONS),
        Right("operator", Target.PROJECT, ("functions",), section="functions"),
        Settlement(Doubt.RESEND, changes="functions"),
    ),
    Read(
        Request("M14", "GET", "/v1/projects/{ref}/functions/{function_slug}/body", pace=Pace.SLOW, cap=LISTING_CAP),
        Words("read the function's code", About.FUNCTIONS),
        Right("operator", Target.PROJECT, ("read",), section="functions"),
        Kept.NOTHING,
    ),
    Read(
        Request("M15", "GET", "/v1/projects/{ref}/custom-hostname"),
        Words("read the custom hostname", About.HOSTNAME),
        Right("viewer", Target.PROJECT, ("read",), section="hostname"),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("M16", "DELETE", "/v1/projects/{ref}/custom-hostname"),
        Words("delete the custom hostname", About.HOSTNAME),
        Right("administrator", Target.PROJECT, ("change",), section="hostname"),
        Settlement(Doubt.READ_BACK, changes="hostname"),
    ),
    Write(
        Request("M17", "POST", "/v1/projects/{ref}/custom-hostname/initialize"),
        Words("set up the custom hostname", About.HOSTNAME),
        Right("operator", Target.PROJECT, ("change",), section="hostname"),
        Settlement(Doubt.READ_BACK, changes="hostname"),
    ),
    Write(
        Request("M18", "POST", "/v1/projects/{ref}/custom-hostname/reverify"),
        Words("verify the custom hostname", About.HOSTNAME),
        Right("operator", Target.PROJECT, ("change",), section="hostname"),
        Settlement(Doubt.READ_BACK, changes="hostname"),
    ),
    Write(
        Request("M19", "POST", "/v1/projects/{ref}/custom-hostname/activate"),
        Words("activate the custom hostname", About.HOSTNAME),
        Right("administrator", Target.PROJECT, ("change",), section="hostname"),
        Settlement(Doubt.READ_BACK, changes="hostname"),
    ),
    Read(
        Request("M20", "GET", "/v1/projects/{ref}/pgsodium"),
        Words("read the root key", About.ROOT_KEY, causes={"Rejected": STARTING}, act="reveal"),
        Right("administrator", Target.NONE, ()),
        Kept.NEVER_LEFT,
    ),
    Write(
        Request("M21", "PUT", "/v1/projects/{ref}/pgsodium"),
        Words("replace the root key", About.ROOT_KEY),
        Right("administrator", Target.NONE, ()),
        Settlement(Doubt.RESEND, changes=""),
    ),
    Read(
        Request("M22", "POST", "/v1/projects/{ref}/network-bans/retrieve"),
        Words("read the network bans", About.NETWORK, causes={"Rejected": STARTING}),
        Right("viewer", Target.PROJECT, ("read",), section="network"),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("M23", "DELETE", "/v1/projects/{ref}/network-bans"),
        Words("lift the bans", About.NETWORK),
        Right("operator", Target.PROJECT, ("change",), section="network"),
        Settlement(Doubt.RESEND, changes="bans"),
    ),
    Read(
        Request("M24", "GET", "/v1/projects/{ref}/network-restrictions"),
        Words("read the network restrictions", About.NETWORK, causes={"Rejected": STARTING}),
        Right("viewer", Target.PROJECT, ("read",), section="network"),
        Kept.LAST_KNOWN,
    ),
    Write(
        Request("M25", "POST", "/v1/projects/{ref}/network-restrictions/apply"),
        Words("apply the network restrictions", About.NETWORK),
        Right("administrator", Target.PROJECT, ("change",), section="network"),
        Settlement(Doubt.RESEND, changes=""),
    ),
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

OPERATIONS = MappingProxyType({row.id: row for row in _ROWS})
READS = MappingProxyType({row.id: row for row in _ROWS if isinstance(row, Read)})
WRITES = MappingProxyType({row.id: row for row in _ROWS if isinstance(row, Write)})
