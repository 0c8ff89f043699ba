"""Addresses of functions. No slug begins with `~`, so none collides with our own pages."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from dashboard.features.functions.rules import READABLE_SLUG
from dashboard.features.functions.views import deploy, functions, versions


class Slug(StringConverter):
    """A slug in an address, including those that only older services accepted. A leading dot would be a path step."""

    regex = READABLE_SLUG.pattern


register_converter(Slug, "function")

app_name = "functions"
urlpatterns = [
    path("", functions.index, name="index"),
    path("~new/", deploy.new, name="new"),
    path("~advice/", deploy.advice, name="advice"),
    path("<function:slug>/", functions.show, name="show"),
    path("<function:slug>/body/", functions.body, name="body"),
    path("<function:slug>/sources/", functions.sources, name="sources"),
    path("<function:slug>/calls/", functions.calls, name="calls"),
    path("<function:slug>/settings/", functions.edit, name="edit"),
    path("<function:slug>/note/", functions.note, name="note"),
    path("<function:slug>/delete/", functions.delete, name="delete"),
    path("<function:slug>/deployments/", deploy.replace, name="replace"),
    path("<function:slug>/deployments/<uuid:review_id>/", deploy.review, name="review"),
    path("<function:slug>/versions/", versions.index, name="versions"),
    path("<function:slug>/versions/comparison/", versions.compare, name="compare"),
    path("<function:slug>/versions/<int:pk>/", versions.show, name="version"),
    path("<function:slug>/versions/<int:pk>/body/", versions.body, name="version_body"),
    path("<function:slug>/versions/<int:pk>/deployment/", versions.again, name="again"),
]
