"""Paste the same `.env` twice: the second time nothing is sent. Fix, fail and save; edit as rows; drop a file; delete one."""

import re
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.console import Console
from tests.browser.neighbour import Neighbour
from tests.browser.steps import accessible, drop, three_ways

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
    field = page.get_by_label("Paste .env lines or JSON")
    field.fill("")
    field.click()
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("ControlOrMeta+V")


def review(page: Page) -> None:
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^(Review [\\d,]+|No) changes?$"))


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.exhaustive
@three_ways
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
        page.get_by_role("link", name="Paste .env").first.click()
        if scripted:
            paste(page, text)
            expect(page.locator("#draft-findings")).to_contain_text("3 secrets found")
        else:
            page.get_by_label("Paste .env lines or JSON").fill(text)

    write(env(key))
    look()
    review(page)
    expect(page.locator("#review-title")).to_have_text("3 new, 0 changed, 0 unchanged")
    look()
    page.get_by_role("button", name="Save 3 secrets").click()
    expect(page.locator("#notices")).to_contain_text("Saved 3 secrets.")
    look()
    page.locator("#notices").get_by_role("link", name="Details").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Saved 3 secrets")
    look()
    before = sent(page)

    write(env(key).replace("\n", "\r\n"))
    review(page)
    expect(page.locator("main")).to_contain_text("All 3 secrets in this draft are already saved")
    look()
    assert page.locator("input[name=write]").count() == 0
    assert sent(page) == before


EVERY_WARNING = r"""{0}_CUT=pass #word
{0}_EMPTY=
{0}_REFERENCE=${{HOME}}/x
{0}_BARE=$HOME
{0}_DOLLARS=p$$w
{0}_ESCAPED="a\$b"
{0}_SINGLE='a\\b'
{0}_TRIMMED=  x
{0}_CURLY=“x”
{0}-ODD=1
;{0}_COMMENTED=1
//{0}_SLASHES=1
{0}_DUP=first
{0}_DUP=last
SUPABASE_{0}=x
no sign
"""
WARNINGS = (
    "dropped as a comment",
    "The value is empty",
    "aren't expanded",
    "read it as one $",
    "Some .env parsers drop it",
    "parsers keep the backslash",
    "Spaces around the value were dropped",
    "Curly quotes",
    "may not work as an environment variable",
    "starts with ; as a comment",
    "starts with // as a comment",
)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "options",
    [{"viewport": {"width": 1440, "height": 900}}, {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}],
    ids=["wide", "phone in the dark"],
)
def test_every_warning_is_seen_a_500_keeps_the_draft_and_the_second_try_saves_it(
    open_page: NewPage, console: Console, neighbour: Neighbour, options: dict[str, object]
) -> None:
    page = open_page(**options)
    console.expect(422, "/secrets/draft/")
    key = f"WARN_{uuid4().hex[:8].upper()}"
    page.goto(f"{HOME}draft/")
    page.get_by_label("Paste .env lines or JSON").fill(EVERY_WARNING.format(key))
    expect(page.locator("#draft-findings")).to_contain_text("Fix 4 problems to continue (15 secrets found)")
    accessible(page)
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_label("Paste .env lines or JSON")).to_have_value(EVERY_WARNING.format(key))
    page.get_by_role("button", name="Skip 1 reserved name").click()
    expect(page.locator("#draft-findings")).to_contain_text("Fix 3 problems to continue (14 secrets found)")
    accessible(page)
    page.get_by_role("button", name="Keep the last of each duplicate").click()
    page.get_by_role("button", name="Skip 1 unreadable line").click()
    expect(page.locator("#review-title")).to_have_text("13 new, 0 changed, 0 unchanged")
    for warning in WARNINGS:
        expect(page.locator(".plan__warnings", has_text=warning).first).to_be_visible()
    accessible(page)
    assert fits(page)
    page.get_by_label(f"Save {key}_EMPTY").uncheck()
    address = page.url

    with neighbour.failing("M6", status=500, message="Failed to create project's secrets"):
        page.get_by_role("button", name="Save 12 secrets").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Outcome unknown: 0 of 12 changes found")
    expect(page.locator("main")).to_contain_text("Failed to create project's secrets")
    accessible(page)
    assert fits(page)
    page.goto(HOME)
    page.get_by_role("link", name="Check outcome").first.click()
    # Half a minute after an error of the service itself, the old state is proof.
    while not page.get_by_role("button", name="Review again").count():
        page.wait_for_timeout(1000)
        page.reload()
    page.get_by_role("button", name="Review again").click()
    assert page.url == address
    page.get_by_role("button", name="Save 13 secrets").click()
    page.locator("#notices").get_by_role("link", name="Details").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Saved 13 secrets")
    expect(page.locator("main")).to_contain_text("Verified: all saved as entered.")
    page.goto(HOME)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Saved 13 secrets")


