/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of images. A layer is known by its ChainID, which stands for itself and all below it: equal ones of
 * several images are unpacked once. Each is unpacked into a reserved layer of the store (box_reserve_layer),
 * which gc leaves alone as long as it is locked, and removes when it has no row.
 */
#include "box/image_layers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "driver/driver.h"
#include "image/helper.h"
#include "image/oci.h"
#include "image/wire.h"
#include "layer/layer.h"

static int fill(const struct oci_manifest *m, const struct oci_config *c, struct image_layers *ret,
		struct aisbx_error *e)
{
	const char *below = NULL;

	ret->items = calloc(m->n_layers + 1, sizeof(*ret->items)); /* an image may have none */
	for (size_t i = 0; ret->items && i < m->n_layers; i++) {
		struct image_layer *l = &ret->items[i];

		ret->n++;
		l->lock = -1;
		l->size = (int64_t)m->layers[i].size;
		l->media_type = strdup(m->layers[i].media_type);
		snprintf(l->digest, sizeof(l->digest), "%s", m->layers[i].digest);
		snprintf(l->diff_id, sizeof(l->diff_id), "%s", c->diff_ids.items[i]);
		if (!l->media_type)
			break;
		if (!digest_chain(below, l->diff_id, l->chain))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
					    "the image is not valid: a digest of a layer is not SHA-256");
		below = l->chain;
	}
	return ret->items && ret->n == m->n_layers && (!ret->n || ret->items[ret->n - 1].media_type)
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the layers of an image");
}

int image_layers_read(const char *manifest, const char *config, struct image_layers *ret,
		      struct aisbx_error *e)
{
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	scoped(oci_config_finish) struct oci_config c = { 0 };
	int r = oci_manifest_read(manifest, strlen(manifest), NULL, &m, e);

	if (r == 0)
		r = oci_config_read(config, strlen(config), &c, e);
	if (r == 0)
		r = oci_agree(&m, &c, e);
	return r == 0 && m.n_layers ? fill(&m, &c, ret, e) : r;
}

void image_layers_set_ids(struct image_layers *l, const char *ids)
{
	snprintf(l->ids, sizeof(l->ids), "%s", ids);
	for (size_t i = 0; *ids && i < l->n; i++) {
		char chain[STORE_DIGEST_MAX];

		snprintf(chain, sizeof(chain), "%s", l->items[i].chain);
		snprintf(l->items[i].chain, sizeof(l->items[i].chain), "%.*s:%.*s", STORE_IDS_MAX, ids,
			 STORE_DIGEST_MAX - STORE_IDS_MAX - 2, chain);
	}
}

int image_layers_find(struct box_state *s, struct image_layers *l, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->n; i++) {
		struct store_image_layer row = { 0 };
		bool found = false;

		r = store_image_layer_find(s->store, l->items[i].chain, &row, &found, e);
		if (r < 0 || !found)
			continue;
		memcpy(l->items[i].id, row.layer, sizeof(row.layer));
		l->items[i].files = row.files;
		l->items[i].bytes = row.bytes;
	}
	return r;
}

char *image_layer_path(const struct box_state *s, const char *id, struct aisbx_error *e)
{
	char tree[32], *path = NULL;

	layer_tree_name("/", NULL, tree, sizeof(tree));
	if (asprintf(&path, "%s/%s/%s/up", s->layers, id, tree) < 0) {
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find layer '%s'", id);
		return NULL;
	}
	return path;
}

/*
 * The directory that a layer is unpacked into. Where its archive says nothing about "/" itself, that is as
 * below: overlayfs shows the attributes of the newest.
 */
