"""Every address of Pilothouse; allauth's views keep their names under /account/."""

from django.urls import include, path

from dashboard.features.access.urls import people_urls
from dashboard.features.hostname.urls import all_urls
from dashboard.features.projects.urls import organization_urls
from dashboard.features.snapshots.urls import store_urls

urlpatterns = [
    # First, as strangers open links more often than the team opens pages.
    path("", include("dashboard.features.sharing.urls")),
    path("", include("dashboard.features.file_requests.urls")),
    path("", include("dashboard.features.home.urls")),
    path("account/", include("dashboard.features.account.urls")),
    path("account/", include("dashboard.team.sign_in")),
    path("access/", include("dashboard.features.access.urls")),
    path("hostnames/", include((all_urls, "hostnames"))),
    path("jobs/", include("dashboard.jobs.urls")),
    path("journal/", include("dashboard.journal.urls")),
    path("notifications/", include("dashboard.notifications.urls")),
    path("organizations/", include((organization_urls, "organizations"))),
    path("people/", include((people_urls, "people"))),
    path("sandbox/", include("dashboard.features.trial.urls")),
    path("search/", include("dashboard.features.palette.urls")),
    path("patterns/", include("dashboard.features.patterns.urls")),
    path("projects/", include("dashboard.features.network.urls")),
    path("projects/", include("dashboard.features.projects.urls")),
    path("projects/<ref>/secrets/", include("dashboard.features.secrets.urls")),
    path("projects/<ref>/types/", include("dashboard.features.types.urls")),
    path("projects/<ref>/encryption/", include("dashboard.features.encryption.urls")),
    path("projects/<ref>/functions/", include("dashboard.features.functions.urls")),
    path("projects/<ref>/hostname/", include("dashboard.features.hostname.urls")),
    path("storage/", include("dashboard.features.buckets.urls")),
    path("storage/", include("dashboard.features.objects.urls")),
    path("storage/", include("dashboard.features.bulk.urls")),
    path("storage/", include("dashboard.features.search.urls")),
    path("storage/", include("dashboard.features.snapshots.urls")),
    path("snapshots/", include((store_urls, "store"))),
    path("appearance/", include("dashboard.web.urls")),
    path("team/", include("dashboard.team.urls")),
]

# Views whose pages may hold a secret value: they are not compressed (`web/http/compression`). Answers to a POST never are.
REVEALING = frozenset(
    {
        *(f"encryption:{name}" for name in ("key", "file", "replacement", "review")),
        *(f"sharing:{name}" for name in ("signed", "signing", "output")),
        "secrets:reveal",
        *(f"account:{name}" for name in ("app_new", "codes")),
        "projects:review",
    }
)

handler400 = "dashboard.web.pages.errors.bad_request"
handler403 = "dashboard.web.pages.errors.forbidden"
handler404 = "dashboard.web.pages.errors.not_found"
handler500 = "dashboard.web.pages.errors.server_error"
