import gc

from django.apps import AppConfig
from django.core.checks import register
from django.utils.module_loading import autodiscover_modules


class LaunchConfig(AppConfig):
    name = "dashboard.launch"
    label = "launch"

    def ready(self) -> None:
        from dashboard.launch.checks import check_settings  # noqa: PLC0415 - checks need the app registry

        register(check_settings, deploy=True)
        # What each feature adds: its module `feature` registers that when it is imported, as all models are there by now.
        autodiscover_modules("feature")
        # Loaded code stays for good, so later collections needn't look at it.
        gc.freeze()
        gc.enable()