static int make_up(const char *up, const char *below, struct aisbx_error *e)
{
	scoped(drop_mem) char *tree = strdup(up);
	uid_t shift = driver_id_shift();
	struct stat st = { .st_mode = 0755, .st_uid = shift, .st_gid = shift };
	char owner[64];
	ssize_t n = -1;

	if (!tree)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make '%s'", up);
	*strrchr(tree, '/') = '\0';
	if (below && lstat(below, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "look at '%s'", below);
	if (below)
		n = lgetxattr(below, IMAGE_OWNER_XATTR, owner, sizeof(owner));
	if ((mkdir(tree, 0711) < 0 && errno != EEXIST) || (mkdir(up, 0700) < 0 && errno != EEXIST) ||
	    (shift && lchown(up, st.st_uid, st.st_gid) < 0) || chmod(up, st.st_mode & 07777) < 0 ||
	    (n > 0 && lsetxattr(up, IMAGE_OWNER_XATTR, owner, (size_t)n, 0) < 0))
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", up);
	return 0;
}

/* The request to unpack layer AT; a new reference, or NULL with E. */
static json_t *request_for(struct images *i, const struct image_layers *l, size_t at, const char *up,
			   struct aisbx_error *e)
{
	const struct image_layer *it = &l->items[at];
	scoped(drop_mem) char *blob = images_blob_path(i, it->digest, e);
	uint32_t shift = driver_id_shift();
	json_t *below = json_array(), *request;

	for (size_t k = 0; blob && k < at; k++) {
		scoped(drop_mem) char *path = image_layer_path(&i->state, l->items[k].id, e);

		if (path)
			json_array_append_new(below, json_string(path));
	}
	request = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:b, s:s?, s:I, s:I}", "do",
			    "unpack", "blob", blob ? blob : "", "blobs", i->blobs, "digest", it->digest,
			    "media_type", it->media_type, "diff_id", it->diff_id, "into", up, "below", below,
			    "id_shift", (json_int_t)shift, "one_id", shift == 0 && !l->ids[0], "sub_ids",
			    l->ids[0] ? l->ids : NULL, "max_bytes", (json_int_t)IMAGE_MAX_BYTES, "max_files",
			    (json_int_t)IMAGE_MAX_FILES);
	if (!request && !e->code)
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "unpack layer '%s'", it->digest);
	if (e->code) {
		json_decref(request);
		return NULL;
	}
	return request;
}

static int64_t left_out(const json_t *ok, const char *what)
{
	return json_integer_value(json_object_get(json_object_get(ok, "left_out"), what));
}

static int unpack_one(struct images *i, struct image_layers *l, size_t at, images_progress_fn *progress,
		      void *ctx, struct aisbx_error *e)
{
	struct image_layer *it = &l->items[at];
	scoped(drop_mem) char *up = NULL;
	scoped(drop_mem) char *below = at ? image_layer_path(&i->state, l->items[at - 1].id, e) : NULL;
	json_auto_t *request = NULL;
	json_auto_t *ok = NULL;
	int r = at && !below ? e->code : box_reserve_layer(&i->state, it->made, &it->lock, e);

	if (r < 0)
		return r;
	memcpy(it->id, it->made, sizeof(it->id));
	up = image_layer_path(&i->state, it->id, e);
	r = up ? make_up(up, below, e) : e->code;
	if (r == 0) {
		request = request_for(i, l, at, up, e);
		r = request ? image_ask(request, progress, ctx, &ok, e) : e->code;
	}
	if (r < 0)
		return aisbx_context(e, "unpack layer %zu of %zu", at + 1, l->n);
	it->files = json_integer_value(json_object_get(ok, "files"));
	it->bytes = json_integer_value(json_object_get(ok, "bytes"));
	it->left_out = (struct image_left_out){ left_out(ok, "devices"), left_out(ok, "xattrs"),
						left_out(ok, "owners") };
	return 0;
}

/* Who presses Ctrl-C leaves no half of a layer behind. */
static void hold_signals(struct image_layers *l)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	l->holds = sigprocmask(SIG_BLOCK, &ends, &l->signals) == 0;
}

int image_layers_unpack(struct images *i, struct image_layers *l, images_progress_fn *progress, void *ctx,
			size_t *ret_n, struct aisbx_error *e)
{
	size_t n = 0;
	int r = 0;

	for (size_t at = 0; r == 0 && at < l->n; at++) {
		if (l->items[at].id[0])
			continue;
		if (!l->holds)
			hold_signals(l);
		r = unpack_one(i, l, at, progress, ctx, e);
		n += r == 0;
	}
	*ret_n = n;
	return r;
}

/* A commit whose sync failed may have happened: then the row is there. */
static void drop_made(struct box_state *s, struct image_layer *l)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	bool exists = true;

	if (l->made[0] && store_layer_exists(s->store, l->made, &exists, &ignored) == 0) {
		if (exists)
			unlinkat(l->lock, BOX_DRAFT, 0);
		else
			layer_remove(s->layers, l->made, &ignored); /* if not now, then by gc */
	}
	close_fd(&l->lock);
}

void image_layers_finish(struct box_state *s, struct image_layers *l)
{
	for (size_t i = 0; i < l->n; i++) {
		drop_made(s, &l->items[i]);
		free(l->items[i].media_type);
	}
	free(l->items);
	if (l->holds)
		sigprocmask(SIG_SETMASK, &l->signals, NULL);
	*l = (struct image_layers){ 0 };
}
