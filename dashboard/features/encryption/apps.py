from django.apps import AppConfig


class EncryptionConfig(AppConfig):
    name = "dashboard.features.encryption"
    label = "encryption"
