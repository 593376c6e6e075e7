/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For promote: both sides have commits of their own. They are merged in a fork of the box, which then
 * descends from the host's commit.
 */
#ifndef FLOW_PROMOTE_JOIN_H
#define FLOW_PROMOTE_JOIN_H

#include "box/caller.h"
#include "box/lifecycle.h"

struct join_request {             /* borrowed */
	const char *box;          /* NAME[@SNAPSHOT], not locked */
	const char *project;      /* of it */
	const char *commit;       /* the host's */
	bool rebase;              /* the box's commits go on top of it; else it is merged into them */
	const char *name, *email; /* who commits; NULL: nobody says */
};

/* Forks the box, joins the two there, and judges the outcome by the project's gates. An error: it could not
 * be, and nothing was changed. RET is the fork. */
int promote_join(const struct caller *by, const struct join_request *req, struct box_scratch *ret,
		 struct aisbx_error *e);

#endif
