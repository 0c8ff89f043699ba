"""Bans, restrictions and custom hostnames in every state, with their DNS records."""

from datetime import UTC, datetime

from dashboard.sandbox.management.hostname import certificate_value, target
from dashboard.sandbox.models import Ban, Hostname, Project, Record, Restrictions
from dashboard.sandbox.seed.projects import LAB, PORTFOLIO, SIGNAGE, STAGING, TRACKING, UPLOADS

BANS = {TRACKING: ["203.0.113.10", "198.51.100.7", "2001:db8:4f::7"], STAGING: ["192.0.2.146"]}
EVERYBODY = {"v4": ["0.0.0.0/0"], "v6": ["::/0"]}
WHEN = datetime(2026, 9, 1, 6, 0, tzinfo=UTC)

# The default allows all addresses and entitles the project to restrictions.
RESTRICTIONS: dict[str, dict[str, object]] = {
    TRACKING: {
        "v4": ["203.0.113.0/24", "198.51.100.17/32"],
        "v6": ["2001:db8:4f::/48"],
        "status": "applied",
        "updated_at": WHEN,
        "applied_at": WHEN,
    },
    STAGING: {
        "v4": ["203.0.113.64/26"],
        "v6": [],
        "status": "stored",
        "old_v4": ["0.0.0.0/0"],
        "old_v6": ["::/0"],
        "updated_at": WHEN,
    },
    SIGNAGE: {"entitlement": "disallowed", "v4": [], "status": "stored"},
    PORTFOLIO: {"entitlement": "disallowed", "v4": ["0.0.0.0/0"], "v6": ["::/0"], "status": "applied"},
    UPLOADS: {"v4": ["192.0.2.0/24"], "status": "applied"},
    LAB: {"v4": [], "v6": [], "status": "applied", "updated_at": WHEN, "applied_at": WHEN},
}

DONE = {"ssl_status": "active", "owned": True, "validated": True, "points_here": True}
HOSTNAMES: dict[str, dict[str, object]] = {
    TRACKING: {"status": "5_services_reconfigured", "custom_hostname": "track.nordlicht-logistik.example", **DONE},
    STAGING: {
        "status": "2_initiated",
        "custom_hostname": "track-staging.nordlicht-logistik.example",
        "ssl_status": "pending_validation",
    },
    SIGNAGE: {
        "status": "3_challenge_verified",
        "custom_hostname": "signage.nordlicht-logistik.example",
        "ssl_status": "pending_deployment",
        "owned": True,
        "validated": True,
    },
    PORTFOLIO: {"status": "4_origin_setup_completed", "custom_hostname": "data.studio-marlowe.example", **DONE},
    UPLOADS: {"status": "1_not_started"},
    LAB: {
        "status": "2_initiated",
        "custom_hostname": "lab.studio-marlowe.example",
        "ssl_status": "pending_validation",
        "old_form": True,
        "points_here": True,
    },
}


def plant_network() -> None:
    Ban.objects.bulk_create(Ban(project_id=ref, address=address) for ref, addresses in BANS.items() for address in addresses)
    Restrictions.objects.bulk_create(
        Restrictions(project=project, **RESTRICTIONS.get(project.ref, EVERYBODY)) for project in Project.objects.all()
    )


def plant_hostnames() -> None:
    """Create hostnames, with a published CNAME if their state requires one."""
    for ref, members in HOSTNAMES.items():
        value = certificate_value(old_form=bool(members.get("old_form")))
        hostname = Hostname.objects.create(project_id=ref, certificate_value=value, **members)
        if hostname.points_here:
            Record.objects.create(name=hostname.custom_hostname, kind="CNAME", value=target(hostname), ttl=300)
    Record.objects.create(name="nordlicht-logistik.example", kind="TXT", value="v=spf1 -all", ttl=3600)
    Record.objects.create(name="nordlicht-logistik.example", kind="CAA", value='0 issue "letsencrypt.org"', ttl=3600)
    Record.objects.create(name="studio-marlowe.example", kind="A", value="203.0.113.81", ttl=3600)
