"""Guards of restoring with deletion: what a snapshot tells was not there, and what is checked before anything is deleted."""

from tests.guards.guard import Guard

DELETING = "tests/snapshots/test_restore_deleting.py::"
PLAN, RUN = "dashboard/snapshots/restore_plan.py", "dashboard/snapshots/restore.py"
TELLS = f"{DELETING}test_a_snapshot_that_does_not_tell_what_was_not_there_deletes_nothing"
GRANTEE = f"{DELETING}test_a_grantee_deletes_only_in_a_folder_of_theirs_and_only_with_delete"


GUARDS = (
    Guard(
        PLAN,
        "not (selection.folders and selection.only):",
        "not selection.folders:",
        f"{DELETING}test_it_is_not_offered_for_a_selection_nor_elsewhere",
    ),
    Guard(PLAN, "is_told = folder.startswith(head.folder) and not", "is_told = not", TELLS),
    Guard(PLAN, "not (whole.is_trash or whole.unlisted)", "not whole.unlisted", TELLS),
    Guard(PLAN, "not (whole.is_trash or whole.unlisted)", "not whole.is_trash", TELLS),
    Guard(PLAN, "if is_told and holds_some and", "if is_told and", TELLS),
    Guard(PLAN, "and is_held and token == whole.token and", "and is_held and", TELLS),
    Guard(
        PLAN,
        "token == whole.token and sees_all(workspace, head.space)",
        "token == whole.token",
        f"{DELETING}test_a_token_that_may_not_see_every_file_deletes_nothing",
    ),
    Guard(PLAN, "granted.scope.holds_folder(head.bucket, folder) and granted", "granted", GRANTEE),
    Guard(PLAN, 'and granted.scope.allows("upload", "delete"))', "and True)", GRANTEE),
    Guard(
        PLAN,
        "if manifest.get(entry.key) is None]",
        "]",
        f"{DELETING}test_what_was_left_out_of_the_snapshot_is_not_deleted",
    ),
    Guard(
        PLAN,
        "if entry.updated_at and entry.updated_at > head.ended]",
        "]",
        f"{DELETING}test_what_was_stored_before_the_snapshot_was_whole_stays_and_is_told",
    ),
    Guard(
        PLAN,
        'typed=str(extra) if extra else ""',
        'typed=""',
        f"{DELETING}test_what_came_later_is_named_confirmed_kept_and_deleted",
    ),
    Guard(
        RUN,
        "if deletes and (to_space, to_bucket) == (head.space, head.bucket) else None",
        "if deletes else None",
        f"{DELETING}test_it_is_not_offered_for_a_selection_nor_elsewhere",
    ),
    Guard(
        RUN,
        "    if writes.filter(state__in=(ItemState.WAITING, ItemState.IN_FLIGHT)).exists():",
        "    if False:",
        f"{DELETING}test_what_is_in_doubt_is_waited_for_before_anything_is_deleted",
    ),
    Guard(
        RUN,
        "        if failed:\n            batch.failed(row, INCOMPLETE)\n        elif",
        "        if",
        f"{DELETING}test_nothing_is_deleted_while_something_is_not_restored",
    ),
    Guard(
        RUN,
        "elif now and deletions.version_of(now) != row.parameters[DELETES]:",
        "elif False:",
        f"{DELETING}test_what_is_new_or_changed_after_planning_stays_and_is_told",
    ),
    Guard(
        RUN,
        'keeps = bool(batch.facts.get("days"))\n    deletions',
        "keeps = False\n    deletions",
        f"{DELETING}test_what_can_not_be_kept_is_not_deleted",
    ),
)
