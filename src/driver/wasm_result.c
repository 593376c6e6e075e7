/* SPDX-License-Identifier: Apache-2.0 */
/* Makes what a program's host told part of the result of its run. */
#include <errno.h>
#include <string.h>

#include "driver/violation.h"
#include "driver/wasm.h"

int wasm_report_apply(const struct wasm_report *r, const struct run_spec *spec, struct driver_result *result)
{
	struct run_outcome *o = &result->outcome;
	int err = 0;

	result->has_fuel = r->has_fuel;
	result->fuel = r->fuel;
	if (o->end != RUN_EXITED) /* the supervisor was first, and knows better */
		return 0;
	memcpy(result->trap, r->trap, sizeof(result->trap));
	if (r->failure && !(result->failure = strdup(r->failure)))
		return -ENOMEM;
	if (r->out_of_fuel && result->limits[LIMIT_FUEL]) {
		o->end = RUN_STOPPED;
		o->limit = LIMIT_FUEL;
		o->limit_used = r->fuel;
		err = violation_add_limit(result, spec, LIMIT_FUEL);
	}
	for (size_t i = 0; err == 0 && i < r->n_imports; i++)
		err = violation_add_import(result, r->imports[i].module, r->imports[i].name);
	return err;
}
