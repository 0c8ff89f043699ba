from django.http import HttpRequest, HttpResponse


def spaces(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def index(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def new(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def advice(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def edit(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def delete(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")
