"""Template tags: icons, copy buttons, times, bytes, long keys, states, forms."""

import re
from datetime import UTC, datetime
from functools import cache
from html import unescape
from importlib.resources import files
from io import BytesIO
from urllib.parse import quote, urlencode
from zipfile import ZipFile

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.forms import BaseForm
from django.forms.utils import flatatt
from django.http import HttpRequest, QueryDict
from django.template import Context, RequestContext
from django.template.defaulttags import CsrfTokenNode
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString

from dashboard import __version__
from dashboard.interfaces.errors import Effect
from dashboard.interfaces.examples import example
from dashboard.web import text
from dashboard.web.http.requests import path_of
from dashboard.web.input import kept_text as kept
from dashboard.web.input import typed_secrets
from dashboard.web.input.forms import NOT_FOR_MANAGERS, is_long
from dashboard.web.input.idempotency import FIELD, new_key
from dashboard.web.pages import brand, navigation, sort_order
from dashboard.web.pages.htmx import htmx_of
from dashboard.web.pages.places import Place, place_of
from dashboard.web.pages.sort_order import Sort

register = template.Library()
register.simple_tag(text.countdown)

# The icon of each tone, because colour alone must not carry meaning.
SIGNS = {
    "good": "circle-check",
    "waiting": "loader",
    "attention": "triangle-alert",
    "danger": "circle-x",
    "neutral": "circle-dot",
}
# Number of sections beside "More" in the bar at the bottom of a phone.
PHONE_LINKS = 4
_BREAKS = re.compile(r"\s*\n\s*")


@register.simple_tag
@cache
def icon(name: str, size: int = 16) -> SafeString:
    """Render a decorative Lucide icon. The text beside it or the button's label says what it means."""
    # base.css sets the stroke attributes once for all icons.
    head = f'<svg width="{size}" height="{size}" viewBox="0 0 24 24" aria-hidden="true" class="icon">'
    shapes = _icons().read(f"{name}.svg").decode().split(">", 1)[1]
    return SafeString(head + _BREAKS.sub("", shapes))


@cache
def _icons() -> ZipFile:
    """Open Lucide's icons once for all. Its own tag would read their table of contents again for each."""
    return ZipFile(BytesIO(files("lucide").joinpath("lucide.zip").read_bytes()))


@register.simple_tag
@cache
def symbol(name: str, key: str) -> SafeString:
    """Render an icon's shapes once, for many `<use href="#key">`."""
    shapes = icon(name).split(">", 1)[1].removesuffix("</svg>")
    return SafeString(f'<symbol id="{key}" viewBox="0 0 24 24">{shapes}</symbol>')


@register.simple_block_tag
def menu(content: str, *name: object, of: str = "") -> SafeString:
    """Render "…" and its menu, for the row `of` or for the page. The block holds the entries; `name` makes the id."""
    return format_html(
        '<button class="icon-button" type="button" popovertarget="{0}" data-menu aria-label="{1}">{2}</button>'
        '<popup-menu class="menu" id="{0}" popover>{3}</popup-menu>',
        "-".join(map(str, (*name, "menu"))),
        f"More for {of}" if of else "More actions",
        icon("ellipsis"),
        content,
    )


@register.simple_tag
def stylesheet(name: str) -> SafeString:
    """Link one of our style sheets with its integrity digest."""
    return format_html('<link rel="stylesheet" href="{}" integrity="{}">', static(name), integrity(name))


@register.simple_tag
def brand_stylesheet() -> SafeString:
    """Link the style sheet with the team's colour, if one is set."""
    found = brand.link_of_sheet()
    return format_html('<link rel="stylesheet" href="{}" integrity="{}">', *found) if found else SafeString("")


@register.simple_tag
def script(name: str) -> SafeString:
    """Load one of our scripts with its integrity digest."""
    return format_html('<script src="{}" integrity="{}" defer></script>', static(name), integrity(name))


@register.simple_tag
def integrity(name: str) -> str:
    """Return the integrity digest of a static file."""
    return str(staticfiles_storage.integrity(name))  # type: ignore[attr-defined] # dashboard.web.assets.bundles


@register.inclusion_tag("parts/_copy.html")
def copy(value: str, label: str, *, show: bool = False, now: bool = False) -> dict[str, object]:
    """Render a copy button for `value`; the notice is "`label` copied". `show` displays the label, `now` copies on arrival."""
    return {"value": value, "label": label, "show": show, "now": now}


@register.simple_tag
def when(moment: datetime | None, *, stop: bool = True) -> SafeString:
    """Show a relative time, the exact one on hover and focus; `stop=False` omits the tab stop."""
    if moment is None:
        return format_html('<span class="quiet">{}</span>', "never")
    return format_html(
        '<time class="when" datetime="{}" data-when data-tip="{}"{}>{}</time>',
        moment.isoformat(timespec="seconds"),
        text.exact(moment),
        SafeString(' tabindex="0"' if stop else ""),
        text.relative(moment),
    )


