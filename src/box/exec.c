/* SPDX-License-Identifier: Apache-2.0 */
/* Another command in a live box, behind the walls of that box. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/execute.h"
#include "box/live_box.h"
#include "box/owner.h"
#include "box/running.h"

/* How long to try again what a snapshot, or a start, is in the way of. */
#define AGAIN_MS 10000

/* What the box is; RET_KEY: where to join it, which for a run that joined another's box is that box. */
static int look(const char *key, json_t **ret_about, const char **ret_key, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	scoped(drop_mem) char *text = NULL;
	struct run_status status = { 0 };
	int r = live_box_reach(key, &fd, e);

	if (r == 0)
		r = driver_usage(driver_default(), fd, &status, &text, e);
	if (r < 0)
		return r;
	*ret_about = json_loads(text, 0, NULL);
	if (!json_is_object(*ret_about))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				    "the run '%s' has no description", key);
	if (!status.joined)
		return 0;
	if (!json_is_string(json_object_get(*ret_about, "box")))
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
				    "run '%s' joined the box of another run; use that run", key);
	*ret_key = json_string_value(json_object_get(*ret_about, "box"));
	return 0;
}

/* What of W the box decides; TEXTS of ABOUT are borrowed. */
static void take_from(const json_t *about, struct run_options *w)
{
	const json_t *name;
	size_t i;

	w->box = json_string_value(json_object_get(about, "box"));
	w->project = w->box ? NULL : json_string_value(json_object_get(about, "project"));
	w->box_name = w->box ? NULL : json_string_value(json_object_get(about, "box_name"));
	w->image = w->box ? NULL : json_string_value(json_object_get(about, "image"));
	w->profile = json_string_value(json_object_get(about, "profile"));
	w->driver = json_string_value(json_object_get(about, "driver"));
	strlist_finish(&w->net);
	if (json_is_string(json_object_get(about, "net")))
		strlist_add(&w->net, json_string_value(json_object_get(about, "net")));
	json_array_foreach(json_object_get(about, "egress"), i, name)
		strlist_add(&w->net, json_string_value(name));
	w->seccomp = json_string_value(json_object_get(about, "seccomp"));
	json_array_foreach(json_object_get(about, "without"), i, name)
		strlist_add(&w->without, json_string_value(name));
}

static int join(const struct caller *by, const char *key, struct run_spec *spec, struct running *how,
		struct run_report *ret, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t until = time_ms() + AGAIN_MS;

	for (;;) {
		scoped(drop_fd) int fd = -1;
		int r = live_box_reach(key, &fd, e);

		spec->box.exec_fd = fd;
		if (r == 0)
			r = run_here(by, spec, how, ret, e);
		if (r != -EAGAIN || e->area != AISBX_AREA_RUN ||
		    time_ms() >= until) /* of pid 1: the box is full */
			return r;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		nanosleep(&pause, NULL);
	}
}

int run_exec(const struct caller *by, const char *key, struct run_options *w, struct run_report *ret,
	     struct aisbx_error *e)
{
	scoped(box_spec_finish) struct run_spec spec = { .box.exec = true };
	scoped(running_finish) struct running how = RUNNING_INIT;
	json_t *about = NULL;
	int r = look(key, &about, &key, e);

	if (r == 0)
		r = running_begin(by, &how, &spec, false, e);
	if (r == 0) {
		take_from(about, w);
		r = box_spec_fill(by, w, &spec, e);
		/* as the box has it, whatever the profile says by now */
		spec.profile.seccomp_file = json_string_value(json_object_get(about, "seccomp_file"));
	}
	spec.walls.any = true;
	if (r == 0)
		r = join(by, key, &spec, &how, ret, e);
	w->box = w->box_name = w->project = w->profile = w->driver = w->seccomp = w->image = NULL;
	json_decref(about);
	return r;
}
