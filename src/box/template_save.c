/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a template of a box: finds or makes the layer that it is, then its row. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/integrity.h"
#include "box/lookup.h"
#include "box/net_options.h"
#include "box/no_caches.h"
#include "box/owner.h"
#include "box/pin.h"
#include "box/template.h"
#include "box/template_row.h"
#include "layer/flatten.h"
#include "layer/layer.h"

#define PROJECT_TREE "project"

/* The layer of the point that REQ names. */
static int find_layer(struct lookup *p, char ret[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_snapshot snap = { 0 };
	int r = p->snapshot[0] ? store_snapshot_find(p->state.store, p->box.id, p->snapshot, &snap, e)
			       : box_snapshot_any(&p->state, &p->box, NULL, &snap, e);

	if (r == 0)
		memcpy(ret, snap.layer, STORE_ID_MAX);
	return r;
}

/* Whether DIR has an entry besides those that every run makes there. */
static bool has_entry(int at, const char *path, bool but_for_own)
{
	int r = 0, fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(drop_dir) DIR *d = dir_take(fd < 0 ? -errno : fd, &r);
	struct dirent *entry;
	bool found = false;

	while (d && !found && (entry = dir_next(d, &r)))
		found = !but_for_own || (strcmp(entry->d_name, "up") && strcmp(entry->d_name, "work"));
	return found || (!d && r != -ENOENT) || (d && r < 0); /* in doubt there is something */
}

/* Whether layer ID has something of a project: changes, what is recorded of them, or a copy. */
static bool has_project(const struct box_state *s, const struct store_layer *l)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int tree = -1;

	if (box_pin_of(l, 1))
		return true;
	if (asprintf(&path, "%s/%s/" PROJECT_TREE, s->layers, l->id) < 0) {
		path = NULL;
		return true;
	}
	tree = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (tree < 0)
		return errno != ENOENT;
	return has_entry(tree, ".", true) || has_entry(tree, "up", false);
}

/* The box's own layers, merged by links into one without the project. */
static int leave_project(struct box_state *s, const struct store_layer *chain, size_t n,
			 struct template_layer *ret, struct aisbx_error *e)
{
	scoped(drop_mem) const char **ids = calloc(n ? n : 1, sizeof(*ids));
	size_t kept = 0;
	int r;

	if (!ids)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "merge %zu layers", n);
	for (size_t i = n; i > 0; i--)
		if (!box_pin_of(&chain[i - 1], 1))
			ids[kept++] = chain[i - 1].id;
	r = box_reserve_layer(s, ret->id, &ret->lock, e);
	if (r == 0)
		r = layer_flatten_without(s->layers, ids, kept, ret->id, PROJECT_TREE, e);
	return r == 0 ? box_sync_layer(s, ret->id, e) : r;
}

/* Whether LAYER will do as it is; else RET is made. */
static int make_layer(struct box_state *s, const struct store_box *b, const char *layer,
		      struct template_layer *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	size_t own = 0;
	bool found = false;
	int r = store_layer_chain(s->store, layer, &chain, &own, e);

	if (r == 0)
		r = box_own_layers(s, b, chain, &own, ret->on, e);
	if (r == 0 && !own) /* then the project could not be told from the rest */
		r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				 "the image that box '%s' stands on is not there any more; save it with "
				 "--with-project",
				 b->name);
	for (size_t i = 0; r == 0 && i < own && !found; i++)
		found = has_project(s, &chain[i]);
	return r == 0 && found ? leave_project(s, chain, own, ret, e) : r;
}

static int fill(struct lookup *p, const struct box_template_request *req, struct box_template *t,
		struct aisbx_error *e)
{
	const struct store_box *b = &p->box;
	int r = req->net ? 0 : box_net_read(p->state.dir, b->id, &t->net, e);

	for (size_t i = 0; req->net && i < req->net->n; i++)
		strlist_add(&t->net, req->net->items[i]);
	t->shared = req->shared;
	t->autosnap = b->autosnap;
	t->no_caches = box_no_caches(p->state.dir, b->id);
	t->with_project = req->with_project;
	t->since = (struct store_box){ .watermark_s = b->watermark_s,
				       .watermark_ns = b->watermark_ns,
				       .place = b->place };
	snprintf(t->row.owner, sizeof(t->row.owner), "%s", box_acting_for() ? box_acting_for() : "");
	snprintf(t->row.name, sizeof(t->row.name), "%s", req->name);
	snprintf(t->row.profile, sizeof(t->row.profile), "%s", b->profile);
	snprintf(t->row.image, sizeof(t->row.image), "%s", b->image);
	t->row.created_ms = box_now_ms();
	t->expires_ms = req->ttl_ms ? t->row.created_ms + (int64_t)req->ttl_ms : 0;
	t->row.project = req->with_project && b->project ? strdup(b->project) : NULL;
	t->row.recipe = strdup(req->recipe ? req->recipe : "");
	t->row.lock = strdup(req->lock ? req->lock : "");
	t->row.settings = template_settings_text(t);
	if (r == 0 && (t->net.failed || !t->row.recipe || !t->row.lock || !t->row.settings ||
		       (req->with_project && b->project && !t->row.project)))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "save template '%s'", req->name);
	return r;
}

int box_template_save(const struct box_template_request *req, struct box_template *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	struct template_layer own = TEMPLATE_LAYER_INIT;
	scoped(box_template_finish) struct box_template t = { 0 };
	char layer[STORE_ID_MAX] = "";
	int r = lookup_open(req->from, false, &p, e);

	if (r == 0)
		r = template_check_new(&p.state, req->name, req->replace, e);
	if (r == 0)
		r = fill(&p, req, &t, e);
	if (r == 0)
		r = find_layer(&p, layer, e);
	if (r == 0 && !req->with_project)
		r = make_layer(&p.state, &p.box, layer, &own, e);
	memcpy(t.row.layer, own.id[0] ? own.id : layer, sizeof(t.row.layer));
	if (r == 0)
		r = template_add(&p.state, &own, &t.row, req->replace, e);
	template_layer_drop(&p.state, &own);
	if (r < 0)
		return r;
	*ret = t;
	t = (struct box_template){ 0 };
	return 0;
}
