"""Functions of one project. `~` can't begin a slug, so no function is ever called like one of our pages."""

from django.urls import path, register_converter

from dashboard.features.functions.slugs import Slug
from dashboard.features.functions.views import changing, deploying, listing, showing, versions

register_converter(Slug, "function")

app_name = "functions"
urlpatterns = [
    path("", listing.index, name="index"),
    path("~new/", deploying.new, name="new"),
    path("~advice/", deploying.advice, name="advice"),
    path("<function:slug>/", showing.show, name="show"),
    path("<function:slug>/body/", showing.body, name="body"),
    path("<function:slug>/sources/", showing.sources, name="sources"),
    path("<function:slug>/calls/", showing.calls, name="calls"),
    path("<function:slug>/settings/", changing.edit, name="edit"),
    path("<function:slug>/delete/", changing.delete, name="delete"),
    path("<function:slug>/deployments/", deploying.replace, name="replace"),
    path("<function:slug>/deployments/<int:pk>/", deploying.plan, name="plan"),
    path("<function:slug>/versions/", versions.index, name="versions"),
    path("<function:slug>/versions/comparison/", versions.compare, name="compare"),
    path("<function:slug>/versions/<int:pk>/", versions.show, name="version"),
    path("<function:slug>/versions/<int:pk>/body/", versions.body, name="version_body"),
    path("<function:slug>/versions/<int:pk>/deployment/", versions.again, name="again"),
]
