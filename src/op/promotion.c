/* SPDX-License-Identifier: Apache-2.0 */
/* The result of `promote`: long lists are truncated, obstacles come first. */
#include "op/promotion.h"

#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "op/drift.h"
#include "op/merge_json.h"
#include "op/path_json.h"

static json_t *summary_json(const struct box_promotion *p)
{
	json_int_t counts[CHANGE_KIND_COUNT] = { 0 }, merged = 0;
	json_t *summary = json_object();

	for (size_t i = 0; i < p->plan.n; i++) {
		const struct merge_step *s = &p->plan.steps[i];

		if (s->outcome != MERGE_CONFLICT && op_is_news(s))
			counts[s->box]++;
		merged += s->outcome == MERGE_BOTH && op_is_news(s);
	}
	for (enum change_kind k = CHANGE_NONE + 1; k < CHANGE_KIND_COUNT; k++)
		json_object_set_new(summary, change_kind_name(k), json_integer(counts[k]));
	json_object_set_new(summary, "merged", json_integer(merged));
	json_object_set_new(summary, "conflicts", json_integer((json_int_t)p->n_conflicts));
	json_object_set_new(summary, "traps", json_integer((json_int_t)p->n_traps));
	json_object_set_new(summary, "secrets", json_integer((json_int_t)p->secret_leaks.n_stopping));
	return summary;
}

static void add_traps(const struct box_promotion *p, json_t *result)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_LONG);

	for (size_t i = 0; i < p->n_traps; i++) {
		json_t *j = op_list_add(&list, p->traps[i].path);

		if (!j)
			continue;
		json_object_set_new(j, "kind", json_string(p->traps[i].trap->kind));
		json_object_set_new(j, "why", json_string(p->traps[i].trap->why));
	}
	op_list_put(&list, "traps", result);
}

static void add_stale(const struct box_promotion *p, json_t *result)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_SHORT);

	for (size_t i = 0; i < p->plan.n_stale; i++) {
		json_t *j = op_list_add(&list, p->plan.stale[i].path);

		if (j)
			json_object_set_new(j, "host", json_string(change_kind_name(p->plan.stale[i].host)));
	}
	op_list_put(&list, "stale", result);
}

static void add_secrets(const struct box_promotion *p, json_t *result)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_SHORT);

	for (size_t i = 0; i < p->secret_leaks.n; i++) {
		const struct box_secret_leak *s = &p->secret_leaks.list[i];
		json_t *j = op_list_add(&list, s->path);

		if (!j)
			continue;
		json_object_set_new(j, "name", json_string(s->name));
		json_object_set_new(j, "form", json_string(encoding_name(s->form)));
		json_object_set_new(j, "allowed", json_boolean(s->allowed));
	}
	op_list_put(&list, "secrets", result);
}

static void add_lists(const struct box_promotion *p, enum merge_resolution resolution, json_t *result)
{
	add_secrets(p, result); /* first what stands against it: the last list gets what is left */
	add_traps(p, result);
	add_stale(p, result);
	op_add_outcomes(&p->plan, resolution, result);
}

static json_t *move_json(const struct git_change *c, const struct git_move *m)
{
	json_t *j =
		json_pack("{s:s, s:s, s:o, s:s, s:s, s:I}", "branch", m->ref, "from", m->from, "old",
			  m->old[0] ? json_string(m->old) : json_null(), "new", m->now, "how",
			  c->dir ? git_how_name(m->how) : "repository", "commits", (json_int_t)m->commits);

	op_set_name(j, "path", c->tree);
	return j;
}

/* What became of repositories. */
static void add_git(const struct box_git *g, json_t *result)
{
	json_t *moves = json_array(), *stays = json_array();

	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; k < g->changes[i].n; k++)
			json_array_append_new(moves, move_json(&g->changes[i], &g->changes[i].moves[k]));
		if (g->changes[i].head_now && !g->changes[i].n) {
			json_t *j = json_pack("{s:s, s:s, s:n, s:n, s:s, s:i}", "branch",
					      g->changes[i].head_now, "from", g->changes[i].head_now, "old",
					      "new", "how", "switched", "commits", 0);

			op_set_name(j, "path", g->changes[i].tree);
			json_array_append_new(moves, j);
		}
	}
	for (size_t i = 0; i < g->stays.n; i++) {
		scoped(buf_finish) struct buf clean = { 0 };

		buf_add_utf8(&clean, g->stays.items[i], strlen(g->stays.items[i]));
		json_array_append_new(stays, json_string(buf_str(&clean) ? clean.data : "?"));
	}
	json_object_set_new(result, "branches", moves);
	json_object_set_new(result, "stayed", stays);
	json_object_set_new(result, "switched", g->switched ? json_string(g->switched) : json_null());
}

/* "2 left in the box: a FIFO ('p'), a socket ('run/s')". */
static void add_left(const struct merge_plan *plan, json_t *result)
{
	scoped(buf_finish) struct buf words = { 0 };
	json_t *left = json_array();

	for (size_t i = 0; i < plan->n_left; i++) {
		const struct merge_left *l = &plan->left[i];
		json_t *j = json_pack("{s:s}", "type", change_type_name(l->mode));

		op_set_name(j, "path", l->path);
		json_array_append_new(left, j);
		if (i == 0)
			buf_addf(&words, "%zu left in the box: ", plan->n_left);
		if (i < 5) {
			buf_addf(&words, "%sa %s ('", i ? ", " : "",
				 S_ISFIFO(l->mode) ? "FIFO" : change_type_name(l->mode));
			buf_add_utf8(&words, l->path, strlen(l->path));
			buf_addf(&words, "')");
		} else if (i == 5) {
			buf_addf(&words, " and others");
		}
	}
	json_object_set_new(result, "left", left);
	if (plan->n_left)
		json_array_append_new(json_object_get(result, "stayed"),
				      json_string(buf_str(&words) ? words.data : "?"));
}

json_t *op_promotion_look_json(const struct promote_report *report)
{
	const struct box_promotion *p = &report->promotion;
	json_t *all = json_object(), *look = json_object();

	add_traps(p, all);
	op_add_outcomes(&p->plan, RESOLVE_STOP, all);
	json_object_set_new(look, "summary", summary_json(p));
	json_object_set(look, "traps", json_object_get(all, "traps"));
	json_object_set(look, "conflicts", json_object_get(all, "conflicts"));
	json_decref(all);
	return look;
}

json_t *op_promotion_json(const struct promote_report *report, const struct promote_request *req)
{
	const struct box_promotion *p = &report->promotion;
	json_t *result = json_pack("{s:o, s:s, s:s, s:s, s:b, s:b, s:o}", "promotion",
				   p->id[0] ? json_string(p->id) : json_null(), "box", report->box, "box_id",
				   report->box_id, "target", p->target, "applied", p->id[0] != 0, "dry_run",
				   req->dry_run || req->review, "summary", summary_json(p));

	if (!result)
		return NULL;
	op_add_drift(&report->drift, result);
	add_lists(p, req->resolution, result);
	add_git(&p->git, result);
	add_left(&p->plan, result);
	op_add_ignored(&p->ignored, result);
	if (p->after.code)
		json_object_set_new(result, "error", json_string(p->after.text));
	return result;
}
