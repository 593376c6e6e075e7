/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what operations say of a candidate to the facts that expressions ask for. Looks happen when the first
 * who needs one asks; one that fails leaves its facts unknown, and what hangs on them does not hold.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/scope.h"
#include "box/diff.h"
#include "box/owner.h"
#include "box/pin.h"
#include "box/scan.h"
#include "box/where.h"
#include "flow/gate_inside.h"
#include "op/listed.h"
#include "op/point.h"
#include "expr/facts.h"

#define MAX_RUNS  10000 /* of a box's history; newest first */
#define MAX_WHOLE 9e15  /* what a double holds as a whole number */

static struct expr_value unknown(const char *why)
{
	return (struct expr_value){ .text = why };
}

static struct expr_value number(double v)
{
	return (struct expr_value){ .known = true, .number = v };
}

static struct expr_value number_in(const json_t *object, const char *key)
{
	const json_t *n = json_object_get(object, key);

	return json_is_number(n) ? number(json_number_value(n)) : unknown("nobody says it");
}

/* The first time only: whether there is a box to look at. */
static bool begin_look(const struct gate *g, struct gate_look *l)
{
	if (l->asked)
		return false;
	l->asked = true;
	if (g->point)
		return true;
	aisbx_refuse(&l->e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
		     "a directory as it is has no changes of a box");
	return false;
}

static bool needs(const struct gate *g, const char *name)
{
	for (size_t i = 0; expr_facts[i].name; i++)
		if (g->needed[i] && !strcmp(expr_facts[i].name, name))
			return true;
	return false;
}

static int count_lines(struct gate_diff *d, const struct change_list *l, struct aisbx_error *e)
{
	scoped(drop_mem) struct box_lines *lines = calloc(l->n + 1, sizeof(*lines));
	int r = lines ? box_diff_lines(l, NULL, lines, e)
		      : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "count the lines");

	for (size_t i = 0; r == 0 && i < l->n; i++) {
		const struct change *c = &l->items[i];

		d->added += lines[i].counted ? (double)lines[i].added : 0;
		d->removed += lines[i].counted ? (double)lines[i].removed : 0;
		if (c->kind != CHANGE_TOUCH && lines[i].asked && !lines[i].counted &&
		    (S_ISREG(c->old_mode) || S_ISREG(c->new_mode)))
			d->unread = d->unread || box_diff_is_binary(l, c) == BOX_UNKNOWN;
	}
	return r;
}

/* What is only touched is no change. */
static void count_changes(struct gate *g, const struct change_list *l)
{
	bool names = needs(g, "changed");

	for (size_t i = 0; i < l->n; i++) {
		if (l->items[i].kind == CHANGE_TOUCH)
			continue;
		g->diff.counts[l->items[i].kind]++;
		g->diff.n++;
		if (names && !g->paths.failed) {
			strlist_add(&g->paths, l->items[i].path);
			g->paths.failed |= memory_check() < 0;
		}
	}
}

static int look_at_changes(struct gate *g, struct aisbx_error *e)
{
	scoped(change_list_finish) struct change_list changes = { 0 };
	scoped(point_finish) struct point p = POINT_INIT;
	struct box_ignored left = { 0 };
	int64_t pinned = 0;
	int r = point_open(g->point, false, &p, e);

	if (r == 0)
		r = box_pinned_ms(&p.shelf, &p.box, &pinned, e);
	if (r == 0 && !pinned) /* a copy is where it was */
		r = box_where_require(&p.box, g->ctx.by.cwd, e);
	if (r == 0)
		r = box_diff(&p.shelf, &p.box, p.snapshot, NULL, "", &changes, &left, e);
	if (r == 0 && (needs(g, "changes.lines-added") || needs(g, "changes.lines-removed")))
		r = count_lines(&g->diff, &changes, e);
	if (r == 0)
		count_changes(g, &changes);
	return r;
}

/* NULL: it is not known. */
static const struct gate_diff *diff(struct gate *g)
{
	if (begin_look(g, &g->diff.look))
		look_at_changes(g, &g->diff.look.e);
	return g->diff.look.e.code ? NULL : &g->diff;
}

static const json_t *promotion(struct gate *g)
{
	json_t *args;

	if (!begin_look(g, &g->promotion.look))
		return g->promotion.said;
	args = json_pack("{s:s*, s:b, s:s}", "box", g->point, "dry-run", 1, "drift", "off");
	if (g->box_project && strcmp(g->dir, g->box_project) != 0)
		json_object_set_new(args, "to", json_string(g->dir));
	op_promote.run(&g->ctx, args, &g->promotion.said, &g->promotion.look.e);
	json_decref(args);
	return g->promotion.said;
}

