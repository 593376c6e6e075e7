/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report on a branch: as JSON, which is how it is stored and sent by the child that works on it; and how
 * branches compare.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/value.h"
#include "flow/try.h"

const char *const try_state_names[] = {
	[TRY_WAITING] = "waiting", [TRY_RUNNING] = "running", [TRY_TESTING] = "testing",
	[TRY_FAILED] = "failed",   [TRY_FLAKY] = "flaky",     [TRY_STOPPED] = "stopped",
	[TRY_PASSED] = "passed",   [TRY_WINNER] = "winner",   NULL
};

void try_record_finish(struct try_record *r)
{
	free(r->name);
	free(r->command);
	free(r->box);
	free(r->why);
	strlist_finish(&r->runs);
	for (int i = 0; i < 2; i++)
		buf_finish(&r->tails[i]);
	*r = (struct try_record){ 0 };
}

void try_records_finish(struct try_record *list, size_t n)
{
	for (size_t i = 0; list && i < n; i++)
		try_record_finish(&list[i]);
	free(list);
}

bool try_record_passed(const struct try_record *r)
{
	return r->state == TRY_PASSED || r->state == TRY_WINNER;
}

void try_record_become(struct try_record *r, enum try_state state, const char *why)
{
	scoped(buf_finish) struct buf clean = { 0 };

	r->state = state;
	free(r->why);
	buf_add_utf8(&clean, why, strlen(why)); /* it may be cut off within a character */
	r->why = *why ? strdup(buf_str(&clean) ? clean.data : "?") : NULL;
}

char *try_record_point(const struct try_record *r)
{
	char *point = NULL;

	if (!r->box || asprintf(&point, "%s%s%s", r->box, *r->snapshot ? "@" : "", r->snapshot) < 0)
		return NULL;
	return point;
}

/* ---- as JSON ---- */

static json_t *text_or_null(const char *s)
{
	return s && *s ? json_string(s) : json_null();
}

static json_t *tests_json(const struct try_record *r)
{
	return !r->counted ? json_null()
			   : json_pack("{s:I, s:I, s:I}", "passed", (json_int_t)r->tests.passed, "failed",
				       (json_int_t)r->tests.failed, "skipped", (json_int_t)r->tests.skipped);
}

static json_t *changes_json(const struct try_record *r)
{
	return !r->compared ? json_null()
			    : json_pack("{s:I, s:I, s:I}", "created", (json_int_t)r->created, "modified",
					(json_int_t)r->modified, "deleted", (json_int_t)r->deleted);
}

json_t *try_record_json(const struct try_record *r)
{
	json_t *j = json_object();

	if (r->n)
		json_object_set_new(j, "n", json_integer((json_int_t)r->n));
	if (r->name)
		json_object_set_new(j, "name", json_string(r->name));
	if (r->n) {
		json_object_set_new(j, "command", json_string(r->command ? r->command : ""));
		json_object_set_new(j, "box", text_or_null(r->box));
	}
	json_object_set_new(j, "snapshot", text_or_null(r->snapshot));
	json_object_set_new(j, "state", json_string(try_state_names[r->state]));
	if (r->n)
		json_object_set_new(j, "rank", r->rank ? json_integer((json_int_t)r->rank) : json_null());
	json_object_set_new(j, "runs", value_list_json(&r->runs));
	json_object_set_new(j, "wall_ms", json_real(r->wall_ms));
	json_object_set_new(j, "cpu_ms", json_real(r->cpu_ms));
	json_object_set_new(j, "mem_peak", json_integer((json_int_t)r->mem_peak));
	json_object_set_new(j, "tests", tests_json(r));
	json_object_set_new(j, "changes", changes_json(r));
	json_object_set_new(j, "score", r->scored ? json_real(r->score) : json_null());
	json_object_set_new(j, "passed_of", text_or_null(r->passed_of));
	json_object_set_new(j, "why", json_string(r->why ? r->why : ""));
	for (int i = 0; r->has_tails && i < 2; i++)
		json_object_set_new(j, i ? "stderr_tail" : "stdout_tail",
				    json_stringn(r->tails[i].len ? r->tails[i].data : "", r->tails[i].len));
	return j;
}

json_t *try_records_json(const struct try_record *list, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, try_record_json(&list[i]));
	return all;
}

static char *copy_text(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s && *s ? strdup(s) : NULL;
}

static void copy_into(const json_t *j, const char *key, char *to, size_t size)
{
	const char *s = json_string_value(json_object_get(j, key));

	snprintf(to, size, "%s", s ? s : "");
}

static uint64_t count_of(const json_t *j, const char *key)
{
	const json_int_t n = json_integer_value(json_object_get(j, key));

	return n > 0 ? (uint64_t)n : 0;
}

static void read_tail(const json_t *text, struct try_record *ret, int i)
{
	if (!text)
		return;
	ret->has_tails = true;
	buf_add(&ret->tails[i], json_string_value(text), json_string_length(text));
}

