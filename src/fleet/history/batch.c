/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of rows as JSON and back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/history/row.h"

/* The end of the year 9999: later than any time that a database would take. */
#define TIME_MAX_MS 253402300799999LL

static int add_text(const char *text, size_t len, void *ret)
{
	buf_add(ret, text, len);
	return ((struct buf *)ret)->failed ? -1 : 0;
}

static json_t *encode_row(const struct history_row *row)
{
	return json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:O}", "kind", row->kind, "time",
			 (json_int_t)row->time_ms, "tenant", row->tenant, "box", row->box, "run", row->run,
			 "digest", row->digest, "body", row->body);
}

int history_batch_encode(const struct history_batch *b, struct buf *ret)
{
	scoped(drop_json) json_t *rows = json_array();
	scoped(drop_json) json_t *all = NULL;
	const size_t before = ret->len;

	for (size_t i = 0; rows && i < b->n; i++)
		if (json_array_append_new(rows, encode_row(&b->rows[i])) < 0)
			return -ENOMEM;
	all = rows ? json_pack("{s:i, s:s, s:s, s:I, s:o, s:O}", "v", HISTORY_VERSION, "node", b->node,
			       "incarnation", b->incarnation, "first", (json_int_t)b->first, "at",
			       history_marks_json(b->at), "rows", rows)
		   : NULL;
	if (!all || json_dump_callback(all, add_text, ret, JSON_COMPACT) < 0)
		return -ENOMEM;
	return ret->len - before > HISTORY_MAX ? -EMSGSIZE : 0;
}

/* A text of CHARS ("" allows any but control characters), that fits into RET with its NUL. */
static bool take_text(const json_t *json, const char *key, const char *chars, char *ret, size_t cap)
{
	const char *text = json_string_value(json_object_get(json, key));

	if (!text || strlen(text) >= cap || (*chars && text[strspn(text, chars)]))
		return false;
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	memcpy(ret, text, strlen(text) + 1);
	return true;
}

#define SMALL "abcdefghijklmnopqrstuvwxyz"
#define ID    SMALL "0123456789-"

static bool decode_row(const json_t *json, struct history_row *ret)
{
	const json_t *when = json_object_get(json, "time");
	json_t *body = json_object_get(json, "body");
	const json_int_t time = json_integer_value(when);

	if (!take_text(json, "kind", ID ".", ret->kind, sizeof(ret->kind)) || !ret->kind[0] ||
	    !take_text(json, "tenant", "", ret->tenant, sizeof(ret->tenant)) ||
	    !take_text(json, "box", ID, ret->box, sizeof(ret->box)) ||
	    !take_text(json, "run", ID, ret->run, sizeof(ret->run)) ||
	    !take_text(json, "digest", "", ret->digest, sizeof(ret->digest)) ||
	    !history_is_digest(ret->digest))
		return false;
	if (!json_is_integer(when) || time < 0 || time > TIME_MAX_MS || !json_is_object(body))
		return false;
	ret->time_ms = time;
	ret->body = json_incref(body);
	return true;
}

/* RET is half made when it returns -EBADMSG. */
static int decode(const json_t *all, struct history_batch *ret)
{
	const json_int_t version = json_integer_value(json_object_get(all, "v"));
	const json_int_t first = json_integer_value(json_object_get(all, "first"));
	const json_t *rows = json_object_get(all, "rows");
	const size_t n = json_array_size(rows);

	if (version < HISTORY_VERSION_OLD || version > HISTORY_VERSION)
		return -EPROTONOSUPPORT;
	if (!take_text(all, "node", "", ret->node, sizeof(ret->node)) || !fleet_is_name(ret->node) ||
	    !take_text(all, "incarnation", "", ret->incarnation, sizeof(ret->incarnation)) ||
	    !history_is_digest(ret->incarnation) || !history_marks_read(json_object_get(all, "at"), ret->at))
		return -EBADMSG;
	if (first < 1 || (uint64_t)first > HISTORY_NUMBER_MAX - HISTORY_ROWS_MAX || n < 1 ||
	    n > HISTORY_ROWS_MAX)
		return -EBADMSG;
	ret->first = (uint64_t)first;
	ret->rows = calloc(n, sizeof(*ret->rows));
	if (!ret->rows)
		return -ENOMEM;
	for (; ret->n < n; ret->n++)
		if (!decode_row(json_array_get(rows, ret->n), &ret->rows[ret->n]))
			return -EBADMSG;
	return 0;
}

/* The store of a tenant has rows of that tenant only. */
static bool is_from(const char *subject, struct history_batch *b)
{
	const size_t n = strlen(HISTORY_SUBJECT), len = strlen(b->node);
	const char *tenant = subject + n + len + 1;

	if (strncmp(subject, HISTORY_SUBJECT, n) != 0 || strncmp(subject + n, b->node, len) != 0)
		return false;
	if (!subject[n + len])
		return true;
	if (subject[n + len] != '.' || !fleet_is_name(tenant))
		return false;
	for (size_t i = 0; i < b->n; i++)
		if (strcmp(b->rows[i].tenant, tenant) != 0)
			return false;
	memcpy(b->tenant, tenant, strlen(tenant) + 1);
	return true;
}

int history_batch_decode(const char *subject, const char *data, size_t len, struct history_batch *ret,
			 struct aisbx_error *e)
{
	scoped(history_batch_finish) struct history_batch b = { 0 };
	scoped(drop_json) json_t *all = NULL;
	json_error_t why;
	int r;

	if (len > HISTORY_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, EMSGSIZE,
				    "read history from '%.80s': the message has %zu bytes, more than %zu",
				    subject, len, HISTORY_MAX);
	all = json_loadb(data, len, JSON_REJECT_DUPLICATES, &why);
	if (!all || history_depth(all) > HISTORY_DEPTH)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, EBADMSG,
				    "read history from '%.80s': %s", subject,
				    all ? "it is nested too deeply" : why.text);
	r = decode(all, &b);
	if (r == -EPROTONOSUPPORT)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_STORE, EPROTONOSUPPORT,
			"read history from '%.80s': it is of another version; use a newer aisbx-collect",
			subject);
	if (r == 0 && !is_from(subject, &b))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_STORE, EACCES,
			"read history from '%.80s': it says that it is of node '%s', or of other tenants",
			subject, b.node);
	if (r < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_STORE, -r,
				    "read history from '%.80s': %s", subject,
				    r == -ENOMEM ? "out of memory"
						 : "a field is missing or none that a node sends");
	*ret = b;
	b = (struct history_batch){ 0 };
	return 0;
}
