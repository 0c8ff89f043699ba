"""The operations of the management interface, a row each, in the document's order."""

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

LARGE_SCHEMA = "A large schema can take longer than the service waits for its database. Ask for fewer schemas at once."
NO_SCHEMA = "The project may still be starting, without a database to read. Try again in a few minutes."
STARTING = "The project may still be starting, without a database. Try again in a few minutes."

ROWS: tuple[Operation, ...] = (
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
)
