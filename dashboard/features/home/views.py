from django.http import HttpRequest, HttpResponse


def index(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")
