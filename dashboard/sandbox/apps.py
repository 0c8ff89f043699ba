"""The app of the management half and of what both halves share."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "dashboard.sandbox"
    label = "sandbox"
