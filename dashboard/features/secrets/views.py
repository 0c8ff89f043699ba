from django.http import HttpRequest, HttpResponse


def index(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def new(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def advice(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def reveal(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")


def delete(request: HttpRequest, **place: str) -> HttpResponse:
    return HttpResponse("coming")
