"""Addresses of bulk jobs. Verbs begin with `~`, which no bucket name contains; keys and folders are in queries or forms."""

from django.urls import path

from dashboard.features.bulk import views

app_name = "bulk"
urlpatterns = [
    path("<space>/<bucket>/~bulk/deletion/", views.delete, name="deletion"),
    path("<space>/<bucket>/~bulk/move/", views.move, name="move"),
    path("<space>/<bucket>/~bulk/copy/", views.copy, name="copy"),
    path("<space>/<bucket>/~bulk/labels/", views.label, name="labels"),
    path("<space>/<bucket>/~bulk/rename/", views.rename, name="rename"),
    path("<space>/<bucket>/~bulk/places/", views.places, name="places"),
    path("<space>/<bucket>/~bulk/emptying/", views.empty, name="emptying"),
    path("<space>/<bucket>/~bulk/removal/", views.remove, name="removal"),
]
