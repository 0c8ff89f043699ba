"""Guards of the trash: what is kept before it is deleted or replaced, and how long."""

from tests.guards.guard import Guard

TRASH = "tests/snapshots/test_trash.py::"
EMPTYING = "tests/snapshots/test_trash_emptying.py::"
EXPIRY = "tests/snapshots/test_trash_expiry.py::"
PARTS = "tests/snapshots/test_trash_parts.py::"
SWITCH = "tests/snapshots/test_trash_switch.py::"
UPLOADS = "tests/snapshots/test_trash_uploads.py::"
REFUSED = "tests/snapshots/test_trash_refused.py::"
REPLACING = "tests/snapshots/test_trash_replacing.py::"


GUARDS = (
    Guard(
        "dashboard/snapshots/trash.py",
        "if pk not in in_doubt | done]",
        "if pk not in done]",
        f"{REFUSED}test_what_may_still_be_deleted_stays_in_the_trash",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "and _is_same(entry, now.get(key))]",
        "and entry]",
        f"{REFUSED}test_what_was_replaced_stays_in_the_trash_though_its_item_failed",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "if not keys or head.id in collect.in_use():",
        "if not keys:",
        f"{REFUSED}test_what_is_being_restored_is_not_written_anew_though_the_service_refused",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "        if capture.store().generation() == generation:\n            return new",
        "        if True:\n            return new",
        f"{REFUSED}test_it_stays_if_chunks_are_removed_just_then",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "    except InterfaceError:\n        _take_out_refused(workspace, batch, kept, items)\n        raise",
        "    except InterfaceError:\n        raise",
        f"{REFUSED}test_a_deletion_that_the_service_refuses_leaves_no_row",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "if head and (isinstance(error, Stopped) or effect_of(error) is not Effect.UNKNOWN):",
        "if head:",
        f"{REFUSED}test_one_file_that_may_still_be_deleted_stays_in_the_trash",
    ),
    Guard(
        "dashboard/features/objects/services/delete.py",
        "sent = _delete(workspace, space, bucket, kept) if kept.keys",
        "sent = _delete(workspace, space, bucket, replace(kept, keys=list(keys))) if kept.keys",
        f"{TRASH}test_what_can_not_be_kept_is_not_deleted_and_says_why",
    ),
    Guard(
        "dashboard/jobs/settlement.py",
        "if closed and closed.outcome is not Outcome.DONE and rule.otherwise:",
        "if closed is None and rule.otherwise:",
        f"{REFUSED}test_one_file_that_turns_out_not_to_be_deleted_leaves_the_trash",
    ),
    Guard(
        "dashboard/snapshots/replacements.py",
        "tuple(replace(rule, otherwise=after_refusal) for rule in",
        "tuple(rule for rule in",
        f"{UPLOADS}test_what_turns_out_not_to_be_replaced_leaves_the_trash",
    ),
    Guard(
        "dashboard/features/objects/services/delete.py",
        "    if key not in kept.keys:\n",
        "    if False:\n",
        f"{TRASH}test_a_full_store_deletes_nothing",
    ),
    Guard(
        "dashboard/snapshots/deletions.py",
        "[some[key] for key in kept.keys]",
        "list(some.values())",
        f"{TRASH}test_a_job_tells_for_each_file_why_it_was_not_deleted",
    ),
    Guard(
        "dashboard/features/bulk/tasks/empty.py",
        "bucket, objects, keeps=True)",
        "bucket, objects, keeps=False)",
        f"{EMPTYING}test_what_is_too_large_to_keep_stays_and_so_does_the_bucket",
    ),
    Guard(
        "dashboard/features/bulk/tasks/empty.py",
        "(targets if _keeps(batch) else (ACCEPTED, *targets))",
        "(ACCEPTED, *targets)",
        f"{EMPTYING}test_what_is_new_since_it_was_counted_stays_and_is_told",
    ),
    Guard(
        "dashboard/features/bulk/tasks/empty.py",
        'trash.days_of(space, bucket) if batch.parameters.get("policy") != UNKEPT else 0',
        "0",
        f"{EMPTYING}test_everything_is_kept_before_a_bucket_is_emptied",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "if not IDENT.fullmatch(ident) or ident in collect.in_use():",
        "if not IDENT.fullmatch(ident):",
        f"{PARTS}test_a_snapshot_that_is_being_restored_stays_when_the_deletion_goes_on",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "return head if is_alike and not is_other else None",
        "return head if not is_other else None",
        f"{PARTS}test_parts_of_a_replaced_token_stay_apart",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "return head if is_alike and not is_other else None",
        "return head if is_alike else None",
        f"{PARTS}test_an_object_stored_anew_after_it_was_kept_is_kept_in_both_versions",
    ),
    Guard(
        "dashboard/snapshots/replacements.py",
        "        if self.key not in kept.keys:\n",
        "        if False:\n",
        f"{UPLOADS}test_what_can_not_be_kept_is_not_replaced",
    ),
    Guard(
        "dashboard/snapshots/replacements.py",
        "if self.head and isinstance(error, InterfaceError) and effect_of(error) is not Effect.UNKNOWN:",
        "if False:",
        f"{UPLOADS}test_what_a_refused_upload_would_have_replaced_is_not_kept",
    ),
    Guard(
        "dashboard/snapshots/replacements.py",
        "if self.head and isinstance(error, InterfaceError) and effect_of(error) is not Effect.UNKNOWN:",
        "if self.head and error:",
        f"{UPLOADS}test_it_is_kept_while_nobody_knows_whether_it_was_replaced",
    ),
    Guard(
        "dashboard/snapshots/replacements.py",
        "        if trash.bytes_of(there.values()) > UPLOAD_BYTES:\n",
        "        if False:\n",
        f"{UPLOADS}test_what_can_not_be_kept_is_not_replaced",
    ),
    Guard(
        "dashboard/catalog/uploads.py",
        "kept = (opened(change) if opened else None)",
        "kept = None",
        f"{UPLOADS}test_what_an_upload_replaces_is_kept",
    ),
    Guard(
        "dashboard/features/objects/views/upload.py",
        '    keeps = chosen == "replace" and trash.days_of(space, bucket)\n',
        "    keeps = False\n",
        f"{UPLOADS}test_the_form_without_scripts_keeps_too",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "if replaces and keeps else None",
        "if False else None",
        f"{UPLOADS}test_a_restored_file_keeps_the_one_that_it_replaces",
    ),
    Guard(
        "dashboard/snapshots/restore.py",
        'keeps = executor.policy == REPLACE and bool(batch.facts.get("days"))',
        "keeps = False",
        f"{UPLOADS}test_what_many_restored_files_replace_is_kept",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "    if not IDENT.fullmatch(ident) or",
        "    if not ident or",
        f"{UPLOADS}test_it_is_kept_with_nothing_else",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "is_alike = (head.token,",
        "is_alike = head.token == made.token or (head.token,",
        f"{UPLOADS}test_it_is_kept_with_nothing_else",
    ),
    Guard(
        "dashboard/features/buckets/services/buckets.py",
        "if trash.days() and manages(workspace, space) else None",
        "if trash.days() else None",
        f"{SWITCH}test_a_grantee_does_not_turn_it_off",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "    return 0 if UnkeptBucket.objects.filter(space=space, bucket=bucket).exists() else days()\n",
        "    return days()\n",
        f"{SWITCH}test_it_is_on_until_it_is_turned_off_and_what_is_kept_stays",
    ),
    Guard(
        "dashboard/catalog/writes.py",
        "    UnkeptBucket.objects.filter(space=space, bucket=bucket).delete()\n",
        "",
        f"{SWITCH}test_a_new_bucket_of_the_same_name_begins_with_it_on",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "merged = known | {",
        "merged = {",
        f"{PARTS}test_parts_in_any_order_of_keys_become_one_snapshot",
    ),
    Guard(
        "dashboard/features/bulk/tasks/transfer.py",
        'keeps = executor.policy == REPLACE and bool(batch.facts.get("days"))',
        "keeps = False",
        f"{REPLACING}test_what_is_replaced_is_kept",
    ),
    Guard(
        "dashboard/snapshots/replacements.py",
        "found.keys() - kept.keys:",
        "found.keys() - found.keys():",
        f"{REPLACING}test_what_can_not_be_kept_is_not_replaced",
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
        "dashboard/snapshots/trash.py",
        "        if not collect.is_removing():\n            return generation",
        "        return generation",
        f"{TRASH}test_nothing_is_kept_by_chunks_that_are_being_removed",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "if head.is_trash and head.begun <= oldest and head.id not in used]",
        "if head.begun <= oldest and head.id not in used]",
        f"{EXPIRY}test_what_was_kept_long_enough_is_deleted_for_good",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "if head.is_trash and head.begun <= oldest and head.id not in used]",
        "if head.is_trash and head.id not in used]",
        f"{EXPIRY}test_what_was_kept_on_the_last_day_stays",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "if head.is_trash and head.begun <= oldest and head.id not in used]",
        "if head.is_trash and head.begun <= oldest]",
        f"{EXPIRY}test_what_is_being_restored_is_emptied_later",
    ),
    Guard(
        "dashboard/snapshots/trash.py",
        "    if not capture.is_on() or ((timer",
        "    if ((timer",
        f"{EXPIRY}test_without_a_store_nothing_is_emptied",
    ),
    Guard(
        "dashboard/features/snapshots/tasks.py",
        '    require(workspace.person, "snapshot deleted")\n',
        "",
        f"{EXPIRY}test_the_trash_is_emptied_in_the_name_of_another_owner_once_the_first_has_left",
    ),
    Guard(
        "dashboard/snapshots/collect.py",
        "    if store().heads() != heads:\n        # A deletion was",
        "    if False:\n        # A deletion was",
        f"{TRASH}test_a_deletion_kept_while_chunks_are_removed_is_left_whole",
    ),
    Guard(
        "dashboard/snapshots/schedule.py",
        'if head.token in kept["tokens"] and not head.is_trash]',
        'if head.token in kept["tokens"]]',
        f"{TRASH}test_a_schedule_of_snapshots_leaves_the_trash_alone",
    ),
)
