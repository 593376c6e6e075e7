/* SPDX-License-Identifier: Apache-2.0 */
/* From the rows of a store to rows that are sent. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/history/changed.h"
#include "fleet/history/outbox.h"

_Static_assert((int)STORE_SOURCES == HISTORY_SOURCES, "a source of the store has a name in messages");

/* What is longer in a body is cut, where the body as a whole is too long. */
#define MEMBER_MAX 4096
#define BODY_MAX   (HISTORY_FULL / 2)
/* Of a message, above a body. */
#define ABOVE 3
/* What a row takes beside its body. */
#define ROW_EXTRA 400

/* Rows of one source, of which `next` is the first that is not taken. */
struct queue {
	struct store_history *rows; /* owned */
	size_t n, next;
};

static void drop_queues(struct queue (*queues)[HISTORY_SOURCES])
{
	for (size_t i = 0; i < HISTORY_SOURCES; i++)
		store_history_list_finish((*queues)[i].rows, (*queues)[i].n);
}

static void mark_row(const struct store_history *h, size_t source, struct history_mark *ret)
{
	char number[24], when[24];

	snprintf(number, sizeof(number), "%lld", (long long)h->number);
	snprintf(when, sizeof(when), "%lld", (long long)h->time_ms);
	ret->number = (uint64_t)h->number;
	history_digest(ret->digest, history_sources[source], number, when, h->kind, h->box, h->run, h->fixed,
		       NULL);
}

/* A text in place of what cannot be sent as it is. */
static json_t *say_instead(const char *key, const char *text)
{
	scoped(buf_finish) struct buf clean = { 0 };
	const size_t len = strlen(text);

	buf_add_utf8(&clean, text, len < MEMBER_MAX ? len : MEMBER_MAX);
	return buf_str(&clean) ? json_pack("{s:s, s:I}", key, clean.data, "bytes", (json_int_t)len) : NULL;
}

/* Long members go, with a word about their length; the short ones, such as the status, stay. */
static json_t *cut(json_t *body)
{
	json_t *item, *shorter = json_object();
	const char *key;

	json_object_foreach(body, key, item)
	{
		scoped(drop_mem) char *text = json_dumps(item, JSON_ENCODE_ANY | JSON_COMPACT);

		if (!text || json_object_set_new(shorter, key,
						 strlen(text) <= MEMBER_MAX ? json_incref(item)
									    : say_instead("cut", text)) < 0) {
			json_decref(shorter);
			shorter = NULL;
			break;
		}
	}
	json_decref(body);
	return shorter;
}

static json_t *make_body(const char *text)
{
	scoped(buf_finish) struct buf clean = { 0 };
	json_t *body;

	buf_add_utf8(&clean, text, strlen(text));
	if (!buf_str(&clean))
		return NULL;
	body = json_loads(clean.data, 0, NULL);
	if (!json_is_object(body) || history_depth(body) > HISTORY_DEPTH - ABOVE) {
		json_decref(body);
		return say_instead("unreadable", text);
	}
	return clean.len > BODY_MAX ? cut(body) : body;
}

