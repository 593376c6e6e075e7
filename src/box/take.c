/* SPDX-License-Identifier: Apache-2.0 */
/* Takes boxes over from sessions that have ended, one by one and whole: two who want one do not both get it.
 */
#include "box/take.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "box/sessions.h"
#include "store/give.h"

/* An expiry that comes so near to the one which the end of its session set is that one. */
#define NEAR_MS 60000
#define EVENTS  1000

void box_left_finish(struct store_box *boxes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		store_box_finish(&boxes[i]);
	free(boxes);
}

/* Whether sessions of OWNER are of the same token as MINE; the person has all tokens. */
static bool is_heir(const char *mine, const char *owner)
{
	return box_is_session(owner) &&
	       (!mine || (strcmp(mine, owner) != 0 && box_session_is_same(mine, owner)));
}

int box_left_list(struct box_state *s, struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e)
{
	int r = store_box_list(s->store, ret_boxes, ret_n, e);
	size_t kept = 0;

	for (size_t i = 0; r == 0 && i < *ret_n; i++) {
		struct store_box *b = &(*ret_boxes)[i];

		if (is_heir(box_acting_for(), b->owner) && box_session_has_ended(b->owner))
			(*ret_boxes)[kept++] = *b;
		else
			store_box_finish(b);
	}
	if (r == 0)
		*ret_n = kept;
	return r;
}

int box_left(struct store_box **ret_boxes, size_t *ret_n, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r;

	*ret_boxes = NULL;
	*ret_n = 0;
	if (!box_acting_for() || !box_session_is_same(box_acting_for(), box_acting_for()))
		return 0;
	r = box_state_open(&state, e);
	return r == 0 ? box_left_list(&state, ret_boxes, ret_n, e) : r;
}

static bool is_named(const struct store_box *b, const char *key)
{
	const size_t owner = strlen(b->owner);

	return !strcmp(b->name, key) ||
	       (!strncmp(key, b->owner, owner) && key[owner] == '/' && !strcmp(key + owner + 1, b->name));
}

/* By id first: a box may be called as another's id is. */
static int find(struct store_box *boxes, size_t n, const char *key, struct store_box **ret,
		struct aisbx_error *e)
{
	struct store_box *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(boxes[i].id, key)) {
			*ret = &boxes[i];
			return 0;
		}
	for (size_t i = 0; i < n; i++) {
		if (!is_named(&boxes[i], key))
			continue;
		if (found)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
					    "more than one ended session has a box '%.100s'; give its id",
					    key);
		found = &boxes[i];
	}
	if (!found)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "no ended session has a box '%.100s' that can be taken over", key);
	*ret = found;
	return 0;
}

/* Set when its session ended, not by somebody who wanted it. */
static int expires_because_left(struct store *s, const struct store_box *b, bool *ret, struct aisbx_error *e)
{
	const struct store_event_filter filter = { .box = b->id, .limit = EVENTS };
	struct store_event *events = NULL;
	size_t n = 0;
	int r = b->expires_ms ? store_event_list(s, &filter, &events, &n, e) : 0;

	*ret = false;
	for (size_t i = 0; r == 0 && i < n; i++)
		if (!strcmp(events[i].kind, "box.left"))
			*ret |= llabs(events[i].time_ms + BOX_LEFT_DAYS * 86400000LL - b->expires_ms) <
				NEAR_MS;
	store_event_list_finish(events, n);
	return r;
}

static int give(struct store *s, const struct store_box *b, const char *owner, const char *name,
		struct aisbx_error *e)
{
	bool left = false;
	int r = expires_because_left(s, b, &left, e);

	if (r == 0)
		r = store_box_give(s, b->id, owner, name, e);
	if (r == 0 && left)
		r = store_box_set_expiry(s, b->id, 0, e);
	return r < 0 ? r
		     : store_event_add(s, "box.taken", b->id, NULL, e, "{\"name\":\"%s\",\"from\":\"%s\"}",
				       name, b->owner);
}

int box_take(const struct box_take_request *req, struct store_box *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	const char *owner = box_acting_for() ? box_acting_for() : "";
	struct store_box *boxes = NULL, *box = NULL;
	size_t n = 0;
	int r = req->name ? box_check_name(req->name, e) : 0;

	if (r == 0)
		r = box_state_open(&state, e);
	if (r == 0)
		r = store_begin(state.store, e);
	if (r < 0)
		return r;
	r = box_left_list(&state, &boxes, &n, e);
	if (r == 0)
		r = find(boxes, n, req->box, &box, e);
	if (r == 0 && box)
		r = give(state.store, box, owner, req->name ? req->name : box->name, e);
	if (r == 0 && box)
		r = store_box_find_for(state.store, box->id, box_acting_for(), ret, e);
	if (r == 0)
		r = store_commit(state.store, e);
	store_rollback(state.store);
	box_left_finish(boxes, n);
	return r;
}
