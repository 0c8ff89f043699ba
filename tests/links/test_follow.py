"""What moves, deletions and lists learn of links."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.links.follow import carry, dying_ids, emptied
from dashboard.links.ledger import counts, of_object
from dashboard.links.lifecycle import Terms, make, revoke
from dashboard.links.models import RawLink, Share
from dashboard.links.signed import note_raw
from dashboard.links.states import State
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace

SPACE, BUCKET = "space", "bucket"


def share(person: Person, *keys: str, folders: tuple[str, ...] = (), bucket: str = BUCKET, days: int = 7) -> Share:
    terms = Terms(ends_at=timezone.now() + timedelta(days=days))
    return make(person, SPACE, bucket, keys=keys, folders=folders, terms=terms)[0]


def places(link: Share) -> list[tuple[str, str]]:
    return list(link.targets.values_list("bucket", "key"))


def test_links_follow_a_move_and_a_rename(owner: Person) -> None:
    link, other = share(owner, "a.txt", "b.txt"), share(owner, "A.txt")
    assert carry(SPACE, BUCKET, {"a.txt": "dir/a2.txt", "c.txt": "d.txt"}) == 1
    assert places(link) == [(BUCKET, "dir/a2.txt"), (BUCKET, "b.txt")]
    assert places(other) == [(BUCKET, "A.txt")]
    assert carry(SPACE, BUCKET, {"dir/a2.txt": "a3.txt"}, destination_bucket="elsewhere") == 1
    assert places(link) == [("elsewhere", "a3.txt"), (BUCKET, "b.txt")]
    assert carry("other space", BUCKET, {"b.txt": "x"}) == 0


def test_names_that_change_places_do_so(owner: Person) -> None:
    first, second = share(owner, "a"), share(owner, "b")
    assert carry(SPACE, BUCKET, {"a": "b", "b": "a"}) == 2
    assert (places(first), places(second)) == ([(BUCKET, "b")], [(BUCKET, "a")])


def test_a_folder_takes_along_what_is_below_it(owner: Person) -> None:
    folder, inner, beside = share(owner, folders=("in/",)), share(owner, "in/deep/a.txt"), share(owner, "IN/a.txt", "in-2/a.txt")
    assert carry(SPACE, BUCKET, {"in/": "out/of/"}) == 2
    assert places(folder) == [(BUCKET, "out/of/")]
    assert places(inner) == [(BUCKET, "out/of/deep/a.txt")]
    assert places(beside) == [(BUCKET, "IN/a.txt"), (BUCKET, "in-2/a.txt")]


def test_an_object_of_a_moved_folder_is_carried_once(owner: Person) -> None:
    link = share(owner, "in/a.txt")
    assert carry(SPACE, BUCKET, {"in/a.txt": "out/renamed.txt", "in/": "out/"}) == 1
    assert places(link) == [(BUCKET, "out/renamed.txt")]


def test_thousands_of_names_are_carried(owner: Person) -> None:
    link = share(owner, *(f"{number}.txt" for number in range(1000)))
    assert carry(SPACE, BUCKET, {f"{number}.txt": f"d/{number}.txt" for number in range(5000)}) == 1000
    assert {key[:2] for _, key in places(link)} == {"d/"}


def test_a_deletion_learns_which_live_links_die(owner: Person) -> None:
    share(owner, "a.txt")
    share(owner, "a.txt", "in/b.txt")
    share(owner, folders=("in/",))
    share(owner, "a.txt", days=-1)
    ended = share(owner, "a.txt")
    revoke(owner, Share.objects.filter(pk=ended.pk))
    assert len(dying_ids(SPACE, BUCKET, keys=["a.txt"])) == 2
    assert len(dying_ids(SPACE, BUCKET, keys=["in/b.txt"])) == 1
    assert len(dying_ids(SPACE, BUCKET, folders=["in/"])) == 2
    assert len(dying_ids(SPACE, BUCKET, folders=[""])) == 3
    assert len(dying_ids(SPACE, BUCKET)) == 0
    assert len(dying_ids(SPACE, "another", keys=["a.txt"])) == 0


def test_an_emptied_bucket_leaves_its_links_leading_to_nothing(owner: Person) -> None:
    one, all_of_it = share(owner, "a.txt"), share(owner, folders=("",))
    elsewhere, ended = share(owner, "a.txt", bucket="another"), share(owner, "a.txt", days=-1)
    both = share(owner, "a.txt", "b.txt")
    carry(SPACE, BUCKET, {"b.txt": "b.txt"}, destination_bucket="another")
    emptied(SPACE, BUCKET)
    states = [Share.objects.get(pk=link.pk).state for link in (one, all_of_it, elsewhere, ended, both)]
    assert states == [State.GONE, State.GONE, State.LIVE, State.EXPIRED, State.LIVE]


def test_live_links_are_counted_per_bucket(owner: Person) -> None:
    share(owner, "a.txt", "b.txt")
    share(owner, "a.txt", bucket="two")
    share(owner, "a.txt", bucket="two", days=-1)
    assert counts(SPACE, [BUCKET, "two", "none"]) == {BUCKET: 1, "two": 1, "none": 0}


def test_an_object_knows_its_links_also_those_of_a_folder_above(owner: Person, ada: Person) -> None:
    direct, whole = share(owner, "in/deep/a.txt", days=2), share(owner, folders=("in/",), days=3)
    share(owner, "in/deep/b.txt")
    share(ada, "in/deep/a.txt", days=1)
    share(owner, folders=("in/deep/a.txt/",))
    found = of_object(Workspace(owner), SPACE, BUCKET, "in/deep/a.txt")
    assert [row.share.pk for row in found][1:] == [direct.pk, whole.pk]
    assert (str(found[0].share.owner), found[0].is_mine) == ("Ada Member", False)
    assert [str(row.share.owner) for row in of_object(Workspace(ada), SPACE, BUCKET, "in/deep/a.txt")] == ["Ada Member"]
    assert of_object(Workspace(owner), SPACE, "another", "in/deep/a.txt") == []


def test_raw_links_are_noted_without_the_links(owner: Person) -> None:
    until = timezone.now() + timedelta(hours=1)
    note_raw(Workspace(owner), SPACE, BUCKET, ["a.txt", "b.txt"], until)
    note_raw(Workspace(owner), SPACE, BUCKET, [], until)
    noted = RawLink.objects.get()
    assert (noted.person, noted.count, noted.keys, noted.ends_at) == (owner, 2, ["a.txt", "b.txt"], until)


@pytest.mark.parametrize("key", ["x" * 1024, "ключ/文件.txt", "a\\b%c_d"])
def test_any_key_is_found_again(owner: Person, key: str) -> None:
    link = share(owner, key)
    assert carry(SPACE, BUCKET, {key: "plain"}) == 1
    assert places(link) == [(BUCKET, "plain")]
