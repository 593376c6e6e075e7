/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots around a recorded run; and STATE/recorded/BOX, which marks a box whose runs are all recorded. */
#include "box/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

/* A snapshot of the box on whose layer its empty top stands; "": there is none. */
static int find_point(struct box_state *s, const struct store_box *b, char ret_id[STORE_ID_MAX],
		      struct aisbx_error *e)
{
	scoped(drop_mem) struct store_snapshot *list = NULL;
	scoped(drop_mem) struct store_layer *chain = NULL;
	size_t n = 0, n_layers = 0;
	int r = store_snapshot_list(s->store, b->id, &list, &n, e);

	if (r == 0)
		r = store_layer_chain(s->store, b->top, &chain, &n_layers, e);
	ret_id[0] = '\0';
	for (size_t i = n; r == 0 && n_layers && i > 0 && !ret_id[0]; i--)
		if (!strcmp(list[i - 1].layer, chain[0].parent))
			memcpy(ret_id, list[i - 1].id, STORE_ID_MAX);
	return r;
}

int box_record_point(struct box_state *s, const struct store_box *b, char ret_id[STORE_ID_MAX],
		     struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box now = { 0 };
	struct store_snapshot snap = { 0 };
	int r = store_box_find(s->store, b->id, &now, e); /* the last run may have moved its top */

	if (r == 0)
		r = box_snapshot(s, &now, NULL, true, true, &snap, e);
	if (r < 0)
		return r;
	memcpy(ret_id, snap.id, STORE_ID_MAX);
	if (!ret_id[0])
		r = find_point(s, &now, ret_id, e);
	if (r == 0 && !ret_id[0]) { /* it stands on the machine alone, or on another box */
		r = box_snapshot(s, &now, NULL, true, false, &snap, e);
		memcpy(ret_id, snap.id, STORE_ID_MAX);
	}
	return r;
}

static char *place_of(const char *dir, const char *id)
{
	char *path;

	return asprintf(&path, "%s/recorded/%s", dir, id) < 0 ? NULL : path;
}

int box_recorded_set(const char *dir, const char *id, struct aisbx_error *e)
{
	scoped(drop_mem) char *place = path_join(dir, "recorded");
	scoped(drop_mem) char *path = place_of(dir, id);
	scoped(drop_fd) int fd = -1;

	if (!place || !path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "record the runs of a box");
	mkdir(place, 0700); /* or it is there */
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", path) : 0;
}

bool box_recorded(const char *dir, const char *id)
{
	scoped(drop_mem) char *path = place_of(dir, id);

	return path && access(path, F_OK) == 0;
}

void box_recorded_drop(const char *dir, const char *id)
{
	scoped(drop_mem) char *path = place_of(dir, id);

	if (path)
		unlink(path);
}
