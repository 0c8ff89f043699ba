import gc

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class LaunchConfig(AppConfig):
    name = "dashboard.launch"

    def ready(self) -> None:
        # What each package adds to others: its module `feature` registers it when it is imported, once all models are there.
        autodiscover_modules("feature")
        # Loaded code stays for good, so later collections needn't look at it.
        gc.freeze()
        gc.enable()