bool try_record_read(const json_t *j, struct try_record *ret)
{
	const json_t *tests = json_object_get(j, "tests"), *changes = json_object_get(j, "changes"),
		     *score = json_object_get(j, "score"), *run;
	const char *state = json_string_value(json_object_get(j, "state"));
	size_t i;

	*ret = (struct try_record){ .state = TRY_STATE_COUNT };
	for (i = 0; state && i < TRY_STATE_COUNT; i++)
		if (!strcmp(state, try_state_names[i]))
			ret->state = (enum try_state)i;
	if (ret->state == TRY_STATE_COUNT)
		return false;
	ret->n = count_of(j, "n");
	ret->name = copy_text(j, "name");
	ret->command = copy_text(j, "command");
	ret->box = copy_text(j, "box");
	copy_into(j, "snapshot", ret->snapshot, sizeof(ret->snapshot));
	ret->rank = count_of(j, "rank");
	json_array_foreach(json_object_get(j, "runs"), i, run) if (json_is_string(run))
		strlist_add(&ret->runs, json_string_value(run));
	copy_into(j, "run", ret->run, sizeof(ret->run));
	ret->wall_ms = json_number_value(json_object_get(j, "wall_ms"));
	ret->cpu_ms = json_number_value(json_object_get(j, "cpu_ms"));
	ret->mem_peak = count_of(j, "mem_peak");
	ret->counted = json_is_object(tests);
	ret->tests = (struct intent_counts){ .passed = count_of(tests, "passed"),
					     .failed = count_of(tests, "failed"),
					     .skipped = count_of(tests, "skipped") };
	ret->compared = json_is_object(changes);
	ret->created = count_of(changes, "created");
	ret->modified = count_of(changes, "modified");
	ret->deleted = count_of(changes, "deleted");
	ret->scored = json_is_number(score);
	ret->score = json_number_value(score);
	copy_into(j, "passed_of", ret->passed_of, sizeof(ret->passed_of));
	ret->why = copy_text(j, "why");
	read_tail(json_object_get(j, "stdout_tail"), ret, 0);
	read_tail(json_object_get(j, "stderr_tail"), ret, 1);
	ret->budget = json_is_true(json_object_get(j, "budget"));
	ret->claimed = json_is_true(json_object_get(j, "claimed"));
	return true;
}

/* ---- comparison ---- */

/*
 * Whether A comes before B: the winner, which need not have the best score, who passed, then the score, then
 * the place.
 */
static bool is_better(const struct try_record *a, const struct try_record *b, bool most)
{
	const bool passed = try_record_passed(a);
	const double d = a->score - b->score;

	if ((a->state == TRY_WINNER) != (b->state == TRY_WINNER))
		return a->state == TRY_WINNER;
	if (passed != try_record_passed(b))
		return passed;
	if (passed && a->scored != b->scored)
		return a->scored;
	if (passed && (d < 0 || d > 0))
		return most ? d > 0 : d < 0;
	return a->n < b->n;
}

void try_rank(bool most, struct try_record *list, size_t n)
{
	for (size_t i = 1; i < n; i++) { /* few: by insertion */
		const struct try_record moved = list[i];
		size_t to = i;

		for (; to && is_better(&moved, &list[to - 1], most); to--)
			list[to] = list[to - 1];
		list[to] = moved;
	}
	for (size_t i = 0; i < n; i++)
		list[i].rank = try_record_passed(&list[i]) ? i + 1 : 0;
}

/* ---- the whole ---- */

json_t *try_differences_json(const struct try_difference *list, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_pack("{s:o, s:I, s:s, s:s}", "files",
						     value_list_json(&list[i].files), "more",
						     (json_int_t)list[i].more, "branch", list[i].branch,
						     "against", list[i].against));
	return all;
}

void try_differences_finish(struct try_difference *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strlist_finish(&list[i].files);
	free(list);
}

void try_promotion_finish(struct try_promotion *p)
{
	if (p->promoted)
		promote_report_finish(&p->report);
	if (p->staged)
		pipeline_finish(&p->pipeline);
	*p = (struct try_promotion){ 0 };
}

void try_result_finish(struct try_result *r)
{
	try_records_finish(r->branches, r->n);
	try_differences_finish(r->differs, r->n_differs);
	try_promotion_finish(&r->promotion);
	*r = (struct try_result){ 0 };
}

const struct try_record *try_result_winner(const struct try_result *r)
{
	return r->n && r->branches[0].state == TRY_WINNER ? &r->branches[0] : NULL;
}

int try_result_status(const struct try_result *r)
{
	if (r->signal)
		return 128 + r->signal;
	return try_result_winner(r) || (r->branches && r->branches[0].rank && !strcmp(r->state, "compared"))
		       ? 0
		       : 1;
}

json_t *try_result_json(const struct try_result *r)
{
	const struct try_record *winner = try_result_winner(r);

	return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:o, s:o, s:n, s:n, s:f}", "experiment", r->experiment,
			 "mode", project_mode_names[r->mode], "state", r->state, "winner",
			 winner ? winner->name : NULL, "box", winner ? winner->box : NULL, "branches",
			 try_records_json(r->branches, r->n), "differs",
			 try_differences_json(r->differs, r->n_differs), "promotion", "pipeline", "wall_ms",
			 r->wall_ms);
}
