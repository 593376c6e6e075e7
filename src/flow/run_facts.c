/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the history keeps of runs, as far as gates ask for it. */
#include "flow/run_facts.h"

#include <stdlib.h>
#include <string.h>

static const char *const use_names[RUN_USE_COUNT] = { [USE_MEM_PEAK] = "mem_peak",
						      [USE_DISK] = "disk",
						      [USE_CPU_MS] = "cpu_ms",
						      [USE_WALL_MS] = "wall_ms",
						      [USE_PIDS_PEAK] = "pids_peak" };

static void read_violations(const json_t *kept, struct run_facts *f)
{
	const json_t *list = json_object_get(kept, "violations"), *v;
	size_t i;

	f->has_violations = json_is_array(list);
	f->not_listed = json_number_value(json_object_get(kept, "violations_not_listed"));
	json_array_foreach(list, i, v)
	{
		const char *kind = json_string_value(json_object_get(v, "kind"));
		double count = json_number_value(json_object_get(v, "count"));

		if (!kind || !strcmp(kind, "limit")) /* limits are a fact of their own */
			continue;
		f->violations += count;
		f->net += strcmp(kind, "net") ? 0 : count;
	}
}

static bool had_wall(const json_t *kept, const char *wall)
{
	const json_t *name;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(kept, "isolation"), "missing"), i,
			   name) if (!strcmp(json_string_value(name) ? json_string_value(name) : "",
					     wall)) return false;
	return true;
}

/* A box without rules reaches nothing; of one without the wall nobody knows. */
static void read_net(const json_t *kept, struct run_facts *f)
{
	const json_t *net = json_object_get(kept, "net");

	f->has_net = f->is_kept && had_wall(kept, "net");
	f->sent = json_number_value(json_object_get(net, "sent"));
	f->received = json_number_value(json_object_get(net, "received"));
	f->net_not_kept = json_number_value(json_object_get(net, "not_kept"));
	f->hosts = json_incref(json_object_get(net, "hosts"));
}

void run_facts_finish(struct run_facts *f)
{
	json_decref(f->hosts);
	f->hosts = NULL;
}

struct run_facts run_facts_read(const char *id, const json_t *kept)
{
	const json_t *usage = json_object_get(kept, "usage");
	struct run_facts f = { .is_kept = json_is_object(kept),
			       .limited = json_is_object(json_object_get(kept, "limit")) };

	snprintf(f.run, sizeof(f.run), "%s", id);
	read_violations(kept, &f);
	read_net(kept, &f);
	for (int i = 0; i < RUN_USE_COUNT; i++) {
		const json_t *n = json_object_get(usage, use_names[i]);

		f.has_use[i] = json_is_number(n);
		f.use[i] = json_number_value(n);
	}
	return f;
}

struct run_facts run_facts_of(const struct run_report *report)
{
	return run_facts_read(report->run, report->said);
}

const char *run_refused_net(const struct run_report *report)
{
	const char *last = NULL;
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(report->said, "violations"), i, v)
	{
		const char *kind = json_string_value(json_object_get(v, "kind")),
			   *what = json_string_value(json_object_get(v, "what"));

		if (kind && what && (!strcmp(kind, "net") || strstr(what, "socket")))
			last = what;
	}
	return last;
}

void run_facts_list_finish(struct run_facts_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		run_facts_finish(&l->items[i]);
	free(l->items);
	*l = (struct run_facts_list){ 0 };
}

static void append(struct run_facts_list *l, const struct run_facts *f)
{
	struct run_facts *more = l->items;

	if (!(l->n & (l->n - 1))) /* it is full: room for as many again */
		more = realloc(l->items, (l->n ? 2 * l->n : 1) * sizeof(*more));
	l->failed = l->failed || !more;
	if (!more)
		return;
	l->items = more;
	json_incref(f->hosts);
	l->items[l->n++] = *f;
}

void run_facts_list_add(struct run_facts_list *l, const struct run_facts *f)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i].run, f->run)) {
			json_incref(f->hosts); /* first: they may be the same */
			run_facts_finish(&l->items[i]);
			l->items[i] = *f;
			return;
		}
	append(l, f);
}

void run_facts_list_add_new(struct run_facts_list *l, size_t until, const struct run_facts *f)
{
	for (size_t i = 0; i < until && i < l->n; i++)
		if (!strcmp(l->items[i].run, f->run))
			return;
	append(l, f);
}
