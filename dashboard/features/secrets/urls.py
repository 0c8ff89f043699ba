"""Names of secrets can contain anything: they travel in the query or in a form, never in the path."""

from django.urls import path

from dashboard.features.secrets import comparing, drafting, views

app_name = "secrets"
urlpatterns = [
    path("", views.index, name="index"),
    path("new/", views.new, name="new"),
    path("advice/", views.advice, name="advice"),
    path("value/", views.reveal, name="reveal"),
    path("draft/", drafting.draft, name="draft"),
    path("draft/applied/", drafting.applied, name="applied"),
    path("names/", views.names, name="names"),
    path("comparison/", comparing.comparison, name="comparison"),
    path("delete/", views.delete, name="delete"),
]
