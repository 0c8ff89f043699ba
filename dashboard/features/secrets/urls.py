"""Names of secrets can contain anything: they travel in the query or in a form, never in the path."""

from django.urls import path

from dashboard.features.secrets import comparing, drafting, reviewing, views

app_name = "secrets"
urlpatterns = [
    path("", views.index, name="index"),
    path("new/", views.new, name="new"),
    path("advice/", views.advice, name="advice"),
    path("value/", views.reveal, name="reveal"),
    path("draft/", drafting.draft, name="draft"),
    path("review/<uuid:review_id>/", reviewing.review, name="review"),
    path("review/<uuid:review_id>/rows/", drafting.rows, name="rows"),
    path("names/", views.names, name="names"),
    path("comparison/", comparing.comparison, name="comparison"),
    path("delete/", views.delete, name="delete"),
]
