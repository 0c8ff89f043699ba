from django.urls import path

from dashboard.features.hostname.views import hostname

app_name = "hostname"
all_urls = [path("daily/", hostname.daily_all, name="daily")]
urlpatterns = [
    path("", hostname.index, name="index"),
    path("new/", hostname.new, name="new"),
    path("verification/", hostname.verification, name="verification"),
    path("activation/", hostname.activation, name="activation"),
    path("delete/", hostname.delete, name="delete"),
    path("watch/", hostname.watch, name="watch"),
    path("check/", hostname.check, name="check"),
    path("daily/", hostname.daily, name="daily"),
]
