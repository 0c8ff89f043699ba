"""M9 … M14: functions in both forms."""

import socket

import pytest

from tests.sandbox.conftest import TRACKING, Caller, message

SOURCE = {"slug": "hello-world", "name": "Hello World", "body": "Deno.serve(() => new Response('Hello'))", "verify_jwt": False}
BUNDLE = {"Content-Type": "application/vnd.denoland.eszip"}


def test_functions_are_listed_in_every_state(owner: Caller) -> None:
    functions = owner.project("GET", TRACKING, "/functions").json()
    assert {function["status"] for function in functions} == {"ACTIVE", "REMOVED", "THROTTLED"}
    (one,) = (function for function in functions if function["slug"] == "notify-recipient")
    assert one["updated_at"] > one["created_at"] > 1_600_000_000_000
    assert owner.project("GET", TRACKING, "/functions/notify-recipient").json() == one


def test_source_text_goes_in_and_comes_out(owner: Caller) -> None:
    ref = owner.new_project()
    made = owner.project("POST", ref, "/functions", json=SOURCE)
    assert made.status_code == 201
    assert {name: made.json()[name] for name in ("slug", "name", "status", "version", "verify_jwt", "import_map")} == {
        "slug": "hello-world",
        "name": "Hello World",
        "status": "ACTIVE",
        "version": 1,
        "verify_jwt": False,
        "import_map": False,
    }
    body = owner.project("GET", ref, "/functions/hello-world/body")
    assert body.text == SOURCE["body"]
    assert "sandbox" in body.headers["Content-Security-Policy"]


def test_a_bundle_keeps_its_bytes_and_the_query_says_the_rest(owner: Caller) -> None:
    ref = owner.new_project()
    bundle = b"ESZIP2.3" + bytes(range(256)) * 40
    path = "/functions?slug=shrink&name=Shrink%20it&verify_jwt=false&import_map=true"
    made = owner.project("POST", ref, path, data=bundle, headers=BUNDLE)
    assert made.status_code == 201
    assert (made.json()["name"], made.json()["verify_jwt"], made.json()["import_map"]) == ("Shrink it", False, True)
    assert owner.project("GET", ref, "/functions/shrink/body").content == bundle
    changed = owner.project("PATCH", ref, "/functions/shrink?verify_jwt=true", data=b"EZBR" + bundle, headers=BUNDLE)
    assert (changed.status_code, changed.json()["version"], changed.json()["verify_jwt"]) == (200, 2, True)
    assert owner.project("GET", ref, "/functions/shrink/body").content == b"EZBR" + bundle


def test_who_accepts_a_form_gets_the_source_files(owner: Caller) -> None:
    ref = owner.new_project()
    owner.project("POST", ref, "/functions", json=SOURCE)
    body = owner.project("GET", ref, "/functions/hello-world/body", headers={"Accept": "multipart/form-data"})
    kind, _, boundary = body.headers["Content-Type"].partition("; boundary=")
    assert kind == "multipart/form-data"
    assert body.text.split(f"--{boundary}")[1:] == [
        '\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"deno2_entrypoint_path": "source/index.ts"}\r\n',
        f'\r\nContent-Disposition: form-data; name="file"; filename="source/index.ts"\r\n\r\n{SOURCE["body"]}\r\n',
        "--\r\n",
    ]
    owner.project("PATCH", ref, "/functions/hello-world", data=b"ESZIP2.3 packed", headers=BUNDLE)
    packed = owner.project("GET", ref, "/functions/hello-world/body", headers={"Accept": "multipart/form-data"})
    assert packed.content == b"ESZIP2.3 packed"


def test_a_change_raises_version_and_time_and_leaves_the_slug(owner: Caller) -> None:
    ref = owner.new_project()
    made = owner.project("POST", ref, "/functions", json=SOURCE).json()
    changed = owner.project("PATCH", ref, "/functions/hello-world", json={"name": "Hallo", "slug": "other"}).json()
    assert (changed["name"], changed["slug"], changed["version"], changed["id"]) == ("Hallo", "hello-world", 2, made["id"])
    assert changed["updated_at"] > made["updated_at"]
    assert owner.project("PATCH", ref, "/functions/hello-world", json={}).json()["version"] == 2


def test_a_flag_may_stand_in_the_query_of_either_form(owner: Caller) -> None:
    ref = owner.new_project()
    made = owner.project("POST", ref, "/functions?import_map=true&verify_jwt=true", json=SOURCE).json()
    assert (made["import_map"], made["verify_jwt"]) == (True, False)
    changed = owner.project("PATCH", ref, "/functions/hello-world?import_map=false", json={"verify_jwt": True}).json()
    assert (changed["import_map"], changed["verify_jwt"]) == (False, True)


