/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to the supervisor of a live box. */
#include "box/live_box.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/live_run.h"
#include "box/owner.h"
#include "box/run_names.h"

/* The supervisor that has the box. */
static int connect_box(const char *key, int *ret_fd, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = box_state_open(&state, e);

	if (r == 0)
		r = box_find(&state, key, &box, e);
	if (r == 0)
		r = box_live_connect(&state, &box, ret_fd, e);
	if (r == -ENOENT && !e->code)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ESRCH,
				    "nothing runs in box '%s'; 'aisbx run --box %s' starts a command in it",
				    key, key);
	return r;
}

/* A run of that name, which is asked for where there is no such box. */
static bool run_called(const char *key, char ret_id[STORE_ID_MAX])
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return run_name_find(key, ret_id, &ignored) == 0;
}

static struct aisbx_error *forget(struct aisbx_error *e)
{
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return e;
}

/* A box may be called like a run. */
int live_box_reach(const char *key, int *ret_fd, struct aisbx_error *e)
{
	struct aisbx_error no_box = AISBX_ERROR_INIT;
	char id[STORE_ID_MAX];
	int r;

	if (strncmp(key, "r-", 2) != 0) {
		r = connect_box(key, ret_fd, e);
		return r == -ENOENT && run_called(key, id) ? live_run_reach(id, id, ret_fd, forget(e)) : r;
	}
	r = live_run_reach(key, id, ret_fd, e);
	if (r == -ENOENT && connect_box(key, ret_fd, &no_box) == 0) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	return r;
}

/* The box that the run joined, heap; NULL with 0: it is its own. One question per connection. */
static int joined_box(int fd, const char *key, char **ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = NULL;
	struct run_status status = { 0 };
	const char *box;
	json_t *about;
	int r = driver_usage(driver_default(), fd, &status, &text, e);

	*ret = NULL;
	if (r < 0 || !status.joined)
		return r;
	about = json_loads(text, 0, NULL);
	box = json_string_value(json_object_get(about, "box"));
	if (!box)
		r = aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
				 "run '%s' joined the box of another run; use that run", key);
	else if (!(*ret = strdup(box)))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find the box of run '%s'", key);
	json_decref(about);
	return r;
}

int live_box_supervisor(const char *key, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *box = NULL;
	scoped(drop_fd) int fd = -1;
	char id[STORE_ID_MAX];
	int r = 0;

	if (strncmp(key, "r-", 2) != 0) {
		r = connect_box(key, ret_fd, e);
		if (r != -ENOENT || !run_called(key, id))
			return r;
		key = id;
		forget(e);
	}
	r = live_box_reach(key, &fd, e);
	if (r == 0)
		r = joined_box(fd, key, &box, e);
	if (r < 0)
		return r;
	return box ? connect_box(box, ret_fd, e) : live_box_reach(key, ret_fd, e);
}
