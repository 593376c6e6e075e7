/* SPDX-License-Identifier: Apache-2.0 */
/* The table of drivers, and the only way to what is in it. */
#include "driver/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run/ready_box.h"

#define DRIVER_ROW(name) &driver_##name,
static const struct driver *const drivers[] = { DRIVERS(DRIVER_ROW) };
#define N_DRIVERS (sizeof(drivers) / sizeof(*drivers))

const struct driver *driver_by_name(const char *name)
{
	size_t n = strcspn(name, ":");

	for (size_t i = 0; i < N_DRIVERS; i++)
		if (strlen(drivers[i]->name) == n && !strncmp(drivers[i]->name, name, n))
			return !name[n] || drivers[i]->can & DRIVER_RUNTIMES ? drivers[i] : NULL;
	return NULL;
}

bool driver_is_for_persons(const char *name)
{
	const struct driver *d = name ? driver_by_name(name) : NULL;

	return d && d->can & DRIVER_NAMED;
}

const struct driver *driver_default(void)
{
	return drivers[0];
}

int driver_of(const struct run_spec *spec, const struct driver **ret_driver, struct aisbx_error *e)
{
	const char *name = spec->box.driver ? spec->box.driver : spec->profile.driver;
	const struct driver *d = name ? driver_by_name(name) : driver_default();

	if (!d)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "there is no driver '%s'; write native, oci, oci:RUNTIME, wasm or chroot",
				    name);
	*ret_driver = d;
	return 0;
}

uint64_t driver_limit_met(const struct driver_result *r, enum limit l)
{
	uint64_t soft = r->outcome.files_soft;

	return l == LIMIT_FILES && soft ? soft : r->limits[l];
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
	free(r->failure);
	strlist_finish(&r->devices);
	run_outcome_finish(&r->outcome);
	*r = (struct driver_result){ 0 };
}

static int refuse(const struct driver *d, const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			    "the driver '%s' cannot %s; the driver '%s' can", d->name, what,
			    driver_default()->name);
}

static int check_walls(const struct driver *d, const struct run_spec *spec, struct aisbx_error *e)
{
	uint32_t lacking = WALL_ALL & ~spec->walls.without & ~d->walls & ~d->gives_up;

	for (enum wall w = 0; w < WALL_COUNT; w++) {
		if (!(lacking & (1u << w)))
			continue;
		aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			     "the driver '%s' does not build the wall '%s'", d->name, wall_name(w));
		return WALL_ALWAYS & (1u << w)
			       ? e->code
			       : aisbx_hint(e, "--without %s runs the command without it", wall_name(w));
	}
	return 0;
}

static int check_limits(const struct driver *d, const struct run_spec *spec, struct aisbx_error *e)
{
	const struct profile *p = &spec->profile;

	for (enum limit l = 0; l < LIMIT_COUNT; l++) {
		bool asked = p->limits[l] || (l == LIMIT_MEMORY && p->memory_share);

		if (asked && !(d->limits & (1u << l)))
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
					    "the driver '%s' cannot enforce the limit '%s', which profile "
					    "'%s' or an option sets",
					    d->name, limit_name(l), p->name ? p->name : "");
	}
	return 0;
}

int driver_check(const struct driver *d, const struct run_spec *spec, struct aisbx_error *e)
{
	const struct {
		enum driver_can can;
		bool asked;
		const char *what;
	} wants[] = {
		{ DRIVER_SNAPSHOTS, spec->hooks.layers, "store the changes of a box" },
		{ DRIVER_HIDES, spec->walls.hides.n, "hide files of the host" },
		{ DRIVER_SHARES, spec->walls.n_mounts, "show or share files of the host" },
		{ DRIVER_AHEAD, spec->box.ready && spec->box.ready->make, "make a box ahead" },
		{ DRIVER_SERVES, spec->command.services && spec->command.services->n,
		  "run services beside the command" },
	};
	int r = check_walls(d, spec, e);

	for (size_t i = 0; r == 0 && i < sizeof(wants) / sizeof(*wants); i++)
		if (wants[i].asked && !(d->can & wants[i].can))
			r = refuse(d, wants[i].what, e);
	return r < 0 ? r : check_limits(d, spec, e);
}

