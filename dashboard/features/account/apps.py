from django.apps import AppConfig


class AccountConfig(AppConfig):
    name = "dashboard.features.account"
    label = "dashboard_account"

    def ready(self) -> None:
        from dashboard.team import hooks  # noqa: PLC0415 - models may be imported only now
        from dashboard.tokens import palette  # noqa: PLC0415 - as above
        from dashboard.web import errors  # noqa: PLC0415 - as above

        palette.add_action("Add a token", "key-round", "account:token_new")
        palette.add_action("Change your account", "key-round", "account:tokens")

        hooks.account_page[:] = ["account:tokens"]
        errors.name_token_pages(tokens="account:tokens", unlock="account:lock", add="account:token_new")
