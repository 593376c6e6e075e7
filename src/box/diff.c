/* SPDX-License-Identifier: Apache-2.0 */
/* Turns boxes and snapshots into views, and compares those. */
#include "box/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "layer/layer.h"

/* The directories of changes to the project, oldest first. */
static int find_ups(struct box_shelf *s, const struct store_box *b, const char *snapshot, struct strlist *ret,
		    struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	struct store_snapshot snap;
	char tree[32];
	size_t n = 0;
	int r = snapshot[0] ? store_snapshot_find(s->store, b->id, snapshot, &snap, e) : 0;

	if (r == 0)
		r = store_layer_chain(s->store, snapshot[0] ? snap.layer : b->top, &chain, &n, e);
	if (r < 0)
		return r;
	layer_tree_name(b->project, b->project, tree, sizeof(tree));
	while (n--) {
		scoped(drop_mem) char *path = NULL;

		if (asprintf(&path, "%s/%s/%s/up", s->layers, chain[n].id, tree) < 0)
			ret->failed = true;
		else if (access(path, F_OK) == 0)
			strlist_add(ret, path);
	}
	free(chain);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "layers of '%s'", b->name) : 0;
}

int box_diff(struct box_shelf *s, const struct store_box *b, const char *snapshot, const struct store_box *other,
	     const char *other_snapshot, struct change_list *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist first = { 0 };
	scoped(strlist_finish) struct strlist second = { 0 };
	struct view from = { .host = b->project }, to = { .host = b->project };
	int r;

	if (!b->project || (other && (!other->project || strcmp(other->project, b->project) != 0)))
		return aisbx_refuse(e, AISBX_AREA_BOX, EINVAL, "the boxes are not of the same project");
	r = find_ups(s, b, snapshot, &first, e);
	if (r == 0 && other)
		r = find_ups(s, other, other_snapshot, &second, e);
	if (r < 0)
		return r;
	if (other) {
		from.ups = (const char *const *)first.items;
		from.n_ups = first.n;
		to.ups = (const char *const *)second.items;
		to.n_ups = second.n;
	} else {
		to.ups = (const char *const *)first.items;
		to.n_ups = first.n;
	}
	return change_list_read(&from, &to, ret, e);
}
