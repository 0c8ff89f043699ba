"""The product's addresses, and one act that needs a fresh sign-in."""

from django.http import HttpResponse
from django.urls import include, path
from django.views.decorators.http import require_http_methods

from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.gate import fresh_sign_in
from dashboard.urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

ACTS: list[str] = []


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
def act(request: PersonRequest) -> HttpResponse:
    ACTS.append(f"{request.method} {request.POST.get('what', '')}".strip())
    return HttpResponse("acted", content_type="text/plain")


urlpatterns = [path("act/", act, name="act"), path("", include("dashboard.urls"))]
