"""The storage half of the sandbox as a Django app."""

from django.apps import AppConfig


class SandboxStorageConfig(AppConfig):
    name = "dashboard.sandbox.storage"
    label = "sandbox_storage"
    default_auto_field = "django.db.models.BigAutoField"
