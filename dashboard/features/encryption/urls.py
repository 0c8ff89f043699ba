"""Addresses of the root key. None contains a key."""

from django.urls import path

from dashboard.features.encryption import views

app_name = "encryption"
urlpatterns = [
    path("", views.index, name="index"),
    path("key/", views.key, name="key"),
    path("file/", views.file, name="file"),
    path("replacement/", views.replacement, name="replacement"),
    path("replacement/<uuid:review_id>/", views.review, name="review"),
]
