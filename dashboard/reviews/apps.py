from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "dashboard.reviews"
    label = "reviews"

    def ready(self) -> None:
        from dashboard.reviews.models import Review  # noqa: PLC0415 - models are loaded from now on
        from dashboard.reviews.typed import SealedSecrets  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - as above
        from dashboard.web.input import typed_secrets  # noqa: PLC0415 - as above

        typed_secrets.keep_with(SealedSecrets())
        hooks.belongings.append(lambda person: Review.objects.filter(person=person))
