"""Who looks at a link without anybody having clicked it: messengers that draw a preview, search engines, prefetching browsers."""

import re

from django.http import HttpRequest

AGENTS = re.compile(
    r"facebookexternalhit|facebot|whatsapp|telegrambot|slack|twitterbot|discord|linkedinbot|skypeuripreview|microsoftpreview"
    r"|teams|viber|applebot|signal|mastodon|pleroma|redditbot|vkshare|embedly|iframely|kakaotalk-scrap|line-poker|zoom"
    r"|mattermost|rocket\.chat|synapse|matrix|google-?(bot|read|page|other|image|safety)|bingbot|bingpreview|yandex(?!search)|baiduspider"
    r"|duckduckbot|safelinks|proofpoint|mimecast|barracuda|(?<!cu)bot\b|crawl|spider|preview|unfurl|scanner",
    re.IGNORECASE,
)


def is_preview(request: HttpRequest) -> bool:
    """Whether this is no person who wants the file: such a request is shown the page, and counts nothing.

    A browser that says that somebody clicked is believed, whatever it is called: messengers have browsers of their own.
    """
    fetched_ahead = "prefetch" in f"{request.headers.get('Purpose', '')} {request.headers.get('Sec-Purpose', '')}"
    clicked = request.headers.get("Sec-Fetch-User") == "?1"
    return fetched_ahead or (not clicked and AGENTS.search(request.headers.get("User-Agent", "")) is not None)