def test_a_file_becomes_rows_that_are_edited_and_saved(open_page: NewPage, console: Console, tmp_path: Path) -> None:
    page = open_page(viewport={"width": 1440, "height": 900})
    key = f"ROWS_{uuid4().hex[:8].upper()}"
    page.goto(f"{HOME}draft/")
    (tmp_path / ".env").write_text(env(key))
    drop(page, tmp_path / ".env")
    expect(page.get_by_label("Paste .env lines or JSON")).to_have_value(env(key))
    (tmp_path / "more.json").write_text(
        f'[{{"name": "{key}_JSON", "value": "from json"}}, {{"name": "SUPABASE_{key}", "value": "x"}}]'
    )
    drop(page, tmp_path / "more.json")
    expect(page.locator("#draft-findings")).to_contain_text("reserved for the platform")
    page.get_by_role("button", name="Edit as rows").click()
    expect(page.get_by_label("Name in row 3")).to_have_value(f"{key}_URL")
    assert CANARY not in page.content()
    accessible(page)

    page.get_by_role("button", name="Add row").click()
    page.get_by_label("Name in row 7").fill(f"{key}_NEW")
    page.get_by_label("Value in row 7").fill("typed in a row")
    page.locator("[data-draft-line]").nth(6).get_by_role("button", name="Show").click()
    expect(page.get_by_label("Value in row 7")).to_have_attribute("data-shown", "")
    page.get_by_role("button", name="Remove row 2").click()
    expect(page.get_by_label("Name in row 2")).to_have_value(f"{key}_URL")
    expect(page.locator("#draft-findings")).to_contain_text("Row 4")
    page.get_by_role("link", name="Row 4").click()
    page.get_by_role("button", name="Remove row 4").click()
    expect(page.locator("#draft-findings")).not_to_contain_text("reserved for the platform")
    review(page)
    expect(page.locator("#review-title")).to_have_text("4 new, 0 changed, 0 unchanged")
    page.get_by_role("link", name="Edit draft").click()
    expect(page.get_by_label("Name in row 4")).to_have_value(f"{key}_NEW")
    review(page)
    page.get_by_role("button", name="Save 4 secrets").click()
    expect(page.locator("#notices")).to_contain_text("Saved 4 secrets.")


def test_what_changed_on_the_day_before_reads_yesterday_and_the_time(open_page: NewPage) -> None:
    page = open_page(timezone_id="Europe/Berlin")
    page.goto("/projects/ktmvqhzwrbnxpgaydcle/secrets/")
    changed = page.locator("td[data-label=Changed] time").first
    at = datetime.fromisoformat(changed.get_attribute("datetime") or "")
    page.clock.set_fixed_time(at + timedelta(days=1))
    page.reload()
    expect(changed).to_have_text(f"yesterday {at.astimezone(ZoneInfo('Europe/Berlin')):%H:%M}")


def test_a_finding_leads_to_its_line_and_a_field_that_was_made_larger_stays_so_while_it_is_checked(page: Page) -> None:
    page.goto(f"{HOME}draft/")
    field = page.get_by_label("Paste .env lines or JSON")
    field.evaluate("field => { field.style.height = '700px' }")
    field.fill("A=1\nSUPABASE_X=2\nB=3")
    page.get_by_role("link", name="Line 2").click()
    expect(field).to_be_focused()
    assert page.evaluate("getSelection().toString()") == "SUPABASE_X=2"
    page.keyboard.press("Delete")
    expect(page.locator("#draft-findings")).to_contain_text("2 secrets found")
    assert field.evaluate("field => field.style.height") == "700px"


def test_a_deletion_is_ticked_and_typed(open_page: NewPage, neighbour: Neighbour, console: Console) -> None:
    page = open_page(viewport={"width": 1024, "height": 768}, color_scheme="dark")
    console.expect(422, "/secrets/review/[0-9a-f-]+/")
    key = f"GONE_{uuid4().hex[:8].upper()}"
    neighbour.secret(REF, key)
    page.goto(f"{HOME}draft/")
    page.get_by_label("Paste .env lines or JSON").fill(f"KEPT_{key}=1")
    review(page)
    page.locator("summary").filter(has_text="Tick any to delete").click()
    expect(page.get_by_label(f"Delete {key}")).not_to_be_checked()
    page.get_by_label(f"Delete {key}").check()
    accessible(page)
    page.get_by_role("button", name="Save 1 secret, delete 1").click()
    expect(page.locator("main")).to_contain_text("Type marlowe-lab to continue")
    page.get_by_label("To delete them").fill("marlowe-lab")
    page.get_by_role("button", name="Save 1 secret").click()
    expect(page.locator("#notices")).to_contain_text("1 saved, 1 deleted.")
    page.goto(HOME)
    expect(page.locator("#secret-list")).not_to_contain_text(f"Delete {key}")


