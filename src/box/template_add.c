/* SPDX-License-Identifier: Apache-2.0 */
/* A new template gets its row, and the layer that was made for it as well. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "box/template_row.h"
#include "layer/flatten.h"
#include "layer/layer.h"

int template_check_new(struct box_state *s, const char *name, bool replace, struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(store_template_finish) struct store_template old = { 0 };
	const char *owner = box_acting_for() ? box_acting_for() : "";
	int r = box_check_name(name, e);

	if (r == 0 && !strcmp(name, "host"))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'host' means this machine; give the template another name");
	if (r == 0 && !replace && store_template_find(s->store, owner, name, &old, &ignored) == 0 &&
	    !strcmp(old.owner, owner))
		r = aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
				 "there already is a template '%s'; replace it with --replace, or remove it "
				 "with 'aisbx template rm %s'",
				 name, name);
	return r;
}

int template_layer_merge(struct box_state *s, const char *top, struct template_layer *own,
			 struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	scoped(drop_mem) const char **ids = NULL;
	size_t n = 0;
	int r = store_layer_chain(s->store, top, &chain, &n, e);

	if (r < 0)
		return r;
	ids = calloc(n + 1, sizeof(*ids));
	if (!ids)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "merge %zu layers", n);
	for (size_t k = 0; k < n; k++)
		ids[k] = chain[n - 1 - k].id;
	r = box_reserve_layer(s, own->id, &own->lock, e);
	return r == 0 ? layer_flatten(s->layers, ids, n, own->id, true, e) : r;
}

void template_layer_drop(struct box_state *s, struct template_layer *l)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	bool exists = true;

	/* What failed may have been the sync behind the commit. */
	if (l->id[0] && store_layer_exists(s->store, l->id, &exists, &ignored) == 0 && !exists)
		layer_remove(s->layers, l->id, &ignored);
	close_fd(&l->lock);
	l->id[0] = '\0';
}

static int remove_old(struct box_state *s, const struct store_template *row, struct aisbx_error *e)
{
	struct aisbx_error none = AISBX_ERROR_INIT;
	int r = store_template_remove(s->store, row->owner, row->name, &none);

	if (r == 0 || r == -ENOENT)
		return 0;
	*e = none;
	return r;
}

static int find_image(struct box_state *s, const char *id, struct aisbx_error *e)
{
	struct store_image image = { 0 };
	int r = store_image_find(s->store, id, &image, e);

	store_image_finish(&image);
	return r;
}

int template_add(struct box_state *s, const struct template_layer *own, const struct store_template *row,
		 bool replace, struct aisbx_error *e)
{
	struct store_layer l = { .frozen = true };
	int r = store_begin(s->store, e);

	if (r < 0)
		return r;
	memcpy(l.id, own->id, sizeof(l.id));
	memcpy(l.parent, own->on, sizeof(l.parent));
	if (own->id[0])
		r = store_layer_add(s->store, &l, e);
	if (r == 0 && row->image[0] && !strcmp(own->on, row->layer)) /* it is the image, which may go */
		r = find_image(s, row->image, e);
	if (r == 0 && replace)
		r = remove_old(s, row, e);
	if (r == 0)
		r = store_template_add(s->store, row, e);
	if (r == 0)
		r = store_event_add(s->store, "template.saved", NULL, NULL, e, "{\"name\":\"%s\"}",
				    row->name);
	if (r == 0)
		r = store_commit(s->store, e);
	if (r < 0)
		store_rollback(s->store);
	return r < 0 ? r : store_flush(s->store, e);
}
