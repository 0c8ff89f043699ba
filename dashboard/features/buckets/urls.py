"""The second segment is a bucket of the object browser unless it starts with `~`, which no bucket name may contain."""

from django.urls import path

from dashboard.features.buckets.views import changing, deleting, listing, named

app_name = "buckets"
urlpatterns = [
    path("", listing.spaces, name="spaces"),
    path("<space>/", listing.index, name="index"),
    path("<space>/~new/", changing.new, name="new"),
    path("<space>/~open/", named.add, name="named"),
    path("<space>/~forget/<bucket>/", named.forget, name="forgetting"),
    path("<space>/~advice/", changing.advice, name="advice"),
    path("<space>/~edit/<bucket>/", changing.edit, name="edit"),
    path("<space>/~limit/<bucket>/", changing.limit, name="limit"),
    path("<space>/~check/<bucket>/", changing.check, name="check"),
    path("<space>/~delete/<bucket>/", deleting.delete, name="delete"),
]
