from django.apps import AppConfig

from dashboard.web.pages import navigation


class EncryptionConfig(AppConfig):
    name = "dashboard.features.encryption"
    label = "encryption"

    def ready(self) -> None:
        navigation.add_project_section("encryption", "Root key", "key-square", "encryption:index", order=70)
        from dashboard.features.encryption import services, views  # noqa: PLC0415 - models may be imported only now
        from dashboard.jobs.settlement import Resend, Rule, register  # noqa: PLC0415 - as above

        resend = Resend(services.before_in, services.send_again, views.replace_anew, is_gated=True)
        register("M21", Rule(read=services.read_state, shows=services.is_new_key, resend=resend))
