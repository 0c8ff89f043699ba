from django.urls import path

from dashboard.features.account import views

app_name = "account"
urlpatterns = [
    path("", views.index, name="tokens"),
    path("setup/", views.setup, name="setup"),
    path("tokens/new/", views.token_new, name="token_new"),
    path("tokens/<int:token_id>/replacement/", views.replacement, name="replacement"),
    path("tokens/<int:token_id>/check/", views.check, name="check"),
    path("tokens/<int:token_id>/forgetting/", views.forgetting, name="forgetting"),
    path("lock/", views.lock, name="lock"),
    path("name/", views.name, name="name"),
    path("sessions/", views.sessions, name="sessions"),
]
