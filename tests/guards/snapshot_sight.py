"""Guards of what a person sees and restores of snapshots through a grant."""

from tests.guards.guard import Guard

GRANTEES = "tests/snapshots/test_grantees.py::"
FOLDERS = "tests/snapshots/test_folders.py::"
VERSIONS = "tests/snapshots/test_versions.py::"
DELETED = "tests/snapshots/test_deleted.py::"

GUARDS = (
    Guard(
        "dashboard/snapshots/capture.py",
        "    if workspace.grant_at(Kind.STORAGE, space):\n        raise Stopped",
        "    if False:\n        raise Stopped",
        f"{GRANTEES}test_it_manages_none",
    ),
    Guard(
        "dashboard/snapshots/sight.py",
        '    workspace.require_act(Kind.STORAGE, space, "read")\n',
        "",
        f"{GRANTEES}test_without_read_nothing_is_seen",
    ),
    Guard(
        "dashboard/snapshots/sight.py",
        "return granted.scope if granted and not",
        "return granted.scope if False and not",
        f"{GRANTEES}test_only_its_folders_are_seen_and_no_figures_of_the_whole",
    ),
    Guard(
        "dashboard/snapshots/sight.py",
        "{workspace.fingerprint(Kind.STORAGE, space), *_giver(granted)}",
        "{workspace.fingerprint(Kind.STORAGE, space)}",
        f"{GRANTEES}test_a_giver_without_a_service_key_shows_only_what_their_token_took",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        " for head in taken if sight.meets(scope, head)]",
        " for head in taken]",
        f"{FOLDERS}test_a_grantee_sees_only_those_of_folders_that_the_grant_meets",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        " and (scope is None or sight.meets(scope, head)):",
        ":",
        f"{FOLDERS}test_a_grantee_sees_only_those_of_folders_that_the_grant_meets",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "zip(kept, held, strict=True) if is_held]",
        "zip(kept, held, strict=True)]",
        f"{GRANTEES}test_what_others_deleted_is_seen_and_restored_in_its_folders",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "map_bounded(partial(sight.narrowed, self._scope), heads) if self._scope else heads",
        "heads",
        f"{GRANTEES}test_what_others_deleted_is_seen_and_restored_in_its_folders",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "        if head.objects or not (scope and head.is_trash):\n",
        "        if True:\n",
        f"{GRANTEES}test_what_others_deleted_is_seen_and_restored_in_its_folders",
    ),
    Guard(
        "dashboard/snapshots/restore_plan.py",
        "    if scope and selection.filter == EVERYTHING:",
        "    if False:",
        f"{GRANTEES}test_everything_is_what_is_in_its_folders",
    ),
    Guard(
        "dashboard/snapshots/restore_plan.py",
        "        if not self.reach(entry):\n",
        "        if False:\n",
        f"{GRANTEES}test_a_plan_says_what_its_access_does_not_cover_elsewhere",
    ),
    Guard(
        "dashboard/snapshots/restore_plan.py",
        'lacking(self.granted, "change") if self.granted and replaces else ""',
        '""',
        f"{GRANTEES}test_a_plan_says_what_may_not_be_replaced",
    ),
    Guard(
        "dashboard/features/snapshots/views/snapshots.py",
        '    workspace.require_act(Kind.STORAGE, space, "change" if there else "upload")\n',
        "",
        f"{GRANTEES}test_restoring_needs_upload_and_replacing_needs_change",
    ),
    Guard(
        "dashboard/features/snapshots/views/snapshots.py",
        '"restores": sight.sees(workspace, space, "upload")',
        '"restores": True',
        f"{GRANTEES}test_restoring_needs_upload_and_replacing_needs_change",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "    if sight.seen(workspace, [head]) and (",
        "    if True and (",
        f"{VERSIONS}test_a_plain_token_opens_no_version_that_another_token_took",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        " if head.may_hold(key)",
        "",
        f"{VERSIONS}test_snapshots_of_other_files_hide_no_version",
    ),
    Guard(
        "dashboard/snapshots/manifest.py",
        "(not self.names_all or key in self.names)",
        "(key in self.names or not self.is_trash)",
        f"{VERSIONS}test_snapshots_of_other_files_hide_no_version",
    ),
    Guard(
        "dashboard/snapshots/earlier.py",
        "self.follow(content(self.store, self.entry))",
        "content(self.store, self.entry)",
        f"{VERSIONS}test_a_picture_stops_on_its_way_once_the_grant_is_revoked",
    ),
    Guard(
        "dashboard/snapshots/earlier.py",
        "self.follow(self._part(first, end))",
        "self._part(first, end)",
        f"{VERSIONS}test_a_picture_stops_on_its_way_once_the_grant_is_revoked",
    ),
    Guard(
        "dashboard/snapshots/earlier.py",
        "            if len(chunk) != min(CHUNK_MAX_BYTES, size - begin):\n",
        "            if False:\n",
        f"{VERSIONS}test_a_range_of_other_chunks_is_refused",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "    if not all(is_text(side.source.key, side.info.content_type) for side in sides):\n",
        "    if False:\n",
        f"{VERSIONS}test_what_can_not_be_compared_is_told",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "    if any((side.info.size or 0) > FIRST_BYTES for side in sides):\n",
        "    if False:\n",
        f"{VERSIONS}test_a_large_file_is_not_read",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "    if any(one.binary for one in read):\n",
        "    if False:\n",
        f"{VERSIONS}test_what_can_not_be_compared_is_told",
    ),
    Guard(
        "dashboard/features/snapshots/services.py",
        "if all(one.is_whole for one in read) else",
        "if True else",
        f"{VERSIONS}test_a_file_that_grows_while_it_is_compared_is_not_cut",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "    sight.require_sight(workspace, space)\n",
        "",
        f"{DELETED}test_a_grant_finds_what_was_in_its_folders_while_it_may_read",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "sight.inside(manifest, scope, bucket) if scope else manifest",
        "manifest",
        f"{DELETED}test_a_grant_finds_what_was_in_its_folders_while_it_may_read",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "not entry.left_out and ",
        "",
        f"{DELETED}test_bytes_that_were_left_out_are_not_offered",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "head.names_all and ",
        "",
        f"{DELETED}test_a_file_is_found_that_the_trash_does_not_name_in_its_list",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "[one for one in shown if one.entry.key in gone]",
        "shown",
        f"{DELETED}test_what_is_there_is_not_listed_even_if_the_index_does_not_know_it",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "    if not lookup.sees(workspace, space, bucket, folder):\n",
        "    if False:\n",
        f"{DELETED}test_without_a_sign_of_what_a_token_sees_nothing_is_called_deleted",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "len(trashed) > TRASHED_MAX or len(taken) > SNAPSHOTS_MAX",
        "False",
        f"{DELETED}test_what_was_not_read_is_told",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "                if monotonic() > until:\n",
        "                if False:\n",
        f"{DELETED}test_what_was_not_read_is_told",
    ),
    Guard(
        "dashboard/snapshots/deleted.py",
        "in sight.seen(workspace, heads.read):",
        "in heads.read:",
        f"{DELETED}test_deletions_by_another_token_are_for_a_service_key_that_reads_the_bucket",
    ),
    Guard(
        "dashboard/features/search/views.py",
        " and sees(request.workspace, space)",
        "",
        f"{DELETED}test_the_search_leads_there_when_it_looks_for_something",
    ),
)
