"""Imports the views of the operations and of the test switches."""

# ruff: noqa: F401 - their decorators fill OPERATIONS

from django.urls import re_path

from dashboard.sandbox import bans, switches
from dashboard.sandbox.dispatch import dispatcher
from dashboard.sandbox.management import encryption, functions, hostname, network, organizations, projects, secrets, types
from dashboard.sandbox.operations import OPERATIONS
from dashboard.sandbox.storage import buckets, objects, signed_links, writes

urlpatterns = [re_path(r"", dispatcher(OPERATIONS))]
