"""Guards of changes: what asks first, is sent once, and is proved; and what a browser may do with it."""

from tests.guards.guard import Guard

GUARDS = (
    Guard(
        "dashboard/jobs/transitions.py",
        ", planned_at=job.planned_at)",
        ")",
        "tests/jobs/test_plans.py::test_a_plan_that_was_made_again_is_not_applied_for_the_one_that_was_shown",
    ),
    Guard(
        "dashboard/features/encryption/views.py",
        "if not services.was_saved(workspace, ref, known.digest):",
        "if False:",
        "tests/features/encryption/test_replacement.py::test_the_present_key_must_be_in_hand_first",
    ),
    Guard(
        "dashboard/features/encryption/services.py",
        "if stored != sent:",
        "if False:",
        "tests/features/encryption/test_replacement.py::test_an_answer_with_another_key_leaves_the_outcome_unknown",
    ),
    Guard(
        "dashboard/features/encryption/views.py",
        '@fresh_sign_in\n@needs("M20")\ndef file',
        '@needs("M20")\ndef file',
        "tests/features/encryption/test_key.py::test_nothing_is_handed_out_without_a_fresh_sign_in",
    ),
    Guard(
        "dashboard/features/network/services/restrictions.py",
        "if own is not None and was_allowed and admission(wanted, own).allowed is False:",
        "if False:",
        "tests/features/network/test_history.py::test_consent_is_measured_against_the_list_in_force",
    ),
    Guard(
        "dashboard/features/network/services/restrictions.py",
        "    if wanted.is_empty:",
        "    if False:",
        "tests/features/network/test_review.py::test_a_list_for_nobody_wants_typed_consent",
    ),
    Guard(
        "dashboard/jobs/lease.py",
        "pk=self.job.pk, attempt=self.job.attempt, state=State.RUNNING)",
        "pk=self.job.pk, state=State.RUNNING)",
        "tests/jobs/test_runner.py::test_a_worker_that_was_taken_for_dead_writes_nothing",
    ),
    Guard(
        "dashboard/jobs/resend.py",
        "if not _is_as_before(entry, how.before(state, pending.wanted)):",
        "if False:",
        "tests/features/test_resend.py::test_nothing_is_sent_once_the_state_is_another_and_it_is_reviewed_anew",
    ),
    Guard(
        "dashboard/jobs/resend.py",
        "    return entry.person.is_locked or not entry.person.is_active",
        "    return not entry.person.is_active",
        "tests/features/test_resend.py::TestAColleague::test_sends_nothing_while_the_author_is_locked",
    ),
    Guard(
        "dashboard/jobs/settlement.py",
        "if not (again and is_same and pending.entry.check_until):",
        "if False:",
        "tests/features/test_lost_answers.py::test_a_write_that_is_never_carried_out_is_offered_again_only_as_not_applied",
    ),
    Guard(
        "dashboard/jobs/settlement.py",
        "if not shown and not pending.is_overdue:",
        "if False:",
        "tests/features/test_lost_answers.py::test_a_write_that_is_never_carried_out_is_offered_again_only_as_not_applied",
    ),
    Guard(
        "dashboard/launch/backup.py",
        'LEFT_OUT = ("django_session", "usersessions_usersession")',
        'LEFT_OUT = ("django_session",)',
        "tests/launch/test_backup.py::test_with_postgresql_it_says_how",
    ),
    Guard(
        "dashboard/launch/versions.py",
        "if _numbers(version) > _numbers(__version__) else None",
        "if False else None",
        "tests/launch/test_upgrades.py::test_a_database_of_a_newer_version_is_refused_and_both_are_named",
    ),
    Guard(
        "dashboard/reviews/reviews.py",
        "filter(pk=pk, person=workspace.person, purpose=purpose)",
        "filter(pk=pk, purpose=purpose)",
        "tests/reviews/test_reviews.py::test_only_its_person_finds_it_and_only_for_its_purpose",
    ),
    Guard(
        "dashboard/reviews/reviews.py",
        "if review is None or workspace.person.is_locked:",
        "if review is None:",
        "tests/reviews/test_reviews.py::test_nobody_finds_one_while_their_account_is_locked",
    ),
    Guard(
        "dashboard/reviews/reviews.py",
        "if not _move(review, State.OPEN, State.APPLYING, applied_at=review.applied_at):",
        "if False:",
        "tests/reviews/test_reviews.py::test_it_is_applied_once",
    ),
    Guard(
        "dashboard/jobs/review_outcome.py",
        " or may_run(review, place, *touches):",
        ":",
        "tests/features/network/test_review_outcomes.py::"
        "test_a_review_with_an_unknown_outcome_is_not_offered_again_before_two_minutes",
    ),
    Guard(
        "dashboard/jobs/review_outcome.py",
        "return entry is None or entry.outcome != Outcome.DONE",
        "return True",
        "tests/features/encryption/test_replacement.py::test_what_was_found_to_be_done_is_not_reviewed_again",
    ),
    Guard(
        "dashboard/web/pages/confirm.py",
        "if given != typed:",
        "if False:",
        "tests/web/test_confirm.py::test_it_refuses_a_wrong_name",
    ),
    Guard(
        "dashboard/web/pages/confirm.py",
        "if shown != str(count):",
        "if False:",
        "tests/web/test_confirm.py::test_it_refuses_when_the_count_changed_and_shows_the_new_one",
    ),
    Guard(
        "dashboard/web/pages/confirm.py",
        'if production and not request.POST.get("production"):',
        "if False:",
        "tests/labels/test_labels.py::test_destroying_in_production_asks_one_question_more",
    ),
    Guard(
        "dashboard/web/files/downloads.py",
        "shown = inline and stored in SHOWN",
        "shown = inline",
        "tests/web/test_downloads.py::test_it_saves_what_a_browser_should_not_show",
    ),
    Guard(
        "dashboard/web/files/downloads.py",
        'response["Content-Security-Policy"] = STRANGE',
        'response["Content-Security-Policy"] = "default-src \'self\'"',
        "tests/web/test_downloads.py::test_it_saves_what_a_browser_should_not_show",
    ),
    Guard(
        "dashboard/web/input/idempotency.py",
        "        if effect_of(error) is not Effect.UNKNOWN:\n            row.delete()\n            raise\n",
        "        row.delete()\n        raise\n",
        "tests/web/test_answers.py::test_after_an_unknown_outcome_the_same_form_does_not_act_again",
    ),
    Guard(
        "dashboard/web/http/requests.py",
        "candidate = named[-trusted]",
        "candidate = named[0]",
        "tests/web/test_bodies.py::test_the_client_is_who_the_trusted_proxies_saw",
    ),
    Guard(
        "dashboard/web/pages/sort_order.py",
        "start = down if kind in DESCENDING_FIRST else up",
        "start = up",
        "tests/features/objects/test_browse.py::test_another_column_sorts_from_a_first_and_from_the_newest_first",
    ),
    Guard(
        "dashboard/web/limits/throttle.py",
        "WINDOW = timedelta(minutes=15)",
        "WINDOW = timedelta(minutes=12)",
        "tests/features/sharing/test_visitor_guessing.py::test_ten_wrong_passwords_lock_that_link_for_that_address_alone",
    ),
    Guard(
        "dashboard/web/limits/throttle.py",
        "WINDOW = timedelta(minutes=15)",
        "WINDOW = timedelta(days=15)",
        "tests/features/sharing/test_visitor_guessing.py::test_ten_wrong_passwords_lock_that_link_for_that_address_alone",
    ),
    Guard(
        "dashboard/web/limits/throttle.py",
        "if len(recent) >= MAX_ATTEMPTS:",
        "if False:",
        "tests/features/sharing/test_visitor_guessing.py::test_ten_wrong_codes_from_an_address_and_then_it_opens_nothing_at_all",
    ),
    Guard(
        "dashboard/web/limits/throttle.py",
        "if len(recent) > limit:",
        "if False:",
        "tests/team/test_attempts.py::test_filling_the_cache_does_not_reset_the_count",
    ),
    Guard(
        "dashboard/web/limits/throttle.py",
        "if len(recent) > most:",
        "if False:",
        "tests/team/test_attempts.py::test_wrong_codes_are_thirty_a_day",
    ),
)
