"""Every action on a list of objects ends in the same state, by mouse and by keyboard."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect

from tests.browser.neighbour import Neighbour
from tests.browser.steps import COUNT, QUIET
from tests.plugins.exhaustive import Part, in_parts

STATE = """
() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const texts = (selector) => shown(selector).map((one) => one.textContent.trim());
  return {
    address: location.pathname + location.search,
    path: texts("[data-steps] li"),
    rows: texts("[data-rows] tbody th a"),
    sorted: [...document.querySelectorAll("[data-rows] [aria-sort]")].map((one) => one.ariaSort),
    isGrid: Boolean(document.querySelector(".objects__table--grid")),
    filter: document.querySelector("[data-search]")?.value,
    boxes: [...document.querySelectorAll("[data-rows] tbody input:checked")].map((one) => one.value),
    selected: texts("[data-selected]"),
    dialog: texts("dialog[open] h2"),
    menu: texts(":popover-open [data-row-name]"),
    details: texts("#objects-details h2"),
    pathTyped: document.querySelector("[data-path-box]")?.open,
  };
}
"""
State = dict[str, object]
Way = Callable[[Page], None]


def click(name: str, role: str = "link") -> Way:
    """Click what has this name."""
    return lambda page: page.get_by_role(role, name=name, exact=True).first.click()  # type: ignore[arg-type] # a role of ARIA


def press(*keys: str) -> Way:
    """Press keys, one after the other."""

    def pressed(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return pressed


def press_on(name: str, key: str, role: str = "link") -> Way:
    """Press a key on what has this name, as after Tab."""
    return lambda page: page.get_by_role(role, name=name, exact=True).first.press(key)  # type: ignore[arg-type] # a role of ARIA


def tick(*names: str) -> Way:
    """Click the boxes of these rows, the second with Shift."""

    def ticked(page: Page) -> None:
        page.get_by_label(f"Select {names[0]}", exact=True).click()
        for name in names[1:]:
            page.get_by_label(f"Select {name}", exact=True).click(modifiers=["Shift"])

    return ticked


def in_turn(*ways: Way) -> Way:
    def done(page: Page) -> None:
        for way in ways:
            way(page)

    return done


def choose(name: str, entry: str) -> Way:
    """Click an entry of a row's menu."""
    return in_turn(
        click(f"Actions {name}", "button"),
        lambda page: page.locator("#row-menu").get_by_role("button", name=entry, exact=True).click(),
    )


def in_bar(name: str) -> Way:
    return lambda page: page.locator(".selection").get_by_role("button", name=name, exact=True).click()


def type_filter(text: str) -> Way:
    """Type into the filter, which is sent a moment after the last key."""

    def typed(page: Page) -> None:
        with page.expect_response(lambda answer: answer.request.resource_type == "xhr"):
            page.locator("[data-search]").fill(text)

    return typed


@dataclass(frozen=True, slots=True)
class Action:
    """Ways to do the same thing, from the same state."""

    name: str
    ways: Mapping[str, Way]
    query: str = ""
    before: list[Way] = field(default_factory=list)


