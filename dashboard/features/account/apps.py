from django.apps import AppConfig

from dashboard.web import navigation


class AccountConfig(AppConfig):
    name = "dashboard.features.account"
    label = "dashboard_account"

    def ready(self) -> None:
        navigation.add_section("Account", "key-round", "account:tokens", order=70)
        from dashboard.team import hooks  # noqa: PLC0415 - models may be imported only now
        from dashboard.web import errors  # noqa: PLC0415 - as above

        hooks.account_page[:] = ["account:tokens"]
        errors.name_token_pages(tokens="account:tokens", unlock="account:lock", add="account:token_new")
