"""Names of secrets can contain anything: they travel in the query or in a form, never in the path."""

from django.urls import path

from dashboard.features.secrets.views import comparison, draft, review, secrets

app_name = "secrets"
urlpatterns = [
    path("", secrets.index, name="index"),
    path("new/", secrets.new, name="new"),
    path("advice/", secrets.advice, name="advice"),
    path("value/", secrets.reveal, name="reveal"),
    path("replacement/", draft.replacement, name="replacement"),
    path("draft/", draft.draft, name="draft"),
    path("review/<uuid:review_id>/", review.review, name="review"),
    path("review/<uuid:review_id>/rows/", draft.rows, name="rows"),
    path("names/", secrets.names, name="names"),
    path("comparison/", comparison.comparison, name="comparison"),
    path("delete/", secrets.delete, name="delete"),
]