/* A name of a damaged store may be anything: the centre would refuse the whole message. */
static void copy_id(char *ret, size_t cap, const char *id)
{
	snprintf(ret, cap, "%s", id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-.")] ? "" : id);
}

static void copy_tenant(char *ret, size_t cap, const char *owner)
{
	bool plain = buf_is_utf8(owner);

	for (const char *c = owner; *c; c++)
		plain = plain && (unsigned char)*c >= ' ' && *c != 0x7f;
	snprintf(ret, cap, "%s", plain ? owner : "?");
}

/* Two tenants' stores may number alike. */
static int make_row(const struct store_history *h, const char *tenant, const char *digest,
		    struct history_row *ret)
{
	copy_id(ret->kind, sizeof(ret->kind), h->kind[0] ? h->kind : "unknown");
	if (!ret->kind[0])
		snprintf(ret->kind, sizeof(ret->kind), "unknown");
	copy_id(ret->box, sizeof(ret->box), h->box);
	copy_id(ret->run, sizeof(ret->run), h->run);
	copy_tenant(ret->tenant, sizeof(ret->tenant), tenant[0] ? tenant : h->owner);
	if (tenant[0])
		history_digest(ret->digest, tenant, digest, NULL);
	else
		memcpy(ret->digest, digest, HISTORY_DIGEST);
	ret->time_ms = h->time_ms < 0 ? 0 : h->time_ms;
	ret->body = make_body(h->body);
	return ret->body ? 0 : -ENOMEM;
}

/* What a promotion changed, from its journal in DIR; how much longer the body is. A name of a damaged store
 * is no path. */
static size_t tell_changes(const struct history_row *row, const char *dir)
{
	const char *id = json_string_value(json_object_get(row->body, "promotion"));

	if (!dir || strcmp(row->kind, "promotion.applied") != 0 || !id || strchr(id, '/') || id[0] == '.')
		return 0;
	return changed_tell(row->body, dir, id);
}

/* The source whose next row is the oldest; HISTORY_SOURCES: there is none. */
static size_t oldest(const struct queue queues[HISTORY_SOURCES])
{
	size_t found = HISTORY_SOURCES;

	for (size_t i = 0; i < HISTORY_SOURCES; i++) {
		const struct queue *q = &queues[i];

		if (q->next == q->n)
			continue;
		if (found == HISTORY_SOURCES ||
		    q->rows[q->next].time_ms < queues[found].rows[queues[found].next].time_ms)
			found = i;
	}
	return found;
}

int outbox_collect(struct store *s, const char *tenant, const char *promotions,
		   const struct history_mark at[HISTORY_SOURCES], struct history_batch *ret,
		   struct aisbx_error *e)
{
	scoped(drop_queues) struct queue queues[HISTORY_SOURCES] = { 0 };
	scoped(history_batch_finish) struct history_batch b = { 0 };
	size_t room = HISTORY_FULL;
	int r = 0;

	memcpy(b.at, at, sizeof(b.at));
	for (size_t i = 0; i < HISTORY_SOURCES; i++) {
		r = store_history_list(s, (enum store_source)i, (int64_t)at[i].number, HISTORY_ROWS_MAX,
				       &queues[i].rows, &queues[i].n, e);
		if (r < 0)
			return r;
	}
	b.rows = calloc(HISTORY_ROWS_MAX, sizeof(*b.rows));
	for (size_t i; b.rows && b.n < HISTORY_ROWS_MAX && (i = oldest(queues)) < HISTORY_SOURCES; b.n++) {
		const struct store_history *h = &queues[i].rows[queues[i].next++];
		size_t size = strlen(h->body) + ROW_EXTRA;

		if (b.n && size > room)
			break;
		mark_row(h, i, &b.at[i]);
		r = make_row(h, tenant, b.at[i].digest, &b.rows[b.n]);
		if (r < 0)
			break;
		size += tell_changes(&b.rows[b.n], promotions);
		room -= size < room ? size : room;
	}
	if (!b.rows || r < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read the history");
	*ret = b;
	b = (struct history_batch){ 0 };
	return 0;
}

int outbox_has(struct store *s, const struct history_mark at[HISTORY_SOURCES], bool *ret,
	       struct aisbx_error *e)
{
	bool all = true;

	for (size_t i = 0; all && i < HISTORY_SOURCES; i++) {
		struct history_mark found = { .number = 0 };
		struct store_history *rows = NULL;
		size_t n = 0;
		int r;

		if (!at[i].number)
			continue;
		r = store_history_list(s, (enum store_source)i, (int64_t)at[i].number - 1, 1, &rows, &n, e);
		if (r < 0)
			return r;
		if (n)
			mark_row(&rows[0], i, &found);
		all = found.number == at[i].number && !strcmp(found.digest, at[i].digest);
		store_history_list_finish(rows, n);
	}
	*ret = all;
	return 0;
}