@register.simple_tag
def opens(to: str, *names: object, asks: str = "", **query: object) -> SafeString:
    """Render the attributes of a link that opens in the dialog.

    `to` is an address, or the name of one with these `names` in it. The query is given encoded by `asks`, or as values.
    """
    wanted = asks or urlencode(query, quote_via=quote)
    address = f"{_address(to, names)}?{wanted}" if wanted else _address(to, names)
    return format_html('href="{0}" hx-get="{0}" hx-target="#dialog" hx-swap="innerHTML"', address)


@register.simple_block_tag(takes_context=True)
def posts(context: Context, content: str, to: str, *names: object) -> SafeString:
    """Render a form that acts at once and stays on the page; the block holds its button. `to` and `names` as in `opens`."""
    form = '<form method="post" action="{0}" hx-post="{0}" hx-swap="none" data-busy>{1}{2}</form>'
    return format_html(form, _address(to, names), CsrfTokenNode().render(context), content)


def _address(to: str, names: tuple[object, ...]) -> str:
    return to if to.startswith("/") else reverse(to, args=names)


@register.simple_tag(takes_context=True)
def here(context: RequestContext) -> str:
    """Return the address of the open page, also while a part of it is drawn."""
    return htmx_of(context.request).current_url_abs_path or context.request.get_full_path()


@register.simple_tag(takes_context=True)
def follows(context: RequestContext, *things: str, at: str = "", every: int | str | None = None) -> SafeString:
    """Render the attributes of a part that replaces itself when one of these things has changed, or each `every` seconds.

    It is read `at` an address, without one at that for which it is drawn.
    """
    times = [*(f"{thing}:changed from:body" for thing in things), *([f"every {every}s"] if every else [])]
    return format_html(
        'hx-get="{}" hx-trigger="{}" hx-target="this" hx-swap="outerHTML" hx-disinherit="*"{}',
        at or context.request.get_full_path(),
        ", ".join(times),
        SafeString(" data-poll" if every else ""),
    )


@register.simple_tag(takes_context=True)
def heading(context: Context) -> str:
    """Return the words of the page's heading, drawn once for title and breadcrumb."""
    drawn = context.render_context
    if drawn.get("heading") is None:
        block = drawn[BLOCK_CONTEXT_KEY].get_block("heading")
        drawn["heading"] = " ".join(unescape(strip_tags(block.render(context))).split())
    words: str = drawn["heading"]
    return words


@register.simple_tag(takes_context=True)
def title(context: Context) -> str:
    """Return the title that most pages have: the words of the heading, and the name of the project."""
    words = heading(context)
    return f"{words} · {context['name']}" if context.get("ref") and context.get("name") else words


@register.simple_tag
def place_title() -> str:
    return navigation.place_title()


@register.simple_tag
def bucket_page() -> str:
    """Return the address of the page where people choose a bucket; empty where no storage is configured."""
    return navigation.named_page("buckets") if settings.STORAGE_URL else ""


@register.simple_tag
def exact(moment: datetime | None, *, clock: bool = False) -> SafeString:
    """Show an exact time: UTC, or local time once the script has run; `clock` omits the date."""
    if moment is None:
        return format_html('<span class="quiet">{}</span>', "never")
    return format_html(
        '<time class="when when--exact" datetime="{}" data-exact="{}">{}</time>',
        moment.isoformat(timespec="seconds"),
        "clock" if clock else "",
        f"{moment.astimezone(UTC):%H:%M:%S} UTC" if clock else text.exact(moment),
    )


@register.simple_tag(name="bytes")
def bytes_(count: int | None, *, stop: bool = True) -> SafeString:
    """Show a size, the exact number on hover and focus."""
    if count is None:
        return format_html('<span class="quiet">{}</span>', text.bytes_text(count))
    if count < 1000:
        return format_html('<span class="number">{}</span>', text.bytes_text(count))
    focus = SafeString(' tabindex="0"' if stop else "")
    return format_html('<span class="number" data-tip="{}"{}>{}</span>', text.exact_bytes(count), focus, text.bytes_text(count))


@register.simple_tag
def not_for_managers() -> SafeString:
    """Render the attributes that keep browsers and password managers from changing or storing what is typed."""
    return flatatt({name: value for name, value in NOT_FOR_MANAGERS.items() if name != "class"})


@register.filter
def number(count: int) -> str:
    """Group thousands: 12,345."""
    return f"{count:,}"


@register.simple_tag
def middle(key: str) -> SafeString:
    """Show a long key. CSS truncates it in the middle, so that copying gives all of it."""
    head, tail = text.halves(key)
    return format_html(
        '<bdi class="middle" title="{}"><span class="middle__head">{}</span><span class="middle__tail">{}</span></bdi>',
        key,
        head,
        tail,
    )


@register.inclusion_tag("parts/_status.html")
def status(tone: str, word: str, raw: str = "") -> dict[str, str]:
    """Show a status: word, icon, and the service's raw value if it differs."""
    shown = raw if raw and raw.replace("_", " ").casefold() != word.casefold() else ""
    return {"tone": tone, "word": word, "raw": shown, "sign": SIGNS.get(tone, SIGNS["neutral"])}


