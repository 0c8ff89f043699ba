"""The second segment is a bucket, unless it starts with `~`, which no bucket name contains."""

from django.urls import path

from dashboard.facts.registry import STORAGE
from dashboard.features.buckets.views import buckets, delete, settings, usage
from dashboard.web.pages.former import leads_to

app_name = "buckets"
urlpatterns = [
    path("", leads_to("home:index", view=STORAGE), name="former"),
    path("<space>/", buckets.index, name="index"),
    path("<space>/~new/", buckets.new, name="new"),
    path("<space>/~switch/", buckets.switch, name="switch"),
    path("<space>/~open/", buckets.add, name="named"),
    path("<space>/~forget/<bucket>/", buckets.forget, name="forgetting"),
    path("<space>/~advice/", buckets.advice, name="advice"),
    path("<space>/~edit/<bucket>/", settings.edit, name="edit"),
    path("<space>/~limit/<bucket>/", settings.limit, name="limit"),
    path("<space>/~check/<bucket>/", settings.check, name="check"),
    path("<space>/~delete/<bucket>/", delete.delete, name="delete"),
    path("<space>/<bucket>/~usage/", usage.show, name="usage"),
]
