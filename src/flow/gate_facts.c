/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what is known of a candidate to the facts that expressions ask for. Looks happen when the first
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
#include "box/moved.h"
#include "box/lookup.h"
#include "expr/facts.h"
#include "flow/gate_internal.h"
#include "promote/apply.h"

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

/* The first time only: whether there is a box to look at. */
static bool begin_look(const struct gate *g, struct gate_look *l)
{
	if (l->asked)
		return false;
	l->asked = true;
	if (g->point)
		return true;
	aisbx_refuse(&l->e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "a directory has no changes of a box");
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
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	struct box_ignored left = { 0 };
	int64_t pinned = 0;
	int r = lookup_open(g->point, false, &p, e);

	if (r == 0)
		r = box_pinned_ms(&p.state, &p.box, &pinned, e);
	if (r == 0 && !pinned) /* a copy is where it was */
		r = box_moved_require(&p.box, g->by.cwd, e);
	if (r == 0)
		r = box_diff(&p.state, &p.box, p.snapshot, NULL, "", &changes, &left, e);
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

static void look_at_promotion(struct gate *g, struct gate_promotion *ret)
{
	const struct promote_request req = {
		.box = g->point,
		.to = g->box_project && strcmp(g->dir, g->box_project) != 0 ? g->dir : NULL,
		.dry_run = true,
		.drift.off = true,
	};
	scoped(promote_report_finish) struct promote_report would = { 0 };

	if (promote_apply(&g->by, &req, &would, &ret->look.e) < 0)
		return;
	ret->traps = would.promotion.n_traps;
	ret->conflicts = would.promotion.n_conflicts;
	ret->secrets = would.promotion.secret_leaks.n_stopping;
	ret->stale = would.promotion.plan.n_stale;
}

/* NULL: it is not known. */
static const struct gate_promotion *promotion(struct gate *g)
{
	if (begin_look(g, &g->promotion.look))
		look_at_promotion(g, &g->promotion);
	return g->promotion.look.e.code ? NULL : &g->promotion;
}

void gate_look_at_drift(struct gate *g)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;

	if (!begin_look(g, &g->drift) || lookup_open_box(g->box, false, &p, &g->drift.e) < 0)
		return;
	drift_report_make(&(struct drift_options){ .ms = 0 }, &p.state, &p.box, "", &g->verdict->drift);
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
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	int r = scan_policy_default(&policy, e);

	if (r == 0)
		r = lookup_open(g->point, false, &p, e);
	if (r == 0)
		r = box_scan_changes(&scan, &p.state, &p.box, p.snapshot, e);
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
	scoped(box_state_close) struct box_state state = { 0 };
	struct store_run *found = NULL;
	const size_t known = g->runs.n;
	size_t n = 0;
	int r = box_state_open(&state, e);

	if (r == 0)
		r = store_run_list(state.store, &filter, &found, &n, e);
	for (size_t i = 0; i < n; i++) {
		json_t *kept = found[i].result ? json_loads(found[i].result, 0, NULL) : NULL;
		scoped(run_facts_finish) struct run_facts facts = run_facts_read(found[i].id, kept);

		run_facts_list_add_new(&g->runs, known, &facts);
		json_decref(kept);
	}
	store_run_list_finish(found, n);
	return r;
}

/* All runs that count: of this judgement, what whoever asks brings along, and of the box's history. NULL:
 * they are not known. */
static const struct run_facts_list *runs(struct gate *g)
{
	const struct run_facts_list *brought = g->subject->runs;

	if (!g->history.asked) {
		g->history.asked = true;
		for (size_t i = 0; brought && i < brought->n; i++)
			run_facts_list_add(&g->runs, &brought->items[i]);
		if (g->box[0])
			add_history(g, &g->history.e);
		if (!g->history.e.code && (g->runs.failed || (brought && brought->failed)))
			aisbx_fail(&g->history.e, AISBX_AREA_STORE, ENOMEM, "list the runs");
	}
	return g->history.e.code ? NULL : &g->runs;
}

/* KIND NULL: all but limits. */
static struct expr_value violations(struct gate *g, const char *kind)
{
	const struct run_facts_list *all = runs(g);
	bool unsure = false;
	double sum = 0;

	if (!all)
		return unknown(g->history.e.text);
	for (size_t i = 0; i < all->n; i++) {
		const struct run_facts *run = &all->items[i];

		if (!run->has_violations)
			return unknown("no results of its runs are stored");
		sum += kind ? run->net : run->violations + run->not_listed;
		unsure = unsure || (kind && (run->not_listed > 0 || run->net_not_kept > 0));
	}
	return unsure && sum == 0 ? unknown("a run had too many violations to list all of them")
				  : number(sum);
}

static struct expr_value no_violations(struct gate *g, const char *kind)
{
	struct expr_value v = violations(g, kind);

	if (v.known)
		v.number = v.number == 0;
	return v;
}

static void add_hosts(struct strlist *to, const json_t *hosts)
{
	const json_t *host;
	size_t i;

	json_array_foreach(hosts, i, host)
	{
		const char *name = json_string_value(host);
		bool there = !name;

		for (size_t k = 0; !there && k < to->n; k++)
			there = !strcmp(to->items[k], name);
		if (!there)
			strlist_add(to, name);
	}
}

