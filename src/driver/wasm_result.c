/* SPDX-License-Identifier: Apache-2.0 */
/* Makes what a program's host told part of the result of its run. */
#include <errno.h>
#include <string.h>

#include "driver/violation.h"
#include "driver/wasm.h"

static int stopped_by(enum limit l, uint64_t used, const struct run_spec *spec, struct driver_result *result)
{
	bool is_told = result->outcome.limit == l; /* by the program's last words */

	result->outcome.end = RUN_STOPPED;
	result->outcome.limit = l;
	result->outcome.limit_used = used;
	result->outcome.limit_unsure = false;
	return is_told ? 0 : violation_add_limit(result, spec, l);
}

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
		err = stopped_by(LIMIT_FUEL, r->fuel, spec, result);
	} else if (r->memory && result->limits[LIMIT_MEMORY]) {
		if (o->usage.mem_peak < r->memory)
			o->usage.mem_peak = r->memory;
		err = stopped_by(LIMIT_MEMORY, r->memory, spec, result);
	}
	for (size_t i = 0; err == 0 && i < r->n_imports; i++)
		err = violation_add_import(result, r->imports[i].module, r->imports[i].name);
	return err;
}