# The first press of an arrow key goes to the first row: the folder. The second is a.txt.
A_TXT = press("ArrowDown", "ArrowDown")
ACTIONS = [
    Action("open a folder", {"mouse": click("deep"), "keyboard": press("ArrowDown", "Enter"), "menu": choose("deep", "Open")}),
    Action("open details", {"mouse": click("a.txt"), "keyboard": in_turn(A_TXT, press("Enter"))}),
    Action(
        "go up",
        {"mouse": lambda page: page.locator("[data-steps] a").last.click(), "keyboard": press("Backspace")},
        "?path=deep%2F",
    ),
    Action("select a row", {"mouse": tick("a.txt"), "keyboard": in_turn(A_TXT, press("Space"))}),
    Action(
        "select a range",
        {
            "mouse": tick("a.txt", "c.txt"),
            "Shift and arrows": in_turn(A_TXT, press("Shift+ArrowDown", "Shift+ArrowDown")),
            "Shift and Space": in_turn(A_TXT, press("Space", "ArrowDown", "ArrowDown", "Shift+Space")),
        },
    ),
    Action(
        "select all",
        {
            "mouse": click("Select all shown", "checkbox"),
            "Space": press_on("Select all shown", "Space", "checkbox"),
            "keyboard": in_turn(A_TXT, press("Control+a")),
        },
    ),
    Action(
        "untick one of all",
        {"mouse": tick("b.txt"), "keyboard": in_turn(press("Home"), press("ArrowDown", "ArrowDown", "Space"))},
        before=[click("Select all shown", "checkbox")],
    ),
    Action("clear", {"mouse": in_bar("Clear"), "keyboard": press("Escape")}, before=[tick("a.txt")]),
    Action(
        "sort the other way", {"mouse": lambda page: _head(page).click(), "keyboard": lambda page: _head(page).press("Enter")}
    ),
    Action("filter", {"typing": type_filter("b.t"), "keyboard": press("/", "b", ".", "t", "Enter")}),
    Action("clear the filter", {"typing": type_filter(""), "keyboard": press("Escape")}, "?search=b.t"),
    Action("show as grid", {"mouse": click("Show as grid"), "keyboard": press_on("Show as grid", "Enter")}),
    Action("open a row's menu", {"mouse": click("Actions a.txt", "button"), "keyboard": in_turn(A_TXT, press("."))}),
    Action("rename", {"mouse": choose("a.txt", "Rename"), "keyboard": in_turn(A_TXT, press("F2"))}),
    Action("move", {"mouse": choose("a.txt", "Move"), "keyboard": in_turn(A_TXT, press("m"))}),
    Action("copy", {"mouse": choose("a.txt", "Copy"), "keyboard": in_turn(A_TXT, press("c"))}),
    Action("delete", {"mouse": choose("a.txt", "Delete"), "keyboard": in_turn(A_TXT, press("Delete"))}),
    Action("move the selection", {"mouse": in_bar("Move"), "keyboard": press("m")}, before=[tick("a.txt", "b.txt")]),
    Action("copy the selection", {"mouse": in_bar("Copy"), "keyboard": press("c")}, before=[tick("a.txt", "b.txt")]),
    Action("delete the selection", {"mouse": in_bar("Delete"), "keyboard": press("Delete")}, before=[tick("a.txt", "b.txt")]),
    Action("go to a path", {"mouse": lambda page: page.locator("[data-path-box] summary").click(), "keyboard": press("p")}),
]


def _head(page: Page) -> Locator:
    return page.locator("[data-rows] thead a").first


@in_parts
def test_every_action_on_objects_ends_in_the_same_state_by_mouse_and_keyboard(
    page: Page, bucket: str, neighbour: Neighbour, part: Part
) -> None:
    neighbour.fill(bucket, "deep", ["inner.txt"], size=1)
    for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
        neighbour.put(bucket, name, b"text")
    page.add_init_script(COUNT)
    page.goto(bucket)
    differing, idle = list[str](), list[str]()
    for action in part.of(ACTIONS):
        ends = dict[str, State]()
        for way, act in action.ways.items():
            start = _begin(page, bucket, action)
            act(page)
            ends[way] = _end(page, start)
            if ends[way] == start:
                idle.append(f"{action.name} by {way}")
        for member in ends[way]:
            told = {way: str(end[member]) for way, end in ends.items()}
            if len(set(told.values())) > 1:
                differing.append(f"{action.name}: {member}: {told}")
    assert idle == []
    assert not differing, "\n".join(differing)


def _begin(page: Page, bucket: str, action: Action) -> State:
    """Open the list with nothing selected, and do what comes before the action."""
    page.evaluate("() => sessionStorage.clear()")
    page.goto(f"{bucket}{action.query}")
    expect(page.locator("[data-rows] [data-stop]")).to_have_count(1)
    for act in action.before:
        act(page)
    page.wait_for_function(QUIET)
    return _state(page)


def _end(page: Page, start: State) -> State:
    """Wait until the state is another and nothing is under way."""
    before = start
    for _ in range(50):
        page.wait_for_timeout(100)
        page.wait_for_function(QUIET)
        now = _state(page)
        if now == before != start:
            return now
        before = now
    return before


def _state(page: Page) -> State:
    state: State = page.evaluate(STATE)
    return state
