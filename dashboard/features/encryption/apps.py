from django.apps import AppConfig


class EncryptionConfig(AppConfig):
    name = "dashboard.features.encryption"
    label = "encryption"

    def ready(self) -> None:
        from dashboard.features.encryption import services  # noqa: PLC0415 - models may be imported only now
        from dashboard.jobs import settlement  # noqa: PLC0415 - as above

        settlement.register("M21", settlement.Rule(read=services.read_state, shows=services.is_new_key))
