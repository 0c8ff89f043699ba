"""What tests read of Home."""

import re
from html import unescape

from django.urls import reverse

HERE = reverse("home:index")
WAITING, LIST, ATTENTION, MORE = "home-waiting", "home-list", "home-attention", "home-more"
REF = "ktmvqhzwrbnxpgaydcle"


def row_of(html: str, name: str) -> str:
    """The address at which a project's row is read."""
    before = html.partition(f">{name}</a>")[0]
    return before.rpartition('hx-get="')[2].partition('"')[0]


def names_in(html: str) -> list[str]:
    return [one.partition("</a>")[0].rpartition(">")[2] for one in html.split('class="overview__cut"')[1:]]


def cell(row: str, key: str) -> str:
    """The cell of one fact."""
    return row.partition(f'class="fact fact--{key}')[2].partition("</td>")[0]


def chips(page: str) -> list[tuple[str, str]]:
    """What needs attention by kind: the address that shows it alone, and the words."""
    found = page.partition('class="attention__kinds"')[2].partition("</ul>")[0].split('<a class="chip')[1:]
    return [
        (unescape(one.partition('href="')[2].partition('"')[0]), " ".join(unescape(re.sub(r"<[^>]+>", " ", f"<{one}")).split()))
        for one in found
    ]
