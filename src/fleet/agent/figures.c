/* SPDX-License-Identifier: Apache-2.0 */
/* Figures as text. Names of nodes, tenants and classes have no sign that would have to be escaped. */
#include "fleet/agent/figures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"

#define OTHER "(other)"
/* Of an epoch the lower bits are random. */
#define EPOCH_BITS 24

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_addf(out, "# HELP aisbx_%s %s\n# TYPE aisbx_%s %s\n", name, help, name, type);
}

void figure(struct buf *out, const char *name, const char *type, const char *help, double value)
{
	head(out, name, type, help);
	buf_addf(out, "aisbx_%s %.17g\n", name, value);
}

static void labelled(struct buf *out, const char *name, const char *label, const char *value, double figure)
{
	buf_addf(out, "aisbx_%s{%s=\"%s\"} %.17g\n", name, label, value, figure);
}

static int by_size(const void *a, const void *b)
{
	const struct fleet_sum *x = a, *y = b;
	const uint64_t n = x->waiting + x->held, m = y->waiting + y->held;

	return n != m ? (n < m) - (n > m) : strcmp(x->name, y->name);
}

/* The largest MOST stay; one more has the sum of the others. LIST has room for it. */
static size_t bound(struct fleet_sum *list, size_t n, size_t most)
{
	qsort(list, n, sizeof(*list), by_size);
	if (n <= most)
		return n;
	for (size_t i = most + 1; i < n; i++) {
		list[most].waiting += list[i].waiting;
		list[most].held += list[i].held;
		if (list[i].oldest_ms > list[most].oldest_ms)
			list[most].oldest_ms = list[i].oldest_ms;
	}
	strcpy(list[most].name, OTHER);
	return most + 1;
}

static double waiting(const struct fleet_sum *sum)
{
	return (double)sum->waiting;
}

static double held(const struct fleet_sum *sum)
{
	return (double)sum->held;
}

static double oldest(const struct fleet_sum *sum)
{
	return (double)sum->oldest_ms / 1000;
}

static double wanted(const struct fleet_sum *sum)
{
	return (double)(sum->waiting + sum->held);
}

static void family(struct buf *out, const char *name, const char *help, const char *label,
		   const struct fleet_sum *list, size_t n, double (*value)(const struct fleet_sum *sum))
{
	head(out, name, "gauge", help);
	for (size_t i = 0; i < n; i++)
		labelled(out, name, label, list[i].name, value(&list[i]));
}

static void write_queue(struct buf *out, struct fleet_hub_sums *sums)
{
	const struct fleet_sum *list = sums->classes;
	size_t n;

	figure(out, "fleet_classes", "gauge", "Classes that have jobs.", (double)sums->n_classes);
	figure(out, "fleet_tenants", "gauge", "Tenants that have jobs.", (double)sums->n_tenants);
	n = bound(sums->classes, sums->n_classes, FIGURES_CLASSES);
	family(out, "fleet_jobs_waiting", "Jobs that wait for a node.", "class", list, n, waiting);
	family(out, "fleet_jobs_held", "Jobs that nodes have.", "class", list, n, held);
	family(out, "fleet_oldest_wait_seconds", "How long the oldest job has waited.", "class", list, n,
	       oldest);
	family(out, "fleet_wanted_slots", "Slots that all jobs of the class would need to run now.", "class",
	       list, n, wanted);
	list = sums->tenants;
	n = bound(sums->tenants, sums->n_tenants, FIGURES_TENANTS);
	family(out, "fleet_tenant_jobs_waiting", "Jobs of the tenant that wait for a node.", "tenant", list,
	       n, waiting);
	family(out, "fleet_tenant_jobs_held", "Jobs of the tenant that nodes have.", "tenant", list, n, held);
	family(out, "fleet_tenant_oldest_wait_seconds", "How long the tenant's oldest job has waited.",
	       "tenant", list, n, oldest);
}

static void write_nodes(struct buf *out, const struct fleet_hub *hub, struct fleet_now now)
{
	static const struct {
		const char *name, *help;
	} all[] = {
		{ "fleet_node_slots", "Slots of the node." },
		{ "fleet_node_free_slots", "Jobs that the node would take now." },
		{ "fleet_node_jobs", "Jobs that the node has." },
		{ "fleet_node_draining", "1: the node takes nothing more." },
		{ "fleet_node_failing", "1: the last starts of jobs on the node all failed." },
		{ "fleet_node_silent_seconds", "Since the hub heard of the node." },
	};
	struct fleet_node_status *rows = fleet_new(FIGURES_NODES * sizeof(*rows));
	const size_t n = fleet_hub_nodes(hub, now, rows, FIGURES_NODES);

	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		head(out, all[k].name, "gauge", all[k].help);
		for (size_t i = 0; i < n; i++) {
			const double values[] = { rows[i].slots,        rows[i].room,
						  (double)rows[i].held, rows[i].draining,
						  rows[i].failing,      (double)rows[i].silent_ms / 1000 };

			labelled(out, all[k].name, "node", rows[i].name, values[k]);
		}
	}
	free(rows);
}

