/* SPDX-License-Identifier: Apache-2.0 */
/* For whom this process acts, and which boxes are visible to it. */
#include "box/owner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/inside.h"
#include "base/scope.h"

static const char *acting_for;

void box_act_for(const char *owner)
{
	acting_for = owner;
}

const char *box_acting_for(void)
{
	return acting_for;
}

bool box_is_owner(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
	size_t n = strlen(text);

	return n && n <= STORE_NAME_MAX && strspn(text, letters) == n;
}

bool box_owns(const char *owner)
{
	return !acting_for || (owner && !strcmp(owner, acting_for));
}

void box_told_as(const struct store_box *b, char ret[BOX_KEY_MAX + 1])
{
	const bool own = !strcmp(b->owner, acting_for ? acting_for : "");

	snprintf(ret, BOX_KEY_MAX + 1, "%s%s%s", own ? "" : b->owner, own ? "" : "/", b->name);
}

static bool is_there(const struct store_box *b)
{
	return b->shared || box_owns(b->owner);
}

/* For the person only: it says which boxes there are. */
static void hint_near(struct box_state *s, const char *key, struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist names = { 0 };
	struct store_box *boxes = NULL;
	char box[80];
	const char *near;
	size_t n = 0;

	if (inside_box(box)) {
		aisbx_hint(e, "this is inside %s, and boxes are known only to the machine outside", box);
		return;
	}
	if (store_box_list(s->store, &boxes, &n, &ignored) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		strlist_add(&names, boxes[i].name);
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	near = str_nearest(key, (const char *const *)names.items, names.n);
	if (near)
		aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			     "there is no box '%.100s'; did you mean '%s'?", key, near);
	else if (!names.n)
		aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			     "there is no box '%.100s', nor any other; 'aisbx create NAME' makes one", key);
}

int box_find(struct box_state *s, const char *key, struct store_box *ret_box, struct aisbx_error *e)
{
	int r = store_box_find_for(s->store, key, acting_for, ret_box, e);

	if (r == -ENOENT && !acting_for)
		hint_near(s, key, e);
	return r;
}

int box_list(struct box_state *s, struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e)
{
	int r = store_box_list(s->store, ret_boxes, ret_n, e);
	size_t kept = 0;

	for (size_t i = 0; r == 0 && i < *ret_n; i++) {
		struct store_box *b = &(*ret_boxes)[i];

		if (is_there(b))
			(*ret_boxes)[kept++] = *b;
		else
			store_box_finish(b);
	}
	if (r == 0)
		*ret_n = kept;
	return r;
}

bool box_is_mine(struct box_state *s, const char *id)
{
	scoped(store_box_finish) struct store_box b = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return !acting_for || box_find(s, id, &b, &ignored) == 0;
}