def test_flags_that_stay_are_lost_without_a_word(owner: Caller) -> None:
    ref = owner.new_project()
    owner("POST", "/_faults", json={"operation": "M9", "stay": True})
    assert owner.project("POST", ref, "/functions", json=SOURCE).json()["verify_jwt"] is True
    owner("POST", "/_faults", json={"operation": "M12", "stay": True})
    changed = owner.project("PATCH", ref, "/functions/hello-world", json={"verify_jwt": False, "name": "New"}).json()
    assert (changed["verify_jwt"], changed["name"], changed["version"]) == (True, "New", 2)


def test_a_deleted_function_is_gone(owner: Caller) -> None:
    ref = owner.new_project()
    owner.project("POST", ref, "/functions", json=SOURCE)
    assert owner.project("DELETE", ref, "/functions/hello-world").json() == {"message": "ok"}
    for method, path in (("GET", ""), ("DELETE", ""), ("PATCH", ""), ("GET", "/body")):
        assert message(owner.project(method, ref, f"/functions/hello-world{path}")) == (404, "Function not found")
    assert owner.project("POST", ref, "/functions", json=SOURCE).status_code == 201


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"slug": "1st"}, "slug: Invalid Function name. Must start with at least one letter"),
        ({"slug": "a.b"}, "slug: Invalid Function name."),
        ({"slug": None}, "slug: Expected string, received null"),
        ({"verify_jwt": "yes"}, "verify_jwt: Expected boolean, received string"),
        ({"body": 5}, "body: Expected string, received number"),
        ({"body": "x" * (5 * 1024 * 1024 + 1)}, "Function source code exceeds the maximum deployment size"),
    ],
)
def test_a_wrong_function_is_refused(owner: Caller, change: dict[str, object], text: str) -> None:
    status, said = message(owner.project("POST", TRACKING, "/functions", json=SOURCE | change))
    assert status == 400
    assert said.startswith(text)


def test_a_slug_is_taken_once(owner: Caller) -> None:
    ref = owner.new_project()
    owner.project("POST", ref, "/functions", json=SOURCE)
    assert message(owner.project("POST", ref, "/functions", json=SOURCE)) == (400, "Duplicated function slug")


def test_bundles_have_a_largest_size_and_need_a_slug(owner: Caller) -> None:
    ref = owner.new_project()
    large = owner.project("POST", ref, "/functions?slug=large", data=bytes(20 * 1024 * 1024 + 1), headers=BUNDLE)
    assert message(large) == (400, "The function size exceeds the allowable limit")
    assert message(owner.project("POST", ref, "/functions", data=b"ESZIP2.3", headers=BUNDLE)) == (400, "slug: Required")
    assert owner.project("POST", ref, "/functions?slug=a", data=b"x", headers={"Content-Type": "text/plain"}).status_code == 415


def test_the_hundred_and_first_function_needs_another_plan(owner: Caller) -> None:
    ref = owner.new_project()
    for number in range(100):
        assert owner.project("POST", ref, "/functions", json=SOURCE | {"slug": f"f{number}"}).status_code == 201
    answer = owner.project("POST", ref, "/functions", json=SOURCE)
    assert message(answer) == (402, "Maximum number of functions reached for Plan")


def test_a_bundle_that_ends_early_is_not_kept(owner: Caller) -> None:
    ref = owner.new_project()
    host, port = owner.sandbox.management_url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        head = f"POST /v1/projects/{ref}/functions?slug=cut HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {owner.token}\r\n"
        connection.sendall(f"{head}Content-Type: {BUNDLE['Content-Type']}\r\nContent-Length: 1000\r\n\r\nESZIP2.3".encode())
        connection.shutdown(socket.SHUT_WR)
        assert b" 400 " in connection.recv(1000)
    assert owner.project("GET", ref, "/functions").json() == []


def test_a_bundle_may_come_in_chunks(owner: Caller) -> None:
    ref = owner.new_project()
    made = owner.project("POST", ref, "/functions?slug=chunks", data=iter([b"ESZIP2.3", bytes(5000)]), headers=BUNDLE)
    assert made.status_code == 201
    assert owner.project("GET", ref, "/functions/chunks/body").content == b"ESZIP2.3" + bytes(5000)
