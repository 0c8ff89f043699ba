"""Two organizations, two people, and projects in several regions and states."""

from datetime import UTC, datetime

from dashboard.sandbox.models import Organization, Person, Project

LOGISTICS, STUDIO = "quiet-harbour-heron", "studio-marlowe-k2vq8d"
TRACKING, STAGING, SIGNAGE, ROUTES = (
    "ktmvqhzwrbnxpgaydcle",
    "pwgxlsnvjtaeoqkdhbfm",
    "hbzoeyrqmcuwfkdlnavs",
    "qnlfwrtaxvjbkmcysdge",
)
PORTFOLIO, UPLOADS, NEWSLETTER, LAB, CAMPAIGN = (
    "vcyhgqxtmdzlopkenrbw",
    "mzdbtfkwulqoyxrhnegc",
    "aojxnkwqhevtdzprmlcs",
    "xreugplnbwsqhdvfyakt",
    "dgskpyubwtvoqzlmhrfn",
)

# ref, organization, name, region, status, database version, made on
PROJECTS = [
    (TRACKING, LOGISTICS, "parcel-tracking", "eu-central-1", "ACTIVE_HEALTHY", "17.6.1.084", (2023, 3, 14, 8, 12, 41)),
    (STAGING, LOGISTICS, "parcel-tracking-staging", "eu-central-1", "ACTIVE_HEALTHY", "17.6.1.084", (2023, 3, 14, 9, 3, 5)),
    (SIGNAGE, LOGISTICS, "depot-signage", "eu-west-2", "ACTIVE_UNHEALTHY", "15.8.1.121", (2024, 6, 2, 14, 45, 0)),
    (ROUTES, LOGISTICS, "route-planner-2022", "ap-southeast-1", "INACTIVE", "15.1.0.33", (2022, 11, 2, 10, 15, 30)),
    (PORTFOLIO, STUDIO, "portfolio", "us-east-1", "ACTIVE_HEALTHY", "17.4.1.054", (2024, 1, 22, 17, 30, 12)),
    (UPLOADS, STUDIO, "client-uploads", "sa-east-1", "ACTIVE_HEALTHY", "15.1.0.33", (2023, 1, 10, 9, 12, 0)),
    (NEWSLETTER, STUDIO, "newsletter-archive", "ap-northeast-1", "COMING_UP", "17.6.1.084", (2026, 11, 18, 7, 0, 59)),
    (LAB, STUDIO, "marlowe-lab", "eu-west-3", "ACTIVE_HEALTHY", "15.1.1.61", (2023, 9, 5, 11, 20, 47)),
    (CAMPAIGN, STUDIO, "summer-campaign-2024", "us-west-1", "REMOVED", "15.1.1.61", (2024, 4, 30, 6, 55, 18)),
]


def plant_people() -> None:
    """Create an owner of both organizations and a read-only member of the first."""
    owner = Person.objects.create(name="Jonna Petersen", created_at=datetime(2022, 10, 1, tzinfo=UTC))
    reader = Person.objects.create(name="Ines Duarte", role="read_only", created_at=datetime(2023, 2, 1, tzinfo=UTC))
    logistics = Organization.objects.create(id=LOGISTICS, name="Nordlicht Logistik", created_at=datetime(2022, 10, 1, tzinfo=UTC))
    studio = Organization.objects.create(id=STUDIO, name="Studio Marlowe", created_at=datetime(2023, 1, 9, tzinfo=UTC))
    logistics.members.add(owner, reader)
    studio.members.add(owner)


def plant_projects() -> None:
    Project.objects.bulk_create(
        Project(
            ref=ref,
            organization_id=organization,
            name=name,
            region=region,
            status=status,
            database_version=version,
            created_at=datetime(*made, tzinfo=UTC),
            hostname_allowed=ref != NEWSLETTER,
        )
        for ref, organization, name, region, status, version, made in PROJECTS
    )