void gate_look_at_drift(struct gate *g)
{
	scoped(point_finish) struct point p = POINT_INIT;

	if (!begin_look(g, &g->drift) || point_open_box(g->box, false, &p, &g->drift.e) < 0)
		return;
	drift_report_make(&(struct drift_wish){ .ms = 0 }, &p.shelf, &p.box, "", &g->verdict->drift);
}

static void count_findings(void *ctx, const char *path, const struct scan_report *report,
			   const struct facts *facts)
{
	struct gate *g = ctx;

	(void)path;
	(void)facts;
	g->scan.findings += report->n_findings + report->more;
}

static int look_at_programs(struct gate *g, struct aisbx_error *e)
{
	scoped(scan_policy_finish) struct scan_policy policy = { 0 };
	scoped(box_scan_finish) struct box_scan scan = { .policy = &policy,
							 .found = count_findings,
							 .ctx = g };
	scoped(point_finish) struct point p = POINT_INIT;
	int r = scan_policy_default(&policy, e);

	if (r == 0)
		r = point_open(g->point, false, &p, e);
	if (r == 0)
		r = box_scan_changes(&scan, &p.shelf, &p.box, p.snapshot, e);
	g->scan.risk = scan.risk;
	return r;
}

static const struct gate_scan *scan(struct gate *g)
{
	if (begin_look(g, &g->scan.look))
		look_at_programs(g, &g->scan.look.e);
	return g->scan.look.e.code ? NULL : &g->scan;
}

/* What was run in the box before. */
static int add_history(struct gate *g, struct aisbx_error *e)
{
	struct store_run_filter filter = { .box = g->box, .limit = MAX_RUNS, .results = true };
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_run *runs = NULL;
	size_t n = 0;
	int r = box_shelf_open(&shelf, e);

	if (r == 0)
		r = store_run_list(shelf.store, &filter, &runs, &n, e);
	for (size_t i = 0; i < n; i++) {
		json_t *result = runs[i].result ? json_loads(runs[i].result, 0, NULL) : NULL;

		json_object_set_new(g->counted, runs[i].id, result ? result : json_null());
	}
	store_run_list_finish(runs, n);
	return r;
}

/* All runs that count, by id: of the box's history, of this judgement, and what whoever asks brings along. */
static const json_t *runs(struct gate *g)
{
	const json_t *run;
	size_t i;

	if (g->runs.look.asked)
		return g->runs.said;
	g->runs.look.asked = true;
	if (g->box[0] && add_history(g, &g->runs.look.e) < 0)
		return NULL;
	json_array_foreach(g->subject->runs, i, run) if (json_is_string(json_object_get(run, "run")))
		json_object_set(g->counted, json_string_value(json_object_get(run, "run")), (json_t *)run);
	g->runs.said = json_incref(g->counted);
	return g->runs.said;
}

static double sum_violations(const json_t *run, const char *kind)
{
	const json_t *v;
	double sum = 0;
	size_t i;

	json_array_foreach(json_object_get(run, "violations"), i, v)
	{
		const char *is = json_string_value(json_object_get(v, "kind"));

		if (is && (kind ? !strcmp(is, kind)
				: strcmp(is, "limit") != 0)) /* limits are a fact of their own */
			sum += json_number_value(json_object_get(v, "count"));
	}
	return sum;
}

/* KIND NULL: all but limits. */
static struct expr_value violations(struct gate *g, const char *kind)
{
	const json_t *all = runs(g), *run;
	bool unsure = false;
	const char *id;
	double sum = 0;

	if (!all)
		return unknown(g->runs.look.e.text);
	json_object_foreach((json_t *)all, id, run)
	{
		double more = json_number_value(json_object_get(run, "violations_not_listed"));

		if (!json_is_array(json_object_get(run, "violations")))
			return unknown("of a run in it nothing is kept");
		sum += sum_violations(run, kind) + (kind ? 0 : more);
		unsure = unsure || (kind && more > 0);
	}
	return unsure && sum == 0 ? unknown("a run had too many violations to list them all") : number(sum);
}

static struct expr_value no_violations(struct gate *g, const char *kind)
{
	struct expr_value v = violations(g, kind);

	if (v.known)
		v.number = v.number == 0;
	return v;
}

