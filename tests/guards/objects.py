"""Guards of stored objects: nothing is lost, overwritten, or wrongly called deleted."""

from tests.guards.guard import Guard

GUARDS = (
    Guard(
        "dashboard/catalog/leases.py",
        "filter(name=name, expires_at__lt=now).delete()[0]",
        "filter(name=name).delete()[0]",
        "tests/features/objects/test_upload_leases.py::test_a_key_that_is_being_uploaded_in_another_tab_is_not_sent_again",
    ),
    Guard(
        "dashboard/catalog/leases.py",
        "    except UnknownOutcome:\n        raise\n    except BaseException:",
        "    except BaseException:",
        "tests/features/objects/test_upload_leases.py::test_a_key_stays_held_after_an_upload_without_an_answer",
    ),
    Guard(
        "dashboard/catalog/receipts.py",
        "if there.size != sent.size:",
        "if False:",
        "tests/features/objects/test_upload_receipts.py::test_where_no_hash_is_known_size_and_time_of_the_last_change_are_compared",
    ),
    Guard(
        "dashboard/catalog/receipts.py",
        'return "checked" if etag[1] == sent.md5 else "content"',
        'return "checked"',
        "tests/features/objects/test_upload_receipts.py::test_other_bytes_of_the_same_size_are_no_proof_of_an_upload",
    ),
    Guard(
        "dashboard/catalog/receipts.py",
        "if missing and not sees_all(workspace, space):",
        "if False:",
        "tests/features/objects/test_browse_write_only.py::test_an_upload_is_stored_though_the_key_cannot_read_it_back",
    ),
    Guard(
        "dashboard/catalog/receipts.py",
        'if found == "untold" or (found == "checked" and wanted["replaces"] and not sent.md5):',
        'if found == "untold":',
        "tests/features/test_lost_answers.py::test_a_write_of_a_killed_process_that_was_carried_out_is_found_to_be_done",
    ),
    Guard(
        "dashboard/catalog/writes.py",
        "update(**sums, digests=None)",
        "update(**sums)",
        "tests/catalog/test_crawl.py::test_the_index_is_corrected_where_a_write_of_ours_said_something_else",
    ),
    Guard(
        "dashboard/catalog/crawl.py",
        "mark(catalog, page.listing.keys)) == len(page.listing.keys)",
        "mark(catalog, page.listing.keys)) >= 0",
        "tests/catalog/test_crawl.py::test_rows_that_went_missing_come_back",
    ),
    Guard(
        "dashboard/catalog/crawl.py",
        "page.digest if is_exact else",
        "page.digest if True else",
        "tests/catalog/test_crawl.py::test_folders_that_differ_only_in_case_are_written_each_time",
    ),
    Guard(
        "dashboard/catalog/crawl.py",
        "            catalog.folders.update(digests=None)\n",
        "            pass\n",
        "tests/catalog/test_retention.py::test_a_large_one_goes_by_pieces_and_nobody_is_told_of_half_of_it",
    ),
    Guard(
        "dashboard/catalog/selection.py",
        'if data.get("all") == "1" else ""',
        'if data.get("filter") else ""',
        "tests/catalog/test_selection.py::test_all_that_match_is_a_filter_and_never_an_empty_one",
    ),
    Guard(
        "dashboard/catalog/selection.py",
        'if (payload.get("space"), payload.get("bucket")) != (space, bucket):',
        "if False:",
        "tests/features/bulk/test_views.py::test_a_selection_of_another_bucket_is_not_acted_on",
    ),
    Guard(
        "dashboard/features/bulk/rules.py",
        'typed="" if _is_confirmed(job) else _typed(selection, facts)',
        'typed=""',
        "tests/features/bulk/test_views.py::test_a_folder_is_counted_in_its_dialog_and_then_deleted",
    ),
    Guard(
        "dashboard/features/bulk/rules.py",
        "and bool(job.parameters.get(CONFIRMED) == number_of(job.facts))",
        "and CONFIRMED in job.parameters",
        "tests/features/bulk/test_views.py::test_what_came_after_the_count_is_asked_about",
    ),
    Guard(
        "dashboard/features/bulk/rules.py",
        "return job.approval == Approval.ON_CONFLICT and",
        "return",
        "tests/features/bulk/test_views.py::test_what_came_after_the_count_is_asked_about",
    ),
    Guard(
        "dashboard/snapshots/deletions.py",
        "for row in rows if key_of(row) not in missing}",
        "for row in rows if not key_of(row)}",
        "tests/features/bulk/test_delete.py::test_what_is_called_deleted_and_is_still_there_has_failed",
    ),
    Guard(
        "dashboard/snapshots/deletions.py",
        "elif key in hidden:",
        "elif False:",
        "tests/features/bulk/test_tasks_write_only.py::test_what_was_in_flight_is_never_called_done_or_missing",
    ),
    Guard(
        "dashboard/features/bulk/tasks/empty.py",
        'if not sees_all(workspace, space):\n        batch.done(row, "Your token',
        'if False:\n        batch.done(row, "Your token',
        "tests/features/bulk/test_tasks_write_only.py::test_a_key_that_sees_by_policies_empties_what_it_sees_and_says_so",
    ),
    Guard(
        "dashboard/features/bulk/tasks/empty.py",
        "if not page.names:",
        "if True:",
        "tests/features/bulk/test_empty.py::test_it_waits_with_patience_until_the_list_is_empty",
    ),
    Guard(
        "dashboard/features/bulk/tasks/transfer.py",
        "return self._delete_source(key) if self._is_copied(key, to) else UNLIKE",
        "return self._delete_source(key)",
        "tests/features/bulk/test_transfer.py::test_a_move_whose_copy_holds_other_bytes_keeps_the_original",
    ),
    Guard(
        "dashboard/features/bulk/tasks/transfer.py",
        "row.tries > 1 and not replacing and self._is_copied(key, to)",
        "row.tries > 1 and not replacing",
        "tests/features/bulk/test_tasks_lost_answers.py::test_a_write_that_is_never_carried_out_is_sent_again_only_when_it_was_not_applied",
    ),
    Guard(
        "dashboard/catalog/items.py",
        "held = leases.claim(workspace, space, bucket, {written(row)",
        "held = set[str]() and leases.claim(workspace, space, bucket, {written(row)",
        "tests/features/bulk/test_tasks_leases.py::test_an_item_waits_while_somebody_uploads_to_its_key",
    ),
    Guard(
        "dashboard/features/bulk/tasks/transfer.py",
        "return None if is_gone else STAYED",
        "return None",
        "tests/features/bulk/test_transfer.py::test_an_original_that_the_service_does_not_delete_is_no_move",
    ),
    Guard(
        "static/js/list-selection.js",
        "      if (this.#everything && !box.checked) this.#everything.checked = false;\n",
        "",
        "tests/browser/test_walking.py::test_unticking_one_row_of_everything_leaves_the_others_that_are_shown",
    ),
)
