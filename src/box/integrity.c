/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the marker of a layer that may not be on disk with its box, and explains it to people. */
#include "box/integrity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/unsynced.h"

static int open_layer(const struct box_state *s, const char *id, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(s->layers, id);
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

	return fd < 0 ? aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "open layer '%s'", id) : fd;
}

/* A layer that is not there is another error, told by who needs it. */
static enum unsynced look(const struct box_state *s, const struct store_box *b)
{
	struct aisbx_error ignored;
	scoped(drop_fd) int layer = open_layer(s, b->top, &ignored);

	return layer < 0 ? UNSYNCED_NOT : unsynced_look(layer);
}

bool box_is_torn(const struct box_state *s, const struct store_box *b)
{
	return look(s, b) >= UNSYNCED_TORN;
}

int box_check_integrity(const struct box_state *s, const struct store_box *b, struct aisbx_error *e)
{
	scoped(drop_mem) struct store_snapshot *snaps = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	enum unsynced state = look(s, b);
	const char *why = state == UNSYNCED_FAILED ? "wrote data that the disk did not store"
						   : "was in use when the machine stopped";
	size_t n = 0;

	if (state < UNSYNCED_TORN)
		return 0;
	store_snapshot_list(s->store, b->id, &snaps, &n, &ignored);
	if (!n)
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EUCLEAN,
				    "box '%s' %s; its files may be incomplete, and it has no snapshot. "
				    "Inspect them with 'aisbx diff %s'; accept them with 'aisbx snap --as-is "
				    "%s', or remove the box with 'aisbx rm %s'",
				    b->name, why, b->name, b->name, b->name);
	return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EUCLEAN,
			    "box '%s' %s; its files may be incomplete. Its last snapshot '%s' is complete: "
			    "'aisbx rollback %s %s'. Or inspect its files with 'aisbx diff %s', and accept "
			    "them with 'aisbx snap --as-is %s'",
			    b->name, why, snaps[n - 1].name, b->name, snaps[n - 1].name, b->name, b->name);
}

int box_take_as_is(const struct box_state *s, const struct store_box *b, struct aisbx_error *e)
{
	scoped(drop_fd) int layer = open_layer(s, b->top, e);

	if (layer < 0)
		return layer;
	return unsynced_look(layer) >= UNSYNCED_TORN ? unsynced_forgive(layer, e) : 0;
}

int box_sync_top(const struct box_state *s, const struct store_box *b, struct aisbx_error *e)
{
	scoped(drop_fd) int layer = open_layer(s, b->top, e);

	return layer < 0 ? layer : unsynced_sync(layer, e);
}

int box_sync_layer(const struct box_state *s, const char *id, struct aisbx_error *e)
{
	scoped(drop_fd) int layer = open_layer(s, id, e);

	if (layer < 0)
		return layer;
	return syncfs(layer) < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "write layer '%s' to the disk", id)
				 : 0;
}

int box_fill_begin(const struct box_state *s, const struct store_box *b, struct aisbx_error *e)
{
	scoped(drop_fd) int layer = open_layer(s, b->top, e);

	return layer < 0 ? layer : unsynced_begin(layer, e);
}

void box_sync_idle(struct box_state *s)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct store_box *boxes = NULL;
	size_t n = 0;

	store_box_list(s->store, &boxes, &n, &ignored);
	for (size_t i = 0; i < n; i++) {
		scoped(drop_fd) int lock = -1;

		if (look(s, &boxes[i]) == UNSYNCED_HERE && box_try_lock(s, &boxes[i], &lock, &ignored) == 0)
			box_sync_top(s, &boxes[i], &ignored);
		store_box_finish(&boxes[i]);
	}
	free(boxes);
}
