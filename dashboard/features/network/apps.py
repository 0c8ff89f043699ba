from django.apps import AppConfig


class NetworkConfig(AppConfig):
    name = "dashboard.features.network"
    label = "network"
