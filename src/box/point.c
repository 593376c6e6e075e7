/* SPDX-License-Identifier: Apache-2.0 */
/* From rows to directories. */
#include "box/point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/image.h"
#include "box/pin.h"
#include "box/moved.h"
#include "box/system_point.h"
#include "layer/layer.h"

void box_point_finish(struct box_point *p)
{
	strlist_finish(&p->trees);
	strlist_finish(&p->ups);
	free(p->host);
}

/* Those of CHAIN, newest first, that have TREE. IMAGE: the newest layer of an image below; "": none. */
static int read_trees(const struct box_state *s, const struct store_layer *chain, size_t n, const char *tree,
		      const char *image, struct box_point *ret, struct aisbx_error *e)
{
	bool below = false;
	size_t top = n;
	int r = 0;

	for (size_t i = 0; *image && i < n && !below; i++) {
		below = !strcmp(chain[i].id, image);
		top = below ? i : top;
	}
	while (n--) {
		scoped(drop_mem) char *dir = NULL;
		scoped(drop_mem) char *up = NULL;

		if (asprintf(&dir, "%s/%s/%s", s->layers, chain[n].id, tree) < 0 ||
		    !(up = path_join(dir, "up"))) {
			ret->ups.failed = true;
		} else if (access(up, F_OK) == 0) {
			strlist_add(&ret->trees, dir);
			strlist_add(&ret->ups, up);
			ret->n_image += below && n >= top;
		} else if (errno != ENOENT && r == 0) { /* what cannot be seen is not absent */
			r = aisbx_fail(e, AISBX_AREA_BOX, errno, "inspect '%s'", up);
		}
	}
	if (r < 0)
		return r;
	ret->view = (struct view){ .host = ret->host,
				   .ups = (const char *const *)ret->ups.items,
				   .n_ups = ret->ups.n,
				   .id_delta = -(int64_t)driver_id_shift() };
	return ret->ups.failed || ret->trees.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list layers")
						    : 0;
}

static int chain_of(struct box_state *s, const struct store_box *b, const char *snapshot,
		    struct store_layer **ret, size_t *ret_n, struct aisbx_error *e)
{
	struct store_snapshot snap;
	int r = snapshot[0] ? store_snapshot_find(s->store, b->id, snapshot, &snap, e) : 0;

	return r < 0 ? r : store_layer_chain(s->store, snapshot[0] ? snap.layer : b->top, ret, ret_n, e);
}

int box_point_read_root(struct box_state *s, const struct store_box *b, const char *snapshot,
			struct box_point *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	struct store_image image = { 0 };
	size_t n = 0;
	int r;

	if (!b->image[0])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "box '%s' stands on this machine, not on an image", b->name);
	r = chain_of(s, b, snapshot, &chain, &n, e);
	if (r == 0)
		r = store_image_find(s->store, b->image, &image, e);
	if (r == 0)
		r = (ret->host = box_image_ground(s, e)) ? 0 : e->code;
	if (r == 0)
		r = read_trees(s, chain, n, "root", image.top, ret, e);
	store_image_finish(&image);
	return r;
}

int box_point_read_image(struct box_state *s, const struct store_image *image, struct box_point *ret,
			 struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	size_t n = 0;
	int r = store_layer_chain(s->store, image->top, &chain, &n, e);

	if (r == 0)
		r = (ret->host = box_image_ground(s, e)) ? 0 : e->code;
	return r < 0 ? r : read_trees(s, chain, n, "root", image->top, ret, e);
}

struct view box_point_base(const struct box_point *p)
{
	struct view base = p->view;

	base.n_ups = p->n_image;
	return base;
}

int box_point_read(struct box_state *s, const struct store_box *b, const char *snapshot,
		   struct box_point *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	char tree[32];
	size_t n = 0;
	int r;

	if (!b->project && b->image[0])
		return box_point_read_root(s, b, snapshot, ret, e);
	if (!b->project)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project",
				    b->name);
	r = chain_of(s, b, snapshot, &chain, &n, e);
	layer_tree_name(b->project, b->project, tree, sizeof(tree));
	if (r == 0)
		r = box_pin_host(s, chain, n, b->project, &ret->host, &ret->pinned, e);
	return r < 0 ? r : read_trees(s, chain, n, tree, "", ret, e);
}

void box_bases_finish(struct box_bases *b)
{
	for (size_t i = 0; i < b->n; i++)
		store_promotion_finish(&b->list[i]);
	free(b->list);
}

static const struct store_promotion *find_promotion(struct box_bases *all, const char *id)
{
	if (!all->is_read)
		store_promotion_list(all->state->store, &all->list, &all->n, &all->error);
	all->is_read = true;
	for (size_t i = all->n; i-- > 0;)
		if (!strcmp(all->list[i].id, id))
			return &all->list[i];
	return NULL;
}

bool box_bases_count(void *ctx, const struct base *b)
{
	const struct store_promotion *p = find_promotion(ctx, b->promotion);

	return p && strcmp(p->state, "undone") != 0;
}

bool box_bases_undone(struct box_bases *b, const char *id)
{
	const struct store_promotion *p = find_promotion(b, id);

	return p && !strcmp(p->state, "undone");
}

void box_bases_open(struct box_bases *b, struct box_state *s)
{
	*b = (struct box_bases){ .state = s, .filter = { box_bases_count, b } };
}

int box_bases_map(struct box_bases *b, const struct box_point *p, const struct base_filter *filter,
		  struct base_map *ret, struct aisbx_error *e)
{
	int r = base_map_read((const char *const *)p->trees.items, p->trees.n, filter ? filter : &b->filter,
			      ret, e);

	if (r == 0 && b->error.code)
		*e = b->error;
	return r == 0 ? b->error.code : r;
}

int box_settle(struct box_state *s, const struct store_box *b, struct aisbx_error *e)
{
	scoped(box_point_finish) struct box_point p = { 0 };
	scoped(box_bases_finish) struct box_bases bases = { 0 };
	scoped(drop_mem) char *window = NULL;
	struct aisbx_error system = AISBX_ERROR_INIT;
	int r;

	if (asprintf(&window, "%s/%s/window", s->layers, b->top) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "layers of '%s'", b->name);
	if (access(window, F_OK) < 0) /* a layer is frozen with its window closed */
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_BOX, errno, "inspect '%s'", window);
	box_bases_open(&bases, s);
	box_system_settle(s, b, &bases, &system); /* without its bases there are conflicts, no damage */
	if (!b->project) {
		*strrchr(window, '/') = '\0';
		return base_close_window(window, e);
	}
	r = box_point_read(s, b, "", &p, e);
	if (r == 0 && !p.pinned) /* what is somewhere else is not what it was changed from */
		r = box_moved_require(b, NULL, e);
	if (r == 0) {
		*strrchr(window, '/') = '\0';
		r = base_settle(window, "project", p.host, (const char *const *)p.trees.items, p.trees.n,
				&bases.filter, e);
	}
	if (r == 0 && bases.error.code)
		*e = bases.error;
	return r == 0 ? bases.error.code : r;
}
