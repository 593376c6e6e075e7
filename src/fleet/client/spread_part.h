/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of spread.h share. */
#ifndef FLEET_CLIENT_SPREAD_PART_H
#define FLEET_CLIENT_SPREAD_PART_H

#include <sys/types.h>

#include "base/buf.h"
#include "fleet/client/spread.h"
#include "fleet/core/types.h"

/* One branch, and the process that follows its job. */
struct spread_branch {
	const char *name;  /* borrowed */
	json_t *arguments; /* borrowed; of its job */
	pid_t pid;         /* 0: it does not run */
	int from;          /* owned; its result */
	struct buf text;   /* of that */
	char job[FLEET_NAME], node[FLEET_NAME];
};

struct spread {
	const struct spread_request *q;
	json_t *split;                  /* owned; as op_try_split has it */
	json_t *reports;                /* owned; of branches that have ended, by their place */
	struct spread_branch *branches; /* owned */
	size_t n, begun, ended;
	size_t most;     /* at once */
	size_t first;    /* who passed first, from 1; 0: none yet */
	bool is_stopped; /* the others were told to end */
	int signal;      /* that ended it; 0: none */
};

/* What the process of branch I has said; WHY: of one that was told to end, else NULL. True: it passed. */
bool spread_take_report(struct spread *s, size_t i, const char *why);
/* Compares, brings the winner home, promotes it if that is asked for, and shows all. */
int spread_conclude(struct spread *s, double wall_ms, struct aisbx_error *e);

#endif
