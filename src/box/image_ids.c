/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks images for subordinate ids, and tells which ids those are. */
#include "box/image_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/image.h"
#include "box/image_layers.h"
#include "box/room.h"
#include "sys/subids.h"

#define TRIES 3 /* somebody may remove a layer of it at the same time */

int box_ids_read(const char *word, bool *ret_sub, struct aisbx_error *e)
{
	*ret_sub = word && !strcmp(word, "sub");
	if (!word || *ret_sub || !strcmp(word, "one"))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "'%.40s' are no ids of a box; give 'one' or 'sub'", word);
}

static int find_ids(struct sys_subids *ret, struct aisbx_error *e)
{
	char why[400];

	if (sys_subids_find(ret, why, sizeof(why)))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
			    "there are no subordinate ids for this box: %s", why);
}

int box_image_ids(const struct store_image *image, struct run_image *ret, struct aisbx_error *e)
{
	struct sys_subids now, has;
	char text[SYS_SUBIDS_TEXT];
	int r;

	if (!image->ids[0])
		return 0;
	r = find_ids(&now, e);
	if (r < 0)
		return r;
	sys_subids_text(&now, text);
	if (!sys_subids_parse(image->ids, &has) || strcmp(text, image->ids) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
			"the files of this box belong to the subordinate ids %s, and yours are %s now; "
			"restore the lines in /etc/subuid and /etc/subgid, or make the box again",
			image->ids, text);
	ret->sub_uid = has.uid;
	ret->sub_gid = has.gid;
	return 0;
}

/*
 * Files of these layers belong to other ids than the person's, and an image can have set who they run as: who
 * else is on this machine must have no way to them.
 */
static int check_closed(const struct box_state *s, struct aisbx_error *e)
{
	struct stat st;

	if (stat(s->dir, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "look at '%s'", s->dir);
	if (st.st_uid == geteuid() && !(st.st_mode & 077))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
			    "'%s' must be yours and closed to others before files in it belong to other ids: "
			    "'chmod 700 %s'",
			    s->dir, s->dir);
}

static int add_row(struct images *i, const struct store_image *plain, const struct image_layers *l,
		   struct store_image *ret, struct aisbx_error *e)
{
	struct box_image_layer *layers = calloc(l->n + 1, sizeof(*layers));
	const struct box_image_new new = { .digest = plain->digest,
					   .ids = l->ids,
					   .config = plain->config,
					   .manifest = plain->manifest,
					   .source = plain->source,
					   .size = plain->size,
					   .layers = layers,
					   .n_layers = l->n };
	int r;

	for (size_t k = 0; layers && k < l->n; k++)
		layers[k] = (struct box_image_layer){ .chain = l->items[k].chain,
						      .layer = l->items[k].id,
						      .known = !l->items[k].made[0],
						      .files = l->items[k].files,
						      .bytes = l->items[k].bytes };
	r = layers ? box_image_add(&i->state, &new, ret, e)
		   : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "unpack an image");
	free(layers);
	return r;
}

static int check_blobs(const struct images *i, const struct image_layers *l, struct aisbx_error *e)
{
	for (size_t k = 0; k < l->n; k++)
		if (!l->items[k].id[0] && !images_has_blob(i, l->items[k].digest))
			return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_BOX, ENOENT,
					    "the image cannot be unpacked for other ids: blobs of its layers "
					    "were not kept; pull or import it again, without --no-blobs");
	return 0;
}

static int unpack(const struct store_image *plain, const char *ids, struct store_image *ret,
		  struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	struct image_layers layers = { 0 };
	size_t n = 0;
	int r = images_open(&i, e);

	if (r == 0)
		r = check_closed(&i.state, e);
	if (r == 0)
		r = image_layers_read(plain->manifest, plain->config, &layers, e);
	if (r == 0) {
		image_layers_set_ids(&layers, ids);
		r = image_layers_find(&i.state, &layers, e);
	}
	if (r == 0)
		r = check_blobs(&i, &layers, e);
	if (r == 0)
		r = image_layers_unpack(&i, &layers, NULL, NULL, &n, e);
	if (r == 0)
		r = add_row(&i, plain, &layers, ret, e);
	image_layers_finish(&i.state, &layers);
	return box_hint_room(i.state.dir, r, e);
}

int box_image_for_subids(struct box_state *s, struct store_image *image, struct aisbx_error *e)
{
	struct store_image found = { 0 };
	char text[SYS_SUBIDS_TEXT];
	struct sys_subids ids;
	int r = find_ids(&ids, e);

	if (r < 0)
		return r;
	sys_subids_text(&ids, text);
	if (!strcmp(image->ids, text)) /* it was named by its id */
		return 0;
	r = store_image_find_for(s->store, image->digest, text, &found, e);
	for (int k = 0; k < TRIES && r == (k ? -EAGAIN : -ENOENT); k++) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = unpack(image, text, &found, e);
	}
	if (r < 0)
		return r;
	store_image_finish(image);
	*image = found;
	return 0;
}
