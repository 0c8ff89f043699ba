"""The Django app of the management half and of shared models."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "dashboard.sandbox"
    label = "sandbox"
