/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of drivers. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

static const struct driver *const drivers[] = { &driver_native };

const struct driver *driver_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(drivers[i]->name, name))
			return drivers[i];
	return NULL;
}

void driver_result_finish(struct driver_result *r)
{
	for (size_t i = 0; i < r->n_violations; i++) {
		free(r->violations[i].what);
		free(r->violations[i].by);
		free(r->violations[i].rule);
		free(r->violations[i].allow_with);
	}
	free(r->violations);
	run_outcome_finish(&r->outcome);
	*r = (struct driver_result){ 0 };
}

int driver_freeze(int live_fd, struct aisbx_error *e)
{
	return run_freeze(live_fd, e);
}

int driver_is_frozen(int live_fd, struct aisbx_error *e)
{
	return run_is_frozen(live_fd, e);
}

void driver_sweep(void)
{
	cgroup_sweep();
}

bool driver_is_left(const char *name)
{
	return cgroup_is_left(name);
}
