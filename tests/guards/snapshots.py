"""Guards of snapshots: what is kept, who sees it, and what is checked before anything is written."""

from tests.guards.guard import Guard

TRASH = "tests/snapshots/test_trash.py::"

GUARDS = (
    Guard(
        "dashboard/features/objects/services/delete.py",
        "sent = _delete(workspace, space, bucket, kept.keys) if kept.keys",
        "sent = _delete(workspace, space, bucket, keys) if kept.keys",
        f"{TRASH}test_what_can_not_be_kept_is_not_deleted_and_says_why",
    ),
    Guard(
        "dashboard/features/objects/services/delete.py",
        "    if key not in kept.keys:\n",
        "    if False:\n",
        f"{TRASH}test_a_full_store_deletes_nothing",
    ),
    Guard(
        "dashboard/features/bulk/tasks/delete.py",
        "return [row for row in some if key_of(row) in kept.keys]",
        "return some",
        f"{TRASH}test_a_job_tells_for_each_file_why_it_was_not_deleted",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "if not _is_same(entry, now.get(key))}",
        "if False}",
        f"{TRASH}test_what_changes_while_it_is_kept_is_not_deleted",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "if kept.head is None or capture.store().generation() == generation:",
        "if True:",
        f"{TRASH}test_chunks_that_are_removed_meanwhile_are_kept_again",
    ),
    Guard(
        "dashboard/snapshots/collect.py",
        "    if store().heads() != heads:\n",
        "    if False:\n",
        f"{TRASH}test_a_deletion_kept_while_chunks_are_removed_is_left_whole",
    ),
    Guard(
        "dashboard/snapshots/schedule.py",
        'if head.token in kept["tokens"] and not head.is_trash]',
        'if head.token in kept["tokens"]]',
        f"{TRASH}test_a_schedule_of_snapshots_leaves_the_trash_alone",
    ),
    Guard(
        "dashboard/snapshots/store.py",
        "if sha256(data).hexdigest() != name:",
        "if False:",
        "tests/snapshots/test_store.py::test_a_missing_and_a_damaged_chunk_are_found",
    ),
    Guard(
        "dashboard/snapshots/store.py",
        "if mark != installation:",
        "if False:",
        "tests/snapshots/test_store.py::test_only_the_first_installation_may_write",
    ),
    Guard(
        "dashboard/snapshots/export.py",
        "if any(folder.iterdir()):",
        "if False:",
        "tests/launch/test_snapshots.py::test_it_writes_into_no_folder_that_holds_something",
    ),
    Guard(
        "dashboard/snapshots/capture.py",
        "    if workspace.grant_at(Kind.STORAGE, space):\n        raise Stopped",
        "    if False:\n        raise Stopped",
        "tests/snapshots/test_pages.py::test_a_grantee_neither_sees_nor_takes_snapshots",
    ),
    Guard(
        "dashboard/snapshots/capture.py",
        "    require_room(batch.facts",
        "    (lambda size: None)(batch.facts",
        "tests/snapshots/test_capture.py::test_limits_are_checked_before_anything_is_written",
    ),
    Guard(
        "dashboard/snapshots/capture.py",
        "    if leases.claim(workspace, *STORE_LEASE,",
        "    if not leases.claim(workspace, *STORE_LEASE,",
        "tests/snapshots/test_capture.py::test_one_job_at_a_time_uses_the_store",
    ),
    Guard(
        "dashboard/snapshots/capture.py",
        '    if batch.cursor.get("generation") == generation:',
        '    if "generation" in batch.cursor:',
        "tests/snapshots/test_collect.py::test_a_snapshot_that_was_interrupted_is_whole_though_its_chunks_were_removed",
    ),
    Guard(
        "dashboard/snapshots/capture.py",
        "    hold(workspace, batch, seconds=CALL_SECONDS)\n",
        "",
        "tests/snapshots/test_collect.py::test_nobody_gets_the_store_while_a_head_is_written_or_chunks_are_removed",
    ),
    Guard(
        "dashboard/snapshots/collect.py",
        "        except (Missing, Damaged) as error:",
        "        except ZeroDivisionError as error:",
        "tests/snapshots/test_collect.py::test_nothing_is_removed_while_a_manifest_can_not_be_read",
    ),
    Guard(
        "dashboard/snapshots/collect.py",
        '    if cursor["state"] != _state(heads):',
        "    if False:",
        "tests/snapshots/test_collect.py::test_a_snapshot_that_ends_while_chunks_are_looked_through_keeps_its_own",
    ),
    Guard(
        "dashboard/snapshots/collect.py",
        "                if segment.chunk not in read:",
        "                if segment.chunk not in needed:",
        "tests/snapshots/test_collect.py::test_a_file_with_the_bytes_of_a_manifest_hides_nothing",
    ),
    Guard(
        "dashboard/snapshots/collect.py",
        "    claim()\n",
        "",
        "tests/snapshots/test_collect.py::test_another_installation_removes_nothing",
    ),
    Guard(
        "dashboard/snapshots/collect.py",
        "        if ident in in_use:",
        "        if False:",
        "tests/snapshots/test_restore.py::test_a_snapshot_is_not_deleted_while_a_job_restores_from_it",
    ),
    Guard(
        "dashboard/snapshots/restore.py",
        'if now is None or now.etag != row.parameters["there"]:',
        "if now is None:",
        "tests/snapshots/test_restore.py::test_nothing_is_replaced_that_the_plan_did_not_show",
    ),
    Guard(
        "dashboard/snapshots/restore.py",
        "        if row.conflict and not self.replaces(row):\n            return LEFT",
        "        if False:\n            return LEFT",
        "tests/snapshots/test_restore.py::test_what_is_there_now_stays_unless_replacing_is_chosen",
    ),
    Guard(
        "dashboard/snapshots/restore.py",
        "        return now is not None and md5_of(now.etag) == _md5(entry)",
        "        return now is not None",
        "tests/snapshots/test_restore.py::test_nothing_is_replaced_that_the_plan_did_not_show",
    ),
    Guard(
        "dashboard/snapshots/check.py",
        "    if part.chunks == entry.chunks:",
        "    if True:",
        "tests/snapshots/test_check.py::test_what_changed_or_is_gone_from_the_bucket_is_named",
    ),
    Guard(
        "dashboard/snapshots/check.py",
        "overwrites=True",
        "overwrites=False",
        "tests/snapshots/test_check.py::test_what_is_damaged_cut_or_missing_is_taken_again_from_the_bucket",
    ),
    Guard(
        "dashboard/snapshots/schedule.py",
        "    if not is_own and not sees_all(workspace, space):",
        "    if False:",
        "tests/snapshots/test_schedule.py::test_a_plain_token_changes_no_schedule_of_another",
    ),
    Guard(
        "dashboard/snapshots/schedule.py",
        'for head in own[: -kept["last"]] if head.begun < oldest and',
        "for head in own if head.begun < oldest and",
        "tests/snapshots/test_schedule.py::test_the_last_ones_are_kept_however_old",
    ),
    Guard(
        "dashboard/snapshots/schedule.py",
        "    filled = [head for head in own if head.bytes][-1:]",
        "    filled: list[Head] = []",
        "tests/snapshots/test_schedule.py::test_the_last_snapshot_with_files_is_kept_when_the_bucket_was_emptied",
    ),
    Guard(
        "dashboard/snapshots/schedule.py",
        'own = [head for head in heads if head.token in kept["tokens"] and not head.is_trash]',
        "own = list(heads)",
        "tests/snapshots/test_schedule.py::test_snapshots_of_other_tokens_are_kept",
    ),
    Guard(
        "dashboard/features/snapshots/tasks.py",
        "    require(workspace.person, *schedule.ACTS)\n",
        "",
        "tests/snapshots/test_schedule.py::test_a_lower_role_and_a_store_that_was_switched_off_stop_it",
    ),
    Guard(
        "dashboard/snapshots/manifest.py",
        "    if head.format != FORMAT:",
        "    if False:",
        "tests/snapshots/test_collect.py::test_nothing_is_removed_while_a_manifest_can_not_be_read",
    ),
    Guard(
        "dashboard/snapshots/objects.py",
        "if part.etag and info.etag and info.etag != part.etag:",
        "if False:",
        "tests/snapshots/test_capture.py::test_an_object_that_changes_while_it_is_read_is_read_again",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "    return [head for head in found if head.token == token]",
        "    return found",
        "tests/snapshots/test_pages.py::test_a_plain_token_sees_its_own_snapshots_only",
    ),
)
