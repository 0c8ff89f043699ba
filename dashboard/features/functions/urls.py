"""Functions of one project. `~` can't begin a slug, so no function is ever called like one of our pages."""

from django.urls import path, register_converter

from dashboard.features.functions.rules.slugs import Slug
from dashboard.features.functions.views import deploy, details, functions, settings, versions

register_converter(Slug, "function")

app_name = "functions"
urlpatterns = [
    path("", functions.index, name="index"),
    path("~new/", deploy.new, name="new"),
    path("~advice/", deploy.advice, name="advice"),
    path("<function:slug>/", details.show, name="show"),
    path("<function:slug>/body/", details.body, name="body"),
    path("<function:slug>/sources/", details.sources, name="sources"),
    path("<function:slug>/calls/", details.calls, name="calls"),
    path("<function:slug>/settings/", settings.edit, name="edit"),
    path("<function:slug>/delete/", settings.delete, name="delete"),
    path("<function:slug>/deployments/", deploy.replace, name="replace"),
    path("<function:slug>/deployments/<int:pk>/", deploy.plan, name="plan"),
    path("<function:slug>/versions/", versions.index, name="versions"),
    path("<function:slug>/versions/comparison/", versions.compare, name="compare"),
    path("<function:slug>/versions/<int:pk>/", versions.show, name="version"),
    path("<function:slug>/versions/<int:pk>/body/", versions.body, name="version_body"),
    path("<function:slug>/versions/<int:pk>/deployment/", versions.again, name="again"),
]
