from django.apps import AppConfig


class AccountConfig(AppConfig):
    name = "dashboard.features.account"
    label = "dashboard_account"