static struct expr_value usage(struct gate *g, const char *key, bool sum)
{
	const json_t *all = runs(g), *run;
	double total = 0;
	const char *id;

	if (!all)
		return unknown(g->runs.look.e.text);
	if (!json_object_size(all))
		return unknown("nothing was run");
	json_object_foreach((json_t *)all, id, run)
	{
		const json_t *n = json_object_get(json_object_get(run, "usage"), key);
		double v = json_number_value(n);

		if (!json_is_number(n))
			return unknown("of a run in it nothing is kept");
		total = sum ? total + v : v > total ? v : total;
	}
	return number(total);
}

static struct expr_value usage_most(struct gate *g, const char *key)
{
	return usage(g, key, false);
}

static struct expr_value usage_sum(struct gate *g, const char *key)
{
	return usage(g, key, true);
}

static struct expr_value limits(struct gate *g, const char *key)
{
	const json_t *all = runs(g), *run;
	const char *id;
	double n = 0;

	(void)key;
	if (!all)
		return unknown(g->runs.look.e.text);
	json_object_foreach((json_t *)all, id, run)
	{
		if (!json_is_object(run))
			return unknown("of a run in it nothing is kept");
		n += json_is_object(json_object_get(run, "limit"));
	}
	return number(n);
}

static struct expr_value count_runs(struct gate *g, const char *key)
{
	const json_t *all = runs(g);

	(void)key;
	return all ? number((double)json_object_size(all)) : unknown(g->runs.look.e.text);
}

static struct expr_value intent(struct gate *g, const char *name)
{
	const struct gate_said *l = &g->intents[intent_by_name(name)];
	const char *status = json_string_value(json_object_get(l->said, "status"));

	if (!l->said)
		return l->look.e.code == -ENOENT ? number(expr_result("none")) : unknown("it was not run");
	if (!status || !strcmp(status, "error"))
		return unknown(json_is_string(json_object_get(l->said, "error"))
				       ? json_string_value(json_object_get(l->said, "error"))
				       : "it could not be run");
	return number(expr_result(gate_run_passed(l->said) ? "pass" : "fail"));
}

static struct expr_value tally(struct gate *g, const char *key)
{
	const json_t *run = g->intents[INTENT_TEST].said, *tests = json_object_get(run, "tests");

	if (!run)
		return unknown("no test was run");
	if (!gate_run_passed(run)) /* what is printed is no fact by itself */
		return unknown("the tests did not pass, whatever they wrote");
	return json_is_object(tests) ? number_in(tests, key)
				     : unknown("what the tests wrote is not plain about it");
}

static struct expr_value change_sum(struct gate *g, const char *key)
{
	const struct gate_diff *d = diff(g);

	if (!d)
		return unknown(g->diff.look.e.text);
	for (enum change_kind k = CHANGE_NONE + 1; key && k < CHANGE_KIND_COUNT; k++)
		if (!strcmp(change_kind_name(k), key))
			return number((double)d->counts[k]);
	return number((double)d->n);
}

static struct expr_value lines(struct gate *g, const char *key)
{
	const struct gate_diff *d = diff(g);

	if (!d)
		return unknown(g->diff.look.e.text);
	if (d->unread)
		return unknown("a changed file cannot be read");
	return number(!strcmp(key, "insertions") ? d->added : d->removed);
}

static struct expr_value paths(struct gate *g, const char *key)
{
	(void)key;
	if (!diff(g))
		return unknown(g->diff.look.e.text);
	return g->paths.failed ? unknown("there is no memory for it")
			       : (struct expr_value){ .known = true, .paths = &g->paths };
}

static struct expr_value promoted(struct gate *g, const char *key)
{
	const json_t *p = promotion(g);

	if (!p)
		return unknown(g->promotion.look.e.text);
	if (!strcmp(key, "stale"))
		return number((double)json_array_size(json_object_get(p, key)) +
			      (double)op_list_more(p, key));
	return number_in(json_object_get(p, "summary"), key);
}

static struct expr_value drifted(struct gate *g, const char *key)
{
	static const enum drift_kind kinds[] = { DRIFT_CHANGED, DRIFT_ADDED, DRIFT_DELETED, DRIFT_RENAMED,
						 DRIFT_LOST };
	const struct drift_report *d = &g->verdict->drift;
	double n = 0;

	(void)key;
	gate_look_at_drift(g);
	if (!d->told)
		return unknown(g->drift.e.text);
	if (d->failed)
		return unknown(d->why.text);
	if (!d->found.drift.complete)
		return unknown("the clock was set back since the box was made");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		n += (double)d->found.drift.counts[kinds[i]];
	return number(n);
}

