"""The theme view. A cookie lets the server draw the right theme without a flash."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from dashboard.web.http.cookies import cookie_name
from dashboard.web.pages.frame import THEME_COOKIE, THEMES

COOKIE_MAX_AGE_SECONDS = 365 * 24 * 3600


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Set the theme, without a sign-in because the sign-in page has a theme too."""
    chosen = request.POST.get("theme", "")
    if chosen not in THEMES:
        return HttpResponse("This theme does not exist.", status=422, content_type="text/plain")
    back = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None, require_https=request.is_secure()) or not back.startswith(
        "/"
    ):
        back = "/"
    response = redirect(back)
    response.status_code = 303
    name = cookie_name(THEME_COOKIE)
    response.set_cookie(name, chosen, max_age=COOKIE_MAX_AGE_SECONDS, secure=settings.HTTPS, httponly=True, samesite="Lax")
    return response
