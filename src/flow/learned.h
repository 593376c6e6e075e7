/* SPDX-License-Identifier: Apache-2.0 */
/* What was learned, as the text of a profile and as a report. Inside op/ only. */
#ifndef FLOW_LEARNED_H
#define FLOW_LEARNED_H

#include <jansson.h>

#include "base/buf.h"
#include "flow/trial.h"

struct learned {
	struct buf text; /* of the profile */
	json_t *values;  /* owned; as the report lists them */
};

/* ARGS: of the operation. */
int learned_write(const struct trial *t, const struct trial_case *c, const json_t *args, struct learned *ret,
		  struct aisbx_error *e);
json_t *learned_report(const struct trial *t, const struct learned *l);
void learned_finish(struct learned *l);

#endif
