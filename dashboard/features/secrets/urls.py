"""Names of secrets can contain anything: they travel in the query or in a form, never in the path."""

from django.urls import path

from dashboard.features.secrets import views

app_name = "secrets"
urlpatterns = [
    path("", views.index, name="index"),
    path("new/", views.new, name="new"),
    path("advice/", views.advice, name="advice"),
    path("value/", views.reveal, name="reveal"),
    path("delete/", views.delete, name="delete"),
]
