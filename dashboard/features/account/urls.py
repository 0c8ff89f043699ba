from django.urls import path

from dashboard.features.account.views import lock, sign_in, tokens

app_name = "account"
urlpatterns = [
    path("", tokens.index, name="tokens"),
    path("setup/", tokens.setup, name="setup"),
    path("tokens/new/", tokens.token_new, name="token_new"),
    path("tokens/<int:token_id>/replacement/", tokens.replacement, name="replacement"),
    path("tokens/<int:token_id>/check/", tokens.check, name="check"),
    path("tokens/<int:token_id>/forgetting/", tokens.forgetting, name="forgetting"),
    path("lock/", lock.index, name="lock"),
    path("lock/mail/", lock.mailing, name="lock_mail"),
    path("lock/start-over/", lock.start_over, name="start_over"),
    path("lock/password/", lock.password, name="lock_password"),
    path("name/", tokens.name, name="name"),
    path("sign-in/", sign_in.index, name="sign_in"),
    path("sign-in/app/new/", sign_in.app_new, name="app_new"),
    path("sign-in/passkeys/new/", sign_in.passkey_new, name="passkey_new"),
    path("sign-in/passkeys/challenge/", sign_in.passkey_challenge, name="passkey_challenge"),
    path("sign-in/passkeys/<int:factor_id>/name/", sign_in.passkey_name, name="passkey_name"),
    path("sign-in/factors/<int:factor_id>/deletion/", sign_in.factor_deletion, name="factor_deletion"),
    path("sign-in/provider/disconnection/", sign_in.disconnection, name="disconnection"),
    path("sign-in/codes/", sign_in.codes, name="codes"),
    path("sign-in/codes/new/", sign_in.codes_new, name="codes_new"),
    path("sign-in/devices/<int:session_id>/end/", sign_in.device_end, name="device_end"),
    path("sign-in/devices/end/", sign_in.devices_end, name="devices_end"),
    path("sessions/", tokens.sessions, name="sessions"),
]
