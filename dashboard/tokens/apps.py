from django.apps import AppConfig


class TokensConfig(AppConfig):
    name = "dashboard.tokens"
    label = "tokens"

    def ready(self) -> None:
        from dashboard.team import hooks  # noqa: PLC0415 - models are there only now

        hooks.has_tokens.append(lambda person: person.stored_tokens.exists())