/* What all runs reached together; why it is not known, or NULL. */
static const char *look_at_hosts(struct gate *g)
{
	const struct run_facts_list *all = runs(g);

	for (size_t i = 0; all && i < all->n; i++) {
		if (!all->items[i].is_kept)
			return "no results of its runs are stored";
		if (!all->items[i].has_net)
			return "a run had no wall around its network";
		if (all->items[i].net_not_kept > 0)
			return "a run wanted too much of the network to list all of it";
		add_hosts(&g->hosts, all->items[i].hosts);
	}
	return !all ? g->history.e.text : g->hosts.failed ? "out of memory" : NULL;
}

static struct expr_value hosts(struct gate *g, const char *key)
{
	const char *why = look_at_hosts(g);

	if (why)
		return unknown(why);
	return key ? number((double)g->hosts.n) : (struct expr_value){ .known = true, .paths = &g->hosts };
}

static struct expr_value traffic(struct gate *g, const char *key)
{
	const char *why = look_at_hosts(g);
	double sum = 0;

	for (size_t i = 0; !why && i < g->runs.n; i++)
		sum += strcmp(key, "sent") ? g->runs.items[i].received : g->runs.items[i].sent;
	return why ? unknown(why) : number(sum);
}

static struct expr_value usage(struct gate *g, enum run_use use, bool sum)
{
	const struct run_facts_list *all = runs(g);
	double total = 0;

	if (!all)
		return unknown(g->history.e.text);
	if (!all->n)
		return unknown("nothing was run");
	for (size_t i = 0; i < all->n; i++) {
		double v = all->items[i].use[use];

		if (!all->items[i].has_use[use])
			return unknown("no results of its runs are stored");
		total = sum ? total + v : v > total ? v : total;
	}
	return number(total);
}

static struct expr_value mem_peak(struct gate *g, const char *key)
{
	(void)key;
	return usage(g, USE_MEM_PEAK, false);
}

static struct expr_value disk(struct gate *g, const char *key)
{
	(void)key;
	return usage(g, USE_DISK, false);
}

static struct expr_value pids_peak(struct gate *g, const char *key)
{
	(void)key;
	return usage(g, USE_PIDS_PEAK, false);
}

static struct expr_value cpu_ms(struct gate *g, const char *key)
{
	(void)key;
	return usage(g, USE_CPU_MS, true);
}

static struct expr_value wall_ms(struct gate *g, const char *key)
{
	(void)key;
	return usage(g, USE_WALL_MS, true);
}

static struct expr_value limits(struct gate *g, const char *key)
{
	const struct run_facts_list *all = runs(g);
	double n = 0;

	(void)key;
	if (!all)
		return unknown(g->history.e.text);
	for (size_t i = 0; i < all->n; i++) {
		if (!all->items[i].is_kept)
			return unknown("no results of its runs are stored");
		n += all->items[i].limited;
	}
	return number(n);
}

static struct expr_value count_runs(struct gate *g, const char *key)
{
	const struct run_facts_list *all = runs(g);

	(void)key;
	return all ? number((double)all->n) : unknown(g->history.e.text);
}

static struct expr_value intent(struct gate *g, const char *name)
{
	const struct gate_said *l = &g->intents[intent_by_name(name)];

	if (!l->run)
		return l->look.e.code == -ENOENT ? number(expr_result("none")) : unknown("it was not run");
	if (!strcmp(l->run->report.status, "error"))
		return unknown(l->run->report.error ? l->run->report.error : "it could not be run");
	return number(expr_result(gate_run_passed(l->run) ? "pass" : "fail"));
}

static struct expr_value tally(struct gate *g, const char *key)
{
	const struct gate_run *run = g->intents[INTENT_TEST].run;

	if (!run)
		return unknown("no test was run");
	if (!gate_run_passed(run)) /* what is printed is no fact by itself */
		return unknown("the tests did not pass, whatever their output says");
	if (!run->counted)
		return unknown("the output of the tests is not clear about it");
	return number((double)(!strcmp(key, "passed")   ? run->tests.passed
			       : !strcmp(key, "failed") ? run->tests.failed
							: run->tests.skipped));
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
	return g->paths.failed ? unknown("out of memory")
			       : (struct expr_value){ .known = true, .paths = &g->paths };
}

static struct expr_value promoted(struct gate *g, const char *key)
{
	const struct gate_promotion *p = promotion(g);

	if (!p)
		return unknown(g->promotion.look.e.text);
	return number((double)(!strcmp(key, "traps")       ? p->traps
			       : !strcmp(key, "conflicts") ? p->conflicts
			       : !strcmp(key, "secrets")   ? p->secrets
							   : p->stale));
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
	{ "net.hosts", hosts, NULL },
	{ "net.hosts.count", hosts, "count" },
	{ "net.sent", traffic, "sent" },
	{ "net.received", traffic, "received" },
	{ "limits", limits, NULL },
	{ "usage.mem_peak", mem_peak, NULL },
	{ "usage.disk", disk, NULL },
	{ "usage.cpu", cpu_ms, NULL },
	{ "usage.wall", wall_ms, NULL },
	{ "usage.pids_peak", pids_peak, NULL },
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
	return unknown("nothing provides it");
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