static struct expr_value risk(struct gate *g, const char *key)
{
	const struct gate_scan *s = scan(g);

	(void)key;
	return s ? number(expr_level(scan_severity_name(s->risk))) : unknown(g->scan.look.e.text);
}

static struct expr_value findings(struct gate *g, const char *key)
{
	const struct gate_scan *s = scan(g);

	(void)key;
	return s ? number((double)s->findings) : unknown(g->scan.look.e.text);
}

static struct expr_value score(struct gate *g, const char *key)
{
	(void)key;
	return g->score;
}

static const struct source {
	const char *fact;
	struct expr_value (*make)(struct gate *g, const char *key);
	const char *key;
} sources[] = {
	{ "tests", intent, "test" },
	{ "tests.passed", tally, "passed" },
	{ "tests.failed", tally, "failed" },
	{ "tests.skipped", tally, "skipped" },
	{ "build", intent, "build" },
	{ "lint", intent, "lint" },
	{ "format", intent, "format" },
	{ "bench", intent, "bench" },
	{ "risk", risk, NULL },
	{ "risk.findings", findings, NULL },
	{ "changes", change_sum, NULL },
	{ "changes.created", change_sum, "created" },
	{ "changes.modified", change_sum, "modified" },
	{ "changes.deleted", change_sum, "deleted" },
	{ "changes.replaced", change_sum, "replaced" },
	{ "changes.mode", change_sum, "mode" },
	{ "changes.lines-added", lines, "insertions" },
	{ "changes.lines-removed", lines, "deletions" },
	{ "changed", paths, NULL },
	{ "traps", promoted, "traps" },
	{ "conflicts", promoted, "conflicts" },
	{ "secrets", promoted, "secrets" },
	{ "stale", promoted, "stale" },
	{ "drift", drifted, NULL },
	{ "violations", violations, NULL },
	{ "violations.network", violations, "net" },
	{ "no-violations", no_violations, NULL },
	{ "no-network-violations", no_violations, "net" },
	{ "limits", limits, NULL },
	{ "usage.mem_peak", usage_most, "mem_peak" },
	{ "usage.disk", usage_most, "disk" },
	{ "usage.cpu", usage_sum, "cpu_ms" },
	{ "usage.wall", usage_sum, "wall_ms" },
	{ "usage.pids_peak", usage_most, "pids_peak" },
	{ "runs", count_runs, NULL },
	{ "score", score, NULL },
};

#define ONE(name, type, help) +1
_Static_assert(sizeof(sources) / sizeof(*sources) == 0 EXPR_FACTS(ONE) &&
		       sizeof(sources) / sizeof(*sources) <= GATE_MAX_FACTS,
	       "every fact has a source");
#undef ONE

struct expr_value gate_fact(void *gate, size_t fact)
{
	const char *name = expr_facts[fact].name;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (!strcmp(sources[i].fact, name))
			return sources[i].make(gate, sources[i].key);
	return unknown("nobody makes it");
}

static json_t *value_json(const struct expr_value *v, enum expr_type type)
{
	if (!v->known)
		return json_null();
	if (type == EXPR_PATHS) {
		json_t *list = json_array();

		for (size_t i = 0; i < v->paths->n; i++) {
			json_t *path = json_string(v->paths->items[i]);

			json_array_append_new(list, path ? path : json_null());
		}
		return list;
	}
	if (type == EXPR_LEVEL || type == EXPR_RESULT)
		return json_string(expr_name_of(type, v->number));
	if (type == EXPR_BOOL)
		return json_boolean(v->number != 0);
	if (v->number > -MAX_WHOLE && v->number < MAX_WHOLE && v->number == (double)(json_int_t)v->number)
		return json_integer((json_int_t)v->number);
	return json_real(v->number);
}

void gate_facts_fill(struct gate *g, struct gate_facts *ret)
{
	for (size_t i = 0; expr_facts[i].name; i++) {
		ret->asked[i] = g->needed[i];
		if (g->needed[i])
			ret->values[i] = gate_fact(g, i);
	}
}

json_t *gate_facts_json(const struct gate_facts *f)
{
	json_t *all = json_object();

	for (size_t i = 0; expr_facts[i].name; i++)
		if (f->asked[i])
			json_object_set_new(all, expr_facts[i].name,
					    value_json(&f->values[i], expr_facts[i].type));
	return all;
}
