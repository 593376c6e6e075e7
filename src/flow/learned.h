/* SPDX-License-Identifier: Apache-2.0 */
/* What was learned, as the text of a profile and value by value. */
#ifndef FLOW_LEARNED_H
#define FLOW_LEARNED_H

#include "base/buf.h"
#include "flow/learn_trial.h"

/* What the profile says, and what that came from. */
struct learned_value {
	const char *key;   /* static; "a.b" is b below a */
	char *value, *why; /* owned */
};

struct learned {
	struct buf text;              /* of the profile */
	struct learned_value *values; /* owned */
	size_t n;
	bool failed; /* no memory for one of them */
};

/* NAME: of the profile; NULL: the usual. */
int learned_write(const struct trial *t, const struct trial_case *c, const char *name, struct learned *ret,
		  struct aisbx_error *e);
void learned_finish(struct learned *l);

#endif
