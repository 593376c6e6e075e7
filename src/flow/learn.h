/* SPDX-License-Identifier: Apache-2.0 */
/* How little a command can do with, as a profile. */
#ifndef FLOW_LEARN_H
#define FLOW_LEARN_H

#include "flow/learned.h"

struct learn_request {                 /* borrowed */
	const struct run_options *run; /* the command, and what to begin with; without a profile: dev */
	const char *name;              /* of the profile; NULL: the usual */
	const char *output;            /* NULL, or a file to write it to, which must not be there yet */
};

struct learn_result {
	struct trial trial;   /* owned; how the command goes, and how often it ran */
	struct learned found; /* owned */
};

void learn_result_finish(struct learn_result *r);
/* RET is finished by the caller, also after an error. */
int learn_run(const struct caller *by, const struct learn_request *req, struct learn_result *ret,
	      struct aisbx_error *e);

#endif