int driver_probe(const struct driver *d, struct driver_here *ret, struct aisbx_error *e)
{
	struct driver_here here = { 0 };
	int r = d->probe ? d->probe(&here, e) : 0;

	if (r == 0)
		*ret = here;
	return r;
}

static int prepare(const struct driver *d, struct run_spec *spec, struct aisbx_error *e)
{
	memcpy(spec->limits.held, spec->profile.limits, sizeof(spec->limits.held));
	return d->prepare ? d->prepare(spec, e) : 0;
}

/* Whatever the driver says of itself: a wall that was not there is told. */
static void conclude(const struct driver *d, struct driver_result *result)
{
	result->driver = d->name;
	result->missing = result->outcome.started ? WALL_ALL & ~result->outcome.walls : 0;
}

int driver_run(const struct driver *d, struct run_spec *spec, struct driver_result *ret_result,
	       struct aisbx_error *e)
{
	int r = driver_check(d, spec, e);

	if (r == 0 && spec->box.ready && !(d->can & DRIVER_AHEAD)) { /* it was made for another driver */
		ready_box_drop(spec->box.ready);
		spec->box.ready = NULL;
	}
	if (r == 0)
		r = prepare(d, spec, e);
	if (r == 0)
		r = d->run(spec, ret_result, e);
	if (r == 0)
		conclude(d, ret_result);
	for (size_t i = 0; r == 0 && i < spec->walls.n_mounts; i++)
		if (spec->walls.mounts[i].device)
			strlist_add(&ret_result->devices, spec->walls.mounts[i].guest);
	return r;
}

/* The walls are those of the box, whatever the driver builds: join compares them. */
int driver_join(const struct driver *d, struct run_spec *spec, int live_fd, struct driver_result *ret_result,
		struct aisbx_error *e)
{
	int r;

	if (!d->join)
		return refuse(d, "start another command in a live box", e);
	r = prepare(d, spec, e);
	if (r == 0)
		r = d->join(spec, live_fd, ret_result, e);
	if (r == 0)
		conclude(d, ret_result);
	return r;
}

int driver_freeze(const struct driver *d, int live_fd, struct aisbx_error *e)
{
	return d->freeze ? d->freeze(live_fd, e) : refuse(d, "stop a live box", e);
}

int driver_is_frozen(const struct driver *d, int live_fd, struct aisbx_error *e)
{
	return d->is_frozen ? d->is_frozen(live_fd, e) : refuse(d, "stop a live box", e);
}

int driver_usage(const struct driver *d, int live_fd, struct run_status *ret, char **ret_about,
		 struct aisbx_error *e)
{
	return d->usage ? d->usage(live_fd, ret, ret_about, e)
			: refuse(d, "report the resource usage of a live run", e);
}

bool driver_hidden_environment(const struct driver *d, const struct run_spec *spec, char *ret, size_t cap)
{
	return d->hidden_environment && d->hidden_environment(spec, ret, cap);
}

bool driver_unknown_group(const struct driver *d, const char *project, char *ret, size_t cap)
{
	return d->unknown_group && d->unknown_group(project, ret, cap);
}

bool driver_weaker(const struct driver *d, char *ret, size_t cap)
{
	return d->weaker && d->weaker(ret, cap);
}

void driver_sweep(void)
{
	for (size_t i = 0; i < N_DRIVERS; i++)
		if (drivers[i]->sweep)
			drivers[i]->sweep();
}

bool driver_is_left(const char *name)
{
	for (size_t i = 0; i < N_DRIVERS; i++)
		if (drivers[i]->is_left && drivers[i]->is_left(name))
			return true;
	return false;
}

uint32_t driver_id_shift(void)
{
	const struct driver *d = driver_default();

	return d->id_shift ? d->id_shift() : 0;
}
