"""Prepare to serve: migrate, seed an empty database, and build the line to print."""

from pathlib import Path

from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.migrations.executor import MigrationExecutor

from dashboard.sandbox.keys import storage_tokens
from dashboard.sandbox.models import Organization, Person, Project
from dashboard.sandbox.seed import plant
from dashboard.sandbox.settings import SANDBOX_OBJECTS
from dashboard.sandbox.storage import disk


def prepare(*, empty: bool) -> None:
    """Migrate and seed if needed. Leaves no connection open, because the server forks."""
    Path(SANDBOX_OBJECTS).mkdir(parents=True, exist_ok=True)
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False)
    if not Person.objects.exists():
        with transaction.atomic():
            if empty:
                plant_one()
            else:
                plant()
    disk.sweep()
    connections.close_all()


def plant_one() -> None:
    """Create one organization with one project and nothing else, for `--empty`."""
    person = Person.objects.create(name="Owner")
    organization = Organization.objects.create(id="first-organization", name="First organization")
    organization.members.add(person)
    Project.objects.create(organization=organization, name="first-project", region="eu-central-1", database_version="15.1.0.33")


def ready_line(url: str, dns: str) -> dict[str, object]:
    """Return everything that programs need to use this sandbox: addresses, and tokens of the first owner and all projects."""
    owner = Person.objects.order_by("created_at", "pk").first()
    assert owner is not None  # noqa: S101 - prepare() planted one
    return {
        "management_url": url,
        "storage_url": url + "/{ref}/storage/v1",
        "dns": dns,
        "personal_token": owner.token,
        "storage_tokens": {project.ref: storage_tokens(project) for project in Project.objects.order_by("created_at")},
    }
