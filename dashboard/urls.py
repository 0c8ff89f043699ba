"""Every address of Pilothouse; allauth keeps its own names under /account/."""

from django.urls import include, path

urlpatterns = [
    path("", include("dashboard.features.home.urls")),
    path("account/", include("dashboard.features.account.urls")),
    path("account/", include("allauth.account.urls")),
    path("journal/", include("dashboard.journal.urls")),
    path("patterns/", include("dashboard.features.patterns.urls")),
    path("projects/", include("dashboard.features.projects.urls")),
    path("projects/<ref>/secrets/", include("dashboard.features.secrets.urls")),
    path("storage/", include("dashboard.features.buckets.urls")),
    path("storage/", include("dashboard.features.objects.urls")),
    path("team/", include("dashboard.team.urls")),
]
