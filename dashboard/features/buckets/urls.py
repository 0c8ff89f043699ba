"""The second segment is a bucket of the object browser unless it starts with `~`, which no bucket name may contain."""

from django.urls import path

from dashboard.features.buckets import views

app_name = "buckets"
urlpatterns = [
    path("", views.spaces, name="spaces"),
    path("<space>/", views.index, name="index"),
    path("<space>/~new/", views.new, name="new"),
    path("<space>/~advice/", views.advice, name="advice"),
    path("<space>/~edit/<bucket>/", views.edit, name="edit"),
    path("<space>/~delete/<bucket>/", views.delete, name="delete"),
]
