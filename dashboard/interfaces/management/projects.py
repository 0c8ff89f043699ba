"""Projects, M1 and M2."""

from datetime import datetime

from msgspec import field

from dashboard.interfaces.records import Record, moment
from dashboard.interfaces.transport import Ask, Part

# not shown: the regions. These are today's; services may know fewer or more, so any code can be sent and is shown.
REGIONS = {
    "us-east-1": "East US (North Virginia)",
    "us-east-2": "East US (Ohio)",
    "us-west-1": "West US (North California)",
    "us-west-2": "West US (Oregon)",
    "ca-central-1": "Canada (Central)",
    "sa-east-1": "South America (São Paulo)",
    "eu-west-1": "West EU (Ireland)",
    "eu-west-2": "West Europe (London)",
    "eu-west-3": "West EU (Paris)",
    "eu-central-1": "Central EU (Frankfurt)",
    "eu-central-2": "Central Europe (Zurich)",
    "eu-north-1": "North EU (Stockholm)",
    "ap-south-1": "South Asia (Mumbai)",
    "ap-southeast-1": "Southeast Asia (Singapore)",
    "ap-southeast-2": "Oceania (Sydney)",
    "ap-northeast-1": "Northeast Asia (Tokyo)",
    "ap-northeast-2": "Northeast Asia (Seoul)",
    "ap-east-1": "East Asia (Hong Kong)",
}

REMOVED = "REMOVED"

# Don't redact shorter passwords from messages, as they may match ordinary words.
TELLING = 4


class ProjectDatabase(Record, frozen=True):
    """A project's database; `version` has four numbers in today's form ("15.1.0.33")."""

    host: str
    version: str


class Project(Record, frozen=True):
    """A project. `id` is its reference in paths; `database` is missing while it starts; `status` is newer."""

    id: str
    organization_id: str
    name: str
    region: str
    created_text: str = field(name="created_at")
    database: ProjectDatabase | None = None
    status: str | None = None

    @property
    def ref(self) -> str:
        """The project reference."""
        # not shown: which member is the reference in paths. It is `id`, in both generations.
        return self.id

    @property
    def created_at(self) -> datetime | None:
        """The creation time, or None if `created_text` is invalid."""
        return moment(self.created_text)


class Projects(Part):
    def all(self) -> list[Project]:
        """M1 · GET /v1/projects

        Return the projects of all organizations of the token's owner, in no guaranteed order.
        """
        return self._transport.fetch(Ask("M1"), list[Project])

    def create(
        self,
        name: str,
        *,
        organization_id: str,
        db_pass: str,
        region: str,
        plan: str = "free",
        organization_slug: str | None = None,
    ) -> Project:
        """M2 · POST /v1/projects

        Create a project, which may cost money, and return it; it needs some minutes to start. `region` is a code such as those of
        `REGIONS`, `plan` "free" or "pro". Give `organization_slug` if M3 returned one: newer services require it, others refuse
        unknown members. Rejected if the organization may not have another project.
        """
        # not shown: the body.
        body = {"name": name, "organization_id": organization_id, "db_pass": db_pass, "region": region, "plan": plan}
        if organization_slug is not None:
            body["organization_slug"] = organization_slug
        return self._transport.fetch(Ask("M2", json=body, secrets=(db_pass,) if len(db_pass) >= TELLING else ()), Project)
