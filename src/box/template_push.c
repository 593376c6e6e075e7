/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A template on its way out. One that stands on an image becomes that image with one more layer. One that
 * stands on this machine becomes an image of two layers: an empty one, so that what the template deletes is
 * kept when it is unpacked, and its trees as directories (layer/trees.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/image_out.h"
#include "box/image_pack.h"
#include "box/template.h"
#include "box/template_row.h"
#include "driver/driver.h"
#include "image/oci.h"
#include "layer/layer.h"
#include "layer/trees.h"
#include "policy/secret.h"

#define BY "aisbx template push"

/* A push that goes on. */
struct push {
	struct images *i;
	const struct box_template *t;
	struct image_packing how;
	char digest[STORE_DIGEST_MAX]; /* of the manifest, when there is one */
};

/* A row goes before its files do: as long as it is there, what was read was whole. */
static int check_there(struct push *p, struct aisbx_error *e)
{
	bool exists = false;
	int r = store_layer_exists(p->i->state.store, p->t->row.layer, &exists, e);

	return r < 0 || exists ? r : store_template_missing(p->t->row.name, e);
}

/* The label of the template. HOST: what it stands on; NULL: an image. Heap, or NULL with E. */
static char *label_of(const struct push *p, const struct template_host *host, bool system,
		      struct aisbx_error *e)
{
	const struct box_template *t = p->t;
	const char *recipe = t->row.recipe[0] ? t->row.recipe : t->pulled.recipe;
	const struct template_label l = { .name = (char *)t->row.name,
					  .os = host ? (char *)host->os : NULL,
					  .machine = host ? (char *)host->machine : NULL,
					  .system = system,
					  /* a file of this machine is no name elsewhere */
					  .profile =
						  strchr(t->row.profile, '/') ? NULL : (char *)t->row.profile,
					  .net = t->net,
					  .no_caches = t->no_caches,
					  .autosnap = t->autosnap,
					  .recipe = (char *)recipe,
					  .lock = !recipe            ? NULL
						  : t->row.recipe[0] ? t->row.lock
								     : t->pulled.lock };
	scoped(template_label_finish) struct template_label read = { 0 };
	char *text = template_label_write(&l);

	if (!text)
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "push a template");
	else if (template_label_read(text, strlen(text), &read, e) == 0) /* so that who pulls it can */
		return text;
	free(text);
	return NULL;
}

static int pack_on_image(struct push *p, struct aisbx_error *e)
{
	scoped(image_details_finish) struct image_details d = { 0 };
	scoped(drop_mem) char *label = label_of(p, NULL, false, e);
	struct image_draft draft = { .template_label = label, .by = BY };
	struct image_packing how = p->how;
	json_auto_t *packed = NULL;
	bool alone = false;
	int r = label ? image_details_read(p->i, p->t->row.image, &d, e) : e->code;

	if (r == 0)
		r = image_pack_check(&d, e);
	how.sub_ids = d.image.ids;
	if (r == 0 && strcmp(p->t->row.layer, d.image.top) != 0)
		r = image_pack_changes(p->i, p->t->row.layer, &d.image, &how, &alone, &packed, e);
	if (r == 0)
		r = check_there(p, e);
	draft.config = d.config;
	draft.below = alone ? NULL : &d.layers;
	draft.packed[0] = packed;
	return r == 0 ? image_pack_documents(p->i, &draft, p->digest, e) : r;
}

/*
 * Names of this machine's users, which every box of root has in its /etc/shadow: nobody else's business, and
 * another machine gives its own. If the box changed users, they belong to its /etc/passwd.
 */
static void leave_logins(const char *all)
{
	char tree[32];
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int etc = -1;
	struct stat st;

	layer_tree_name("/etc", NULL, tree, sizeof(tree));
	if (asprintf(&path, "%s/%s", all, tree) < 0)
		path = NULL;
	etc = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (etc < 0 || fstatat(etc, "passwd", &st, AT_SYMLINK_NOFOLLOW) == 0 || fstat(etc, &st) < 0)
		return;
	for (const char *const *name = secret_login_names; *name; name++)
		unlinkat(etc, *name, 0);
	futimens(etc, (const struct timespec[]){ st.st_atim, st.st_mtim }); /* the same bytes each time */
}

/* All layers of the template as one with one tree, in OWN. */
static int gather(struct push *p, struct template_layer *own, bool *ret_system, struct aisbx_error *e)
{
	struct box_state *s = &p->i->state;
	int r = template_layer_merge(s, p->t->row.layer, own, e);

	if (r == 0)
		r = check_there(p, e);
	return r == 0 ? layer_gather(s->layers, own->id, driver_id_shift(), ret_system, e) : r;
}

/* Two blobs, and the config of an image that has nothing but them. */
static int pack_trees(struct push *p, const char *all, const char *label, struct aisbx_error *e)
{
	const char *here = strchr(oci_platform_here(), '/') + 1;
	json_auto_t *config = json_pack("{s:s, s:s, s:{}, s:{s:s, s:[]}}", "architecture", here, "os",
					"linux", "config", "rootfs", "type", "layers", "diff_ids");
	json_auto_t *empty = NULL;
	json_auto_t *packed = NULL;
	struct image_draft draft = { .config = config, .template_label = label, .by = BY };
	int r = image_pack_dirs(p->i, json_array(), json_array(), &p->how, &empty, e);

	if (r == 0)
		r = image_pack_dirs(p->i, json_pack("[s]", all), NULL, &p->how, &packed, e);
	draft.packed[0] = empty;
	draft.packed[1] = packed;
	return r == 0 ? image_pack_documents(p->i, &draft, p->digest, e) : r;
}

static int pack_on_host(struct push *p, struct aisbx_error *e)
{
	struct template_layer own = TEMPLATE_LAYER_INIT;
	scoped(drop_mem) char *all = NULL, *label = NULL;
	struct template_host host;
	bool system = false;
	int r = template_host_read(&host, e);

	if (r == 0)
		r = gather(p, &own, &system, e);
	if (r == 0 && !(all = image_layer_path(&p->i->state, own.id, e)))
		r = e->code;
	if (r == 0) {
		leave_logins(all);
		label = label_of(p, &host, system, e);
		r = label ? pack_trees(p, all, label, e) : e->code;
	}
	template_layer_drop(&p->i->state, &own);
	return r;
}

int box_template_push(const char *key, const char *to, const struct image_import *how,
		      struct image_pushed *ret, struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	scoped(box_template_finish) struct box_template t = { 0 };
	struct push p = { .i = &i, .t = &t, .how = { "gzip", "", how->progress, how->progress_ctx } };
	int r = images_open(&i, e);

	if (r == 0)
		r = box_template_find(&i.state, key, &t, e);
	if (r == 0 && t.with_project)
		r = aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				 "template '%s' has changes of the project '%s', and is only for that one; "
				 "save one without --with-project to share it",
				 key, t.row.project);
	if (r == 0)
		r = t.row.image[0] ? pack_on_image(&p, e) : pack_on_host(&p, e);
	return r == 0 ? image_push_manifest(&i, p.digest, to, how, ret, e) : r;
}
