/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine can do for boxes: what the kernel was found able to do, joined with what a box needs, and
 * then a box that was started. Where the two disagree the box is right. */
#ifndef BOX_DOCTOR_H
#define BOX_DOCTOR_H

#include "aisbx/error.h"
#include "box/caller.h"
#include "box/leaks.h"
#include "sys/probe.h"

struct doctor_check {
	const char *name;   /* static; walls are called as in --without */
	const char *status; /* static; ok, missing, or limited: there, but a newer kernel gives more */
	char *detail;       /* owned; what was tried and what came of it */
	char *fix;          /* owned; what brings it; NULL: nothing is known */
	bool refuses;       /* a run does not start because of it */
};

/* Beside the walls and abilities: limits, WebAssembly, ids, store, box, and OCI runtimes. */
#define DOCTOR_RUNTIMES 4
#define DOCTOR_CHECKS   (PROBE_COUNT + 5 + DOCTOR_RUNTIMES)

struct doctor {
	struct probe probe;
	const char *mode; /* static; root, user or nested */
	bool starts;      /* a box was started just now, and it worked */
	bool full;        /* with all walls */
	struct doctor_check checks[DOCTOR_CHECKS];
	size_t n;
	struct leaks leaks; /* owned; nothing without them */
};

void doctor_finish(struct doctor *d);
/* DESK: NULL, or leaks are counted, too, see box/leaks.h. */
int doctor_look(const struct caller *by, const char *scratch_dir, struct doctor *ret, struct aisbx_error *e);

#endif
