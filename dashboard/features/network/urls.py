"""Addresses of network pages. IP addresses are in queries or forms, as browsers and proxies rewrite IPv6 ones in paths."""

from django.urls import path

from dashboard.facts.registry import NETWORK
from dashboard.features.network.views import bans, origin, restrictions, review
from dashboard.web.pages.former import leads_to

app_name = "network"
urlpatterns = [
    # The search of an address in all projects, and its page for one project, until 1.0.
    path("addresses/", leads_to("home:index", view=NETWORK), name="former"),
    path("<ref>/network/finding/", leads_to("home:index", view=NETWORK, q="{ref}"), name="former_finding"),
    path("addresses/own/", origin.edit, name="origin"),
    path("<ref>/network/bans/", bans.index, name="bans"),
    path("<ref>/network/bans/removal/", bans.lift, name="lift"),
    path("<ref>/network/bans/label/", bans.label, name="label"),
    path("<ref>/network/restrictions/", restrictions.index, name="restrictions"),
    path("<ref>/network/restrictions/state/", restrictions.state, name="state"),
    path("<ref>/network/restrictions/lint/", restrictions.lint, name="lint"),
    path("<ref>/network/restrictions/plan/", review.plan, name="plan"),
    path("<ref>/network/restrictions/review/<uuid:review_id>/", review.review, name="review"),
    path("<ref>/network/restrictions/review/<uuid:review_id>/list/", review.edit, name="edit"),
]
