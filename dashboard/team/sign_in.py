"""The addresses of allauth that exist here: no sign-up, no second mail address, no sign-in by code."""

from allauth.account import views
from django.urls import path, re_path

from dashboard.team.gate import reauthenticate
from dashboard.team.views import password_reset

urlpatterns = [
    path("login/", views.login, name="account_login"),
    path("logout/", views.logout, name="account_logout"),
    path("inactive/", views.account_inactive, name="account_inactive"),
    path("reauthenticate/", reauthenticate, name="account_reauthenticate"),
    path("password/change/", views.password_change, name="account_change_password"),
    # A session alone must not give itself a password, which would open the gate: the way is the mailbox, or an owner's link.
    path("password/set/", password_reset, name="account_set_password"),
    path("password/reset/", password_reset, name="account_reset_password"),
    path("password/reset/done/", views.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[0-9A-Za-z-]+)/$",
        views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("password/reset/key/done/", views.password_reset_from_key_done, name="account_reset_password_from_key_done"),
]