def test_two_projects_are_compared(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto(f"{HOME}comparison/")
    accessible(page)
    page.get_by_label("Other project").select_option(index=1)
    expect(page.locator("#comparison .listing__foot")).to_contain_text("only here")
    accessible(page)
    assert fits(page)


def test_a_value_is_replaced_on_its_row_without_leaving_the_list(page: Page, neighbour: Neighbour) -> None:
    name = f"ROW_{uuid4().hex[:8].upper()}"
    neighbour.secret(REF, name)
    page.goto(f"{HOME}?q={name}")
    page.get_by_role("link", name=f"Replace the value of {name}").click()
    field = page.get_by_label(f"New value of {name}")
    expect(field).to_be_focused()
    accessible(page)
    page.get_by_role("button", name="Cancel").or_(page.get_by_role("link", name="Cancel")).click()
    expect(page.get_by_role("button", name=f"Show the digest of {name}")).to_be_focused()
    page.get_by_role("link", name=f"Replace the value of {name}").click()
    field.fill(CANARY)
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^(Review [\\d,]+|No) changes?$"))
    expect(page.locator("main")).to_contain_text("Replaces a value")
    assert CANARY not in page.content()
    page.get_by_role("button", name="Save 1 secret").click()
    expect(page.locator("#notices")).to_contain_text("Saved 1 secret.")


def test_a_value_that_was_typed_once_is_saved_after_a_refusal(page: Page, console: Console) -> None:
    console.expect(422, f"{HOME}new/")
    name = f"TYPED_{uuid4().hex[:8].upper()}"
    page.goto(HOME)
    page.get_by_role("link", name="Add secret").first.click()
    form = page.locator("form", has=page.get_by_label("Name", exact=True))
    form.get_by_label("Name", exact=True).fill("SUPABASE_X")
    form.get_by_label("Value").fill(CANARY)
    form.get_by_role("button", name="Save secret").click()
    expect(form).to_contain_text("reserved for the platform")
    expect(form).to_contain_text("The value you typed is kept. Leave this empty to use it.")
    expect(form.get_by_label("Value")).to_have_value("")
    form.get_by_label("Name", exact=True).fill(name)
    form.get_by_role("button", name="Save secret").click()
    expect(page.locator("main")).to_contain_text(name)
    expect(page.get_by_text(f"Secret {name} added.")).to_be_visible()


def test_a_value_that_is_refused_itself_stays_in_the_dialog_to_be_corrected(page: Page, console: Console) -> None:
    console.expect(422, f"{HOME}new/")
    page.goto(HOME)
    page.get_by_role("link", name="Add secret").first.click()
    value = page.locator("#dialog").get_by_label("Value")
    value.fill("x" * 24_577)
    page.locator("#dialog").get_by_role("button", name="Save secret").click()
    expect(page.locator("#dialog")).to_contain_text("at most 24,576 characters; this one has 24,577")
    expect(value).to_have_value("x" * 24_577)


def test_a_deletion_that_failed_is_not_told_as_a_fact_in_its_dialog(page: Page, console: Console, neighbour: Neighbour) -> None:
    console.expect(422, f"{HOME}delete/")
    name = f"STAYS_{uuid4().hex[:8].upper()}"
    neighbour.secret(REF, name)
    page.goto(f"{HOME}?q={name}")
    page.get_by_role("link", name=f"Delete {name}").click()
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text("The value can't be restored.")
    expect(dialog.get_by_text("If you try again:")).to_be_hidden()
    dialog.get_by_role("textbox").fill(name)
    with neighbour.failing("M7", status=401):
        dialog.get_by_role("button", name=f"Delete {name}").click()
        expect(dialog.locator("#dialog-alert")).to_contain_text("Your management token was refused")
    expect(dialog.get_by_text("If you try again:")).to_be_visible()
    accessible(page)


def test_on_a_phone_the_actions_of_a_row_cover_no_words(open_page: NewPage) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto("/projects/ktmvqhzwrbnxpgaydcle/secrets/")
    expect(page.locator("#secret-list tbody tr").first).to_be_visible()
    covered = page.evaluate("""() => [...document.querySelectorAll("#secret-list tbody tr")].filter((row) => {
      const left = row.querySelector(".entry__actions").getBoundingClientRect().left;
      return [...row.querySelectorAll("code, td:not(.table__end)")].some((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return range.getBoundingClientRect().right > left;
      });
    }).length""")
    assert covered == 0
