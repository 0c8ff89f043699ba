"""Addresses of network pages. IP addresses are in queries or forms, as browsers and proxies rewrite IPv6 ones in paths."""

from django.urls import path

from dashboard.features.network.views import bans, origin, restrictions, review, search

app_name = "network"
urlpatterns = [
    path("addresses/", search.index, name="find"),
    path("addresses/own/", origin.edit, name="origin"),
    path("<ref>/network/finding/", search.show, name="finding"),
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
