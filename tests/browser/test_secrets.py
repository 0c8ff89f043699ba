"""Paste the same `.env` twice: the second plan is empty and nothing is sent. Write in rows and text; drop a file; delete one."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.steps import accessible, drop

pytestmark = pytest.mark.browser

REF = "xreugplnbwsqhdvfyakt"
HOME = f"/projects/{REF}/secrets/"
CANARY = "canary-value-4711"


def env(key: str) -> str:
    return f"""# Settings of {key}
export {key}_TOKEN="{CANARY}"
{key}_PEM="-----BEGIN KEY-----
{CANARY}==
-----END KEY-----"

{key}_URL='https://example.org/?a=b#c' # the real one
"""


def sent(page: Page) -> int:
    """How many writes of secrets the journal knows for this project."""
    page.goto(f"/journal/?operation=M6&place={REF}")
    found = re.search(r"(\d+) entr", page.locator(".listing__foot").text_content() or "")
    return int(found[1]) if found else 0


def paste(page: Page, text: str) -> None:
    field = page.get_by_label("Lines of a .env file")
    field.fill("")
    field.click()
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("ControlOrMeta+V")


def plan(page: Page) -> Locator:
    page.get_by_role("button", name="Compare with the project").click()
    expect(page.locator("#plan")).to_be_visible()
    return page.locator("#plan")


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize(
    "options",
    [
        {"viewport": {"width": 1440, "height": 900}},
        {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
        {"viewport": {"width": 1024, "height": 768}, "java_script_enabled": False},
    ],
    ids=["wide", "phone in the dark", "no script"],
)
def test_the_same_file_twice_sends_nothing_the_second_time(
    open_page: NewPage, console: Console, options: dict[str, object]
) -> None:
    scripted = bool(options.get("java_script_enabled", True))
    page = open_page(**options, **({"permissions": ["clipboard-read", "clipboard-write"]} if scripted else {}))
    key = f"JOURNEY_{uuid4().hex[:8].upper()}"

    def look() -> None:
        assert CANARY not in re.sub(r"<textarea.*?</textarea>", "", page.content(), flags=re.DOTALL)
        if scripted:
            accessible(page)
            assert fits(page)

    def write(text: str) -> None:
        page.goto(HOME)
        page.get_by_role("link", name="Edit many").click()
        if scripted:
            paste(page, text)
            expect(page.locator("#draft-findings")).to_contain_text("3 secrets read")
        else:
            page.get_by_label("Lines of a .env file").fill(text)

    write(env(key))
    look()
    expect(plan(page)).to_contain_text("3 new, 0 changed, 0 the same")
    look()
    page.get_by_role("button", name="Send what is ticked").click()
    expect(page.get_by_role("heading", name="3 stored")).to_be_visible()
    look()
    before = sent(page)

    write(env(key).replace("\n", "\r\n"))
    expect(plan(page)).to_contain_text("All 3 secrets of this draft are the same")
    look()
    assert page.locator("input[name=write]").count() == 0
    button = page.get_by_role("button", name="Delete what is ticked")
    if button.count():  # something else is only on the service
        page.locator("#plan summary").filter(has_text="only on the service").click()
        button.click()
        expect(page.locator("#plan")).to_contain_text("Nothing is ticked, so nothing was sent")
    assert sent(page) == before


def test_rows_and_text_are_one_draft(open_page: NewPage, console: Console, tmp_path: Path) -> None:
    page = open_page(viewport={"width": 1440, "height": 900})
    console.expect(422, "/secrets/draft/")
    key = f"ROWS_{uuid4().hex[:8].upper()}"
    page.goto(f"{HOME}draft/")
    (tmp_path / ".env").write_text(env(key))
    drop(page, tmp_path / ".env")
    field = page.get_by_label("Lines of a .env file")
    expect(field).to_have_value(env(key))

    page.get_by_role("button", name="Rows", exact=True).click()
    expect(page.get_by_label("Name in row 3")).to_have_value(f"{key}_URL")
    assert CANARY not in page.content()
    accessible(page)
    page.get_by_role("button", name="Add a row").click()
    page.get_by_label("Name in row 5").fill(f"{key}_NEW")
    page.get_by_label("Value in row 5").fill("typed in a row")
    page.locator("[data-draft-line]").nth(4).get_by_role("button", name="Show").click()
    expect(page.get_by_label("Value in row 5")).to_have_attribute("data-shown", "")
    page.get_by_role("button", name="Take out row 2").click()
    expect(page.get_by_label("Name in row 2")).to_have_value(f"{key}_URL")

    (tmp_path / "more.json").write_text(f'{{"{key}_JSON": "from json", "SUPABASE_{key}": "x"}}')
    drop(page, tmp_path / "more.json")
    expect(page.get_by_label("Name in row 5")).to_have_value(f"SUPABASE_{key}")
    expect(page.locator("#draft-findings")).to_contain_text("belong to the platform")
    page.get_by_role("button", name="Compare with the project").click()
    expect(page.locator("#draft-findings")).to_contain_text("1 problem to mend")
    expect(page.locator("#plan")).to_have_count(0)

    page.get_by_role("button", name="Text", exact=True).click()
    expect(field).to_have_value(re.compile(rf"{key}_TOKEN=<kept:"))
    page.get_by_role("link", name="Line 7").click()
    expect(field).to_be_focused()
    assert page.evaluate("getSelection().toString()").startswith(f"SUPABASE_{key}=")
    page.keyboard.press("Delete")
    expect(page.locator("#draft-findings")).not_to_contain_text("belong to the platform")
    expect(plan(page)).to_contain_text("4 new, 0 changed")
    page.get_by_role("button", name="Back to the draft").click()
    expect(field).to_be_focused()
    plan(page)
    page.get_by_role("button", name="Send what is ticked").click()
    expect(page.get_by_role("heading", name="4 stored")).to_be_visible()


def test_a_deletion_is_ticked_and_typed(open_page: NewPage, console: Console) -> None:
    page = open_page(viewport={"width": 1024, "height": 768}, color_scheme="dark")
    console.expect(422, "/secrets/draft/applied/")
    key = f"GONE_{uuid4().hex[:8].upper()}"
    for text in (f"{key}=1", f"KEPT_{key}=1"):
        page.goto(f"{HOME}draft/")
        page.get_by_label("Lines of a .env file").fill(text)
        plan(page)
        if "KEPT" in text:
            page.locator("#plan summary").filter(has_text="only on the service").click()
            expect(page.get_by_label(f"Delete {key}")).not_to_be_checked()
            page.get_by_label(f"Delete {key}").check()
            accessible(page)
            page.get_by_role("button", name="Send what is ticked").click()
            expect(page.locator("#plan")).to_contain_text(f"Type {REF} to delete secrets")
            page.get_by_label("To delete what is ticked here").fill(REF)
        page.get_by_role("button", name="Send what is ticked").click()
        expect(page.locator("#result-title")).to_contain_text("1 stored")
    expect(page.locator("#result-title")).to_contain_text("1 deleted")
    page.goto(HOME)
    expect(page.locator("#secret-list")).not_to_contain_text(f"Delete {key}")


def test_two_projects_are_compared(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto(f"{HOME}comparison/")
    accessible(page)
    page.get_by_label("The other project").select_option(index=1)
    expect(page.locator("#comparison .listing__foot")).to_contain_text("only here")
    accessible(page)
    assert fits(page)
