from django.apps import AppConfig

from dashboard.web.pages import navigation


class AccessConfig(AppConfig):
    name = "dashboard.features.access"
    label = "access"

    def ready(self) -> None:
        from dashboard.features.access import tasks  # noqa: PLC0415 - models may be imported only now
        from dashboard.features.access.services import folders  # noqa: PLC0415 - as above
        from dashboard.features.access.views.active import acting, give_access  # noqa: PLC0415 - as above
        from dashboard.features.access.views.invitation import accept, doubts, fields  # noqa: PLC0415 - as above
        from dashboard.links import holders  # noqa: PLC0415 - as above
        from dashboard.notifications import delivery  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - as above
        from dashboard.tokens import palette  # noqa: PLC0415 - as above
        from dashboard.web.pages import frame  # noqa: PLC0415 - as above

        navigation.add_section("People", "users", "people:index", order=60)
        palette.add_words("people:index", "team members users roles grants permissions access")
        palette.add_action("Give access", "user-plus", "access:new")
        frame.add("acting", acting)
        frame.add("give_access", give_access)
        hooks.offers.append(hooks.Offer(fields, doubts, accept))
        delivery.add_reminder(tasks.remind)
        holders.register(folders.HOLDER)
