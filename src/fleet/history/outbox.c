/* SPDX-License-Identifier: Apache-2.0 */
/* Sending the history of a node: where to go on, and one batch after the other. */
#include "fleet/history/outbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"

#define SUBJECT_MAX (sizeof(HISTORY_SUBJECT) + 2 * FLEET_NAME)

static void name_subject(const struct outbox *o, char ret[SUBJECT_MAX])
{
	snprintf(ret, SUBJECT_MAX, HISTORY_SUBJECT "%s%s%s", o->node, o->tenant[0] ? "." : "", o->tenant);
}

/* After what the node's own file says was sent, if the store still has that; else from the beginning. The
 * centre keeps what it has already. */
static int begin_anew(struct outbox *o, struct store *s, bool from_file, struct aisbx_error *e)
{
	struct history_position own = { .sequence = 0 };
	bool has = false;
	int r = from_file ? history_position_load(o->path, &own, e) : -ENOENT;

	if (r == 0)
		r = outbox_has(s, own.at, &has, e);
	if (r < 0 && r != -ENOENT)
		return r;
	log_debug("history: a new incarnation, %s", has ? "after what was sent" : "from the beginning");
	return history_position_begin(has ? own.at : NULL, &o->at, e);
}

/* The stream has a message of this node. Where its rows are in the store, the node goes on after them. */
static int go_on_after(struct outbox *o, struct store *s, const char *data, size_t len, struct aisbx_error *e)
{
	scoped(history_batch_finish) struct history_batch b = { 0 };
	struct history_position own = { .sequence = 0 };
	struct aisbx_error why = AISBX_ERROR_INIT;
	char subject[SUBJECT_MAX];
	bool has = false;
	int r;

	name_subject(o, subject);
	r = history_batch_decode(subject, data, len, &b, &why);
	if (r == 0)
		r = outbox_has(s, b.at, &has, e);
	else
		r = 0; /* somebody else wrote there */
	if (r < 0)
		return r;
	if (!has)
		return begin_anew(o, s, true, e);
	/* The stream has lost what was sent after this, which the centre may have. A place in the sequence is
	 * for one row only, and other rows may come first now. */
	r = history_position_load(o->path, &own, e);
	if (r < 0 && r != -ENOENT)
		return r;
	if (r == 0 && !strcmp(own.incarnation, b.incarnation) && own.sequence >= b.first + b.n)
		return history_position_begin(b.at, &o->at, e);
	o->at = (struct history_position){ .sequence = b.first + b.n - 1 };
	memcpy(o->at.incarnation, b.incarnation, sizeof(o->at.incarnation));
	memcpy(o->at.at, b.at, sizeof(o->at.at));
	return 0;
}

/* The stream has no message of this node: it is new, or was lost, or its messages have become too old. */
static int go_on_without(struct outbox *o, struct store *s, const struct bus_stream_state *state,
			 struct aisbx_error *e)
{
	struct history_position own = { .sequence = 0 };
	bool has = false;
	int r = history_position_load(o->path, &own, e);

	if (r == -ENOENT)
		return begin_anew(o, s, false, e);
	if (r == 0)
		r = outbox_has(s, own.at, &has, e);
	if (r < 0)
		return r;
	if (!has || own.stream_ns != state->created_ns || own.stream_sequence >= state->first)
		return begin_anew(o, s, false, e);
	o->at = own;
	return 0;
}

static int find_position(struct outbox *o, struct store *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *data = NULL;
	struct bus_stream_state state;
	char subject[SUBJECT_MAX];
	size_t len = 0;
	int r = bus_stream_look(o->stream, &state, e);

	if (r < 0)
		return r;
	name_subject(o, subject);
	o->made_ns = state.created_ns;
	o->last = 0;
	r = bus_stream_last(o->stream, subject, &data, &len, &o->last, e);
	if (r == 0)
		r = go_on_after(o, s, data, len, e);
	else if (r == -ENOENT)
		r = go_on_without(o, s, &state, e);
	o->known = r == 0;
	return r;
}

static int send_batch(struct outbox *o, const struct history_batch *b, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char subject[SUBJECT_MAX], id[HISTORY_DIGEST + 64];
	int r = history_batch_encode(b, &text);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, -r, "make a message of %zu rows of history", b->n);
	name_subject(o, subject);
	snprintf(id, sizeof(id), "%s-%llu-%zu", b->incarnation, (unsigned long long)b->first, b->n);
	r = bus_stream_append(o->stream, subject, id, text.data, text.len, o->last, &o->last, e);
	if (r < 0)
		return r;
	o->at.sequence += b->n;
	memcpy(o->at.at, b->at, sizeof(o->at.at));
	o->at.stream_ns = o->made_ns;
	o->at.stream_sequence = o->last;
	return history_position_save(o->path, &o->at, e);
}

int outbox_send(struct outbox *o, struct store *s, size_t *ret_n, struct aisbx_error *e)
{
	scoped(history_batch_finish) struct history_batch b = { 0 };
	int r = o->known ? 0 : find_position(o, s, e);
	bool has = false;

	/* Whatever it was when it was opened last: a store may have been put back meanwhile. */
	if (r == 0)
		r = outbox_has(s, o->at.at, &has, e);
	if (r == 0 && !has)
		r = begin_anew(o, s, true, e);
	if (r == 0)
		r = outbox_collect(s, o->tenant, o->promotions, o->at.at, &b, e);
	if (r == 0 && b.n) {
		snprintf(b.node, sizeof(b.node), "%s", o->node);
		memcpy(b.incarnation, o->at.incarnation, sizeof(b.incarnation));
		b.first = o->at.sequence + 1;
		r = send_batch(o, &b, e);
	}
	if (r < 0)
		o->known = false;
	else
		*ret_n = b.n;
	return r;
}
