/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads for all boxes of a project what their promotions made that were undone. Only if a conflict could be
 * avoided by it.
 */
#include "promote/undone.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

struct box_undone_dir {
	char *path; /* owned */
	dev_t dev;
	ino_t ino;
};

void box_undone_finish(struct box_undone *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->list[i].path);
	free(u->list);
}

static void add(struct box_undone *u, const struct base *b)
{
	struct box_undone_dir *grown = u->list;

	if ((u->n & (u->n - 1)) == 0)
		grown = realloc(u->list, (u->n ? u->n * 2 : 1) * sizeof(*grown));
	if (!grown)
		return;
	u->list = grown;
	grown[u->n] = (struct box_undone_dir){ strdup(b->path), b->st.st_dev, b->st.st_ino };
	u->n += grown[u->n].path != NULL;
}

/* What cannot be read says nothing: then there is a conflict, and a person decides. */
static void read_box(struct box_undone *u, const struct store_box *box)
{
	scoped(box_point_finish) struct box_point p = { 0 };
	scoped(base_map_finish) struct base_map all = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (!box->project || strcmp(box->project, u->project) != 0 ||
	    box_point_read(u->promotions->state, box, "", &p, &ignored) < 0 ||
	    base_history_read((const char *const *)p.trees.items, p.trees.n, &all, &ignored) < 0)
		return;
	for (size_t i = 0; i < all.n; i++) {
		const struct base *b = &all.items[i];

		if (b->who == BASE_PROMOTED && b->state == BASE_KNOWN && b->st.st_ino &&
		    S_ISDIR(b->st.st_mode) && box_bases_undone(u->promotions, b->promotion))
			add(u, b);
	}
}

bool box_undone_has(void *ctx, const char *path, const struct stat *st)
{
	struct box_undone *u = ctx;
	struct store_box *boxes = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	size_t n = 0;

	if (!u->is_read && store_box_list(u->promotions->state->store, &boxes, &n, &ignored) == 0)
		for (size_t i = 0; i < n; i++) {
			read_box(u, &boxes[i]);
			store_box_finish(&boxes[i]);
		}
	free(boxes);
	u->is_read = true;
	for (size_t i = 0; i < u->n; i++)
		if (u->list[i].dev == st->st_dev && u->list[i].ino == st->st_ino &&
		    !strcmp(u->list[i].path, path))
			return true;
	return false;
}
