"""Who looks at a link without anybody having clicked it: messengers that draw a preview, search engines, prefetching browsers."""

import re

from django.http import HttpRequest

AGENTS = re.compile(
    r"facebookexternalhit|facebot|whatsapp|telegrambot|slack|twitterbot|discord|linkedinbot|skypeuripreview|microsoftpreview"
    r"|teams|viber|applebot|signal|mastodon|pleroma|redditbot|pinterest|vkshare|embedly|iframely|kakaotalk|line-poker|zoom"
    r"|mattermost|rocket\.chat|synapse|matrix|google-?(bot|read|page|other|image|safety)|bingbot|bingpreview|yandex|baiduspider"
    r"|duckduckbot|safelinks|proofpoint|mimecast|barracuda|bot\b|crawl|spider|preview|unfurl|scanner",
    re.IGNORECASE,
)


def is_preview(request: HttpRequest) -> bool:
    """Whether this is no person who wants the file: such a request is shown the page, and counts nothing."""
    fetched_ahead = "prefetch" in f"{request.headers.get('Purpose', '')} {request.headers.get('Sec-Purpose', '')}"
    return fetched_ahead or AGENTS.search(request.headers.get("User-Agent", "")) is not None
