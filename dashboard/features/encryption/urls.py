"""The root key of one project: keys travel in answers and forms, never in an address."""

from django.urls import path

from dashboard.features.encryption.views import replacement, root_key

app_name = "encryption"
urlpatterns = [
    path("", root_key.index, name="index"),
    path("key/", root_key.key, name="key"),
    path("file/", root_key.file, name="file"),
    path("replacement/", replacement.replacement, name="replacement"),
    path("replacement/confirmation/", replacement.confirmation, name="confirmation"),
    path("replacement/<int:entry_id>/", replacement.result, name="result"),
]