static void write_sums(struct buf *out, const struct fleet_hub_sums *sums)
{
	head(out, "fleet_nodes", "gauge", "Nodes, each in one state.");
	labelled(out, "fleet_nodes", "state", "ready",
		 (double)(sums->nodes - sums->lost - sums->draining - sums->failing));
	labelled(out, "fleet_nodes", "state", "draining", (double)sums->draining);
	labelled(out, "fleet_nodes", "state", "failing", (double)sums->failing);
	labelled(out, "fleet_nodes", "state", "lost", (double)sums->lost);
	figure(out, "fleet_slots", "gauge", "Slots of all nodes that are there.", (double)sums->slots);
	figure(out, "fleet_free_slots", "gauge", "Jobs that all nodes would take now.", (double)sums->room);
}

static void write_waits(struct buf *out, const struct fleet_hub_counts *counts)
{
	const char *name = "aisbx_fleet_time_to_begin_seconds";
	uint64_t n = 0;

	head(out, "fleet_time_to_begin_seconds", "histogram",
	     "From a job's being stored to the first offer of it to a node.");
	for (size_t i = 0; i < FLEET_WAITS; i++) {
		n += counts->waits[i];
		buf_addf(out, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, (double)fleet_waits_ms[i] / 1000,
			 n);
	}
	n += counts->waits[FLEET_WAITS];
	buf_addf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.17g\n%s_count %" PRIu64 "\n", name, n,
		 name, (double)counts->waited_ms / 1000, name, n);
}

static void write_counts(struct buf *out, const struct fleet_hub_counts *counts)
{
	figure(out, "fleet_attempts_total", "counter", "Attempts that were offered to nodes by this hub.",
	       (double)counts->begun);
	figure(out, "fleet_retries_total", "counter", "Of these, not the first of their job.",
	       (double)counts->repeated);
	head(out, "fleet_failed_attempts_total", "counter", "Attempts that came to nothing.");
	labelled(out, "fleet_failed_attempts_total", "reason", "not_started", (double)counts->not_started);
	labelled(out, "fleet_failed_attempts_total", "reason", "lost", (double)counts->lost);
	head(out, "fleet_jobs_total", "counter", "Jobs whose end this hub saw.");
	for (int phase = FLEET_ENDED; phase <= FLEET_UNKNOWN; phase++)
		labelled(out, "fleet_jobs_total", "end", fleet_phase_name((enum fleet_phase)phase),
			 (double)counts->ends[phase]);
	write_waits(out, counts);
}

void figures_hub(const struct fleet_hub *hub, struct fleet_now now, struct buf *out)
{
	struct fleet_hub_sums sums;

	figure(out, "fleet_active", "gauge",
	       "1: this hub is the active one. Others do not tell of queue and nodes.",
	       fleet_hub_is_active(hub));
	write_counts(out, fleet_hub_counts(hub));
	if (!fleet_hub_is_active(hub))
		return;
	fleet_hub_sums(hub, now, &sums);
	figure(out, "fleet_epoch", "gauge", "Rises with every change of hub.",
	       (double)(fleet_hub_epoch(hub) >> EPOCH_BITS));
	write_sums(out, &sums);
	write_queue(out, &sums);
	write_nodes(out, hub, now);
	fleet_hub_sums_finish(&sums);
}

void figures_node(const struct fleet_node *node, struct fleet_now now, bool connected, struct buf *out)
{
	const uint64_t lease = fleet_node_lease(node);
	const double left = lease > now.ms ? (double)(lease - now.ms) / 1000 : 0;
	struct fleet_node_sums sums;

	fleet_node_sums(node, &sums);
	figure(out, "node_connected", "gauge", "1: the node has a connection to NATS.", connected);
	figure(out, "node_slots", "gauge", "Jobs that run at once.", sums.slots);
	head(out, "node_jobs", "gauge", "Jobs that the node has.");
	labelled(out, "node_jobs", "state", "waiting", (double)sums.waits);
	labelled(out, "node_jobs", "state", "running", (double)sums.runs);
	labelled(out, "node_jobs", "state", "writing", (double)sums.writes);
	figure(out, "node_lease_seconds", "gauge", "How long the lease lasts from now; then all is killed.",
	       left);
	figure(out, "node_lease_age_seconds", "gauge",
	       "Since the last beat that a hub answered; the length of a lease if there was none.",
	       (double)sums.lease_ms / 1000 > left ? (double)sums.lease_ms / 1000 - left : 0);
	figure(out, "node_failed_starts", "gauge", "Jobs in a row that could not be started.",
	       sums.failed_starts);
	figure(out, "node_draining", "gauge", "1: the node takes nothing more.", sums.draining);
}

void figures_bus(const struct bus_counts *counts, struct buf *out)
{
	const char *name = "fleet_messages_dropped_total";

	head(out, name, "counter", "Messages that did not come through, by reason.");
	labelled(out, name, "reason", "malformed", (double)counts->malformed);
	labelled(out, name, "reason", "pretended", (double)counts->pretended);
	labelled(out, name, "reason", "no_room", (double)counts->lost);
	labelled(out, name, "reason", "not_sent", (double)counts->unsent);
}
