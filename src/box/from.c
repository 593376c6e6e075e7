/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out what somebody means by what a box is to start from. */
#include "box/from.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/image.h"
#include "box/owner.h"

static const char *const kinds[] = { [BOX_FROM_HOST] = "host",
				     [BOX_FROM_TEMPLATE] = "template",
				     [BOX_FROM_BOX] = "box",
				     [BOX_FROM_IMAGE] = "image" };
#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

void box_from_finish(struct box_from *f)
{
	store_image_finish(&f->image);
	box_template_finish(&f->template);
}

static int find_box(struct box_state *s, const char *text, struct aisbx_error *e)
{
	char name[BOX_KEY_MAX + 1], snapshot[STORE_NAME_MAX + 1];
	scoped(store_box_finish) struct store_box box = { 0 };
	struct aisbx_error bad = AISBX_ERROR_INIT;

	if (box_parse_point(text, name, snapshot, &bad) < 0) /* it may be a name of an image */
		return store_box_missing(text, e);
	return box_find(s, name, &box, e);
}

static int find_one(struct box_state *s, enum box_from_kind kind, const char *text, struct box_from *ret,
		    struct aisbx_error *e)
{
	switch (kind) {
	case BOX_FROM_TEMPLATE:
		return box_template_find(s, text, &ret->template, e);
	case BOX_FROM_BOX:
		ret->box = text;
		return find_box(s, text, e);
	case BOX_FROM_IMAGE:
		return box_image_resolve(s, text, &ret->image, e);
	case BOX_FROM_HOST:
		break;
	}
	return 0;
}

/* "KIND:NAME": *RET_NAME is NAME. An image may be called "box:1", too: then it is not there under NAME alone.
 */
static bool says_kind(const char *text, enum box_from_kind *ret, const char **ret_name)
{
	for (size_t i = 1; i < N_KINDS; i++) {
		size_t n = strlen(kinds[i]);

		if (!strncmp(text, kinds[i], n) && text[n] == ':' && text[n + 1]) {
			*ret = (enum box_from_kind)i;
			*ret_name = text + n + 1;
			return true;
		}
	}
	return false;
}

static int refuse_both(const char *text, enum box_from_kind a, enum box_from_kind b, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "'%.100s' is %s %s and %s %s; say which: '%s:%.100s' or '%s:%.100s'", text,
			    a == BOX_FROM_IMAGE ? "an" : "a", kinds[a], b == BOX_FROM_IMAGE ? "an" : "a",
			    kinds[b], kinds[a], text, kinds[b], text);
}

static int missing(const char *text, struct aisbx_error *e)
{
	return aisbx_refuse(
		e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
		"there is no template, box or image '%.100s'; 'aisbx image pull %.100s' fetches an "
		"image, 'aisbx image ls', 'aisbx template ls' and 'aisbx ls --all' list what is there",
		text, text);
}

int box_from_resolve(struct box_state *s, const char *text, struct box_from *ret, struct aisbx_error *e)
{
	enum box_from_kind kind = BOX_FROM_HOST;
	const char *name;
	int r = 0;

	*ret = (struct box_from){ .kind = BOX_FROM_HOST };
	if (!text || !strcmp(text, kinds[BOX_FROM_HOST]))
		return 0;
	if (says_kind(text, &kind, &name)) {
		ret->kind = kind;
		return find_one(s, kind, name, ret, e);
	}
	for (size_t i = BOX_FROM_TEMPLATE; r == 0 && i < N_KINDS; i++) {
		struct aisbx_error why = AISBX_ERROR_INIT;
		int found = find_one(s, (enum box_from_kind)i, text, ret, &why);

		if (found == 0 && kind != BOX_FROM_HOST)
			r = refuse_both(text, kind, (enum box_from_kind)i, e);
		else if (found == 0)
			kind = (enum box_from_kind)i;
		else if (found != -ENOENT) {
			*e = why;
			r = found;
		}
	}
	if (r == 0 && kind == BOX_FROM_HOST)
		r = missing(text, e);
	ret->kind = kind;
	return r;
}

int box_from_look(const char *text, bool image_only, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state s = { 0 };
	scoped(box_from_finish) struct box_from from = { 0 };
	int r = box_state_open(&s, e);

	if (r < 0)
		return r;
	return image_only ? box_image_resolve(&s, text, &from.image, e)
			  : box_from_resolve(&s, text, &from, e);
}
