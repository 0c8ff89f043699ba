"""The root key of one project: keys travel in answers and forms, never in an address."""

from django.urls import path

from dashboard.features.encryption.views import reading, replacing

app_name = "encryption"
urlpatterns = [
    path("", reading.index, name="index"),
    path("key/", reading.key, name="key"),
    path("file/", reading.file, name="file"),
    path("replacement/", replacing.replacement, name="replacement"),
    path("replacement/confirmation/", replacing.confirmation, name="confirmation"),
    path("replacement/<int:entry_id>/", replacing.result, name="result"),
]
