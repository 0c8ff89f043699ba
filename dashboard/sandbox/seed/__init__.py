"""Seed a new sandbox: two organizations with projects in every state that the document names."""

from dashboard.sandbox.seed.buckets import plant_buckets
from dashboard.sandbox.seed.functions import plant_functions
from dashboard.sandbox.seed.network import plant_hostnames, plant_network
from dashboard.sandbox.seed.projects import plant_people, plant_projects
from dashboard.sandbox.seed.secrets import plant_secrets


def plant() -> None:
    """Fill an empty database and write the files of its buckets."""
    plant_people()
    plant_projects()
    plant_secrets()
    plant_functions()
    plant_network()
    plant_hostnames()
    plant_buckets()
