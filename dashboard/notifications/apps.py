from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "dashboard.notifications"
    label = "notifications"

    def ready(self) -> None:
        from dashboard.notifications import views  # noqa: PLC0415 - models are loaded from now on
        from dashboard.web.pages import frame  # noqa: PLC0415 - as above

        frame.add("unread_count", views.unread_count)