@register.inclusion_tag("parts/_rail.html", takes_context=True)
def rail(context: Context, place: Place | None = None, *, label: bool = True) -> dict[str, object]:
    """Show the rail of a place, by default that of the page's address. `label=False` hides the project's label."""
    request = context["request"]
    place = place or place_of(request)
    links = place.links if place and place.links else navigation.sections(request)
    return {
        "place": place,
        "first": links[:PHONE_LINKS],
        "rest": links[PHONE_LINKS:],
        "is_inside": bool(place and place.links),
        "give_access": context.get("give_access"),
        "label": context.get("project_label") if label and place else None,
        "version": __version__,
    }


@register.inclusion_tag("parts/_bucket_crumb.html")
def bucket_crumb(space: str, bucket: str) -> dict[str, object]:
    """Show a bucket in the breadcrumb, with the switch to others."""
    label, href = navigation.inner_steps({"space": space, "bucket": bucket})[-1]
    return {"label": label, "href": href, "switch": navigation.switch("space", space, bucket=bucket)}


@register.inclusion_tag("parts/_root_crumbs.html")
def project_crumbs(ref: str, name: str, *, ends: bool = False) -> dict[str, object]:
    """Show the breadcrumb of a project; `ends` if the current page is its overview."""
    return {"steps": navigation.root_steps("ref", ref, name), "ends": ends}


@register.inclusion_tag("parts/_root_crumbs.html")
def space_crumbs(space: str, title: str, *, ends: bool = False) -> dict[str, object]:
    """Show the breadcrumb of a space; `ends` if the current page is its list of buckets."""
    return {"steps": navigation.root_steps("space", space, title), "ends": ends}


@register.inclusion_tag("parts/_requests.html", takes_context=True)
def requests(context: Context) -> dict[str, object]:
    """Show, collapsed, the requests that this page's form or review sends (`operations.sends`), with placeholders."""
    match = getattr(context.get("request"), "resolver_match", None)
    names = {name: str(value) for name, value in match.kwargs.items()} if match else {}
    known = {name: names[name] for name in ("ref", "slug", "bucket") if name in names} | {"bucket_id": names.get("bucket", "")}
    operations: tuple[str, ...] = getattr(match.func, "sends", ()) if match else ()
    return {"examples": [example(operation, known) for operation in operations]}


@register.inclusion_tag("forms/form.html", takes_context=True)
def form(
    context: Context,
    form: BaseForm,
    *,
    button: str,
    back: str = "",
    action: str = "",
    danger: bool = False,
) -> dict[str, object]:
    """Show a complete form: CSRF token, one-time key, errors, fields, cancel and submit."""
    request, action = context["request"], action or context["request"].get_full_path()
    problem = request.__dict__.get("problem")
    return {
        "form": form,
        "in_doubt": bool(problem and problem.effect is Effect.UNKNOWN),
        "kept": kept_text(context, form, action=action),
        "button": button,
        "back": back or context.get("back", ""),
        "action": action,
        "danger": danger,
        "in_dialog": context.get("in_dialog", False),
        "once_field": FIELD,
        "once": _key(request),
        "request": request,
    }


@register.inclusion_tag("parts/_kept_text.html", name="kept_text", takes_context=True)
def kept_text(context: Context, form: BaseForm, *, action: str) -> dict[str, object]:
    """Keep what is typed in a form with multi-line text, which posts to `action`, and warn before typed secrets are lost.

    Renders nothing for forms that have neither.
    """
    typed = {field.widget.attrs.get("data-secret", "no") == "" for field in form.fields.values() if is_long(field.widget)}
    key = kept.key_of(context["request"], action) if False in typed else ""
    return {
        "is_needed": bool(typed),
        "key": key,
        "bound": form.is_bound,
        "field": kept.FIELD,
        "sealed": typed_secrets.sealed_of(form),
    }


@register.simple_tag(takes_context=True)
def once_key(context: Context) -> SafeString:
    """Show the hidden one-time key, for forms not drawn by `form`."""
    return format_html('<input type="hidden" name="{}" value="{}">', FIELD, _key(context.get("request")))


def _key(request: HttpRequest | None) -> str:
    """Return a new key, or the used one after an unknown outcome, so that the form can't be sent again."""
    problem = getattr(request, "problem", None)
    used = request.POST.get(FIELD, "") if request and problem and problem.effect is Effect.UNKNOWN else ""
    return used or new_key()


@register.inclusion_tag("parts/_sort.html", takes_context=True)
def sort(
    context: Context, now: Sort, name: str, label: str, *, target: str, number: bool = False, css: str = ""
) -> dict[str, object]:
    """Show the header of a column by which a list can be sorted; `target` is the list's id, `css` a further class.

    The list is sorted by `now`.
    """
    request = context["request"]

    def address(order: Sort) -> str:
        query: QueryDict = request.GET.copy()
        for left_out in ("offset", "order"):
            query.pop(left_out, None)
        query["sort"] = order
        return f"{path_of(request)}?{query.urlencode()}"

    return {
        "column": sort_order.column(name, label, now, address=address),
        "target": target,
        "css": f"{'number' if number else ''} {css}".strip(),
    }
