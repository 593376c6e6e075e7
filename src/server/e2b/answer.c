/* SPDX-License-Identifier: Apache-2.0 */
/* Answers and errors in the forms that the clients read: {"code","message"} with a number for control and
 * files, a word for the Connect protocol, whose streams carry errors in their last envelope. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "server/e2b/frame.h"
#include "server/e2b/internal.h"

static const struct {
	unsigned int status;
	const char *word;
} kinds[AISBX_KIND_COUNT] = {
	[AISBX_KIND_NONE] = { 500, "internal" },
	[AISBX_KIND_USAGE] = { 400, "invalid_argument" },
	[AISBX_KIND_NOT_FOUND] = { 404, "not_found" },
	[AISBX_KIND_EXISTS] = { 409, "already_exists" },
	[AISBX_KIND_BUSY] = { 409, "aborted" },
	[AISBX_KIND_DENIED] = { 403, "permission_denied" },
	[AISBX_KIND_CONFLICT] = { 409, "failed_precondition" },
	[AISBX_KIND_STALE] = { 409, "failed_precondition" },
	[AISBX_KIND_LIMIT] = { 429, "resource_exhausted" },
	[AISBX_KIND_TIMEOUT] = { 504, "deadline_exceeded" },
	[AISBX_KIND_CANCELLED] = { 499, "canceled" },
	[AISBX_KIND_UNSUPPORTED] = { 501, "unimplemented" },
	[AISBX_KIND_INTERNAL] = { 500, "internal" },
};

static bool speaks_connect(const struct request *r)
{
	return r->route >= ROUTE_START && r->route <= ROUTE_UNWATCH;
}

static char *dump(json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | VALUE_REALS) : NULL;

	json_decref(value);
	return text;
}

void answer_json(struct request *r, unsigned int status, json_t *value)
{
	scoped(drop_mem) char *text = dump(value);

	if (!r->x)
		return;
	if (text)
		r->e2b->how.wire->reply(r->x, status, "application/json", text, strlen(text));
	else
		r->e2b->how.wire->reply(r->x, 500, NULL, NULL, 0);
}

void answer_empty(struct request *r, unsigned int status)
{
	if (r->x)
		r->e2b->how.wire->reply(r->x, status, NULL, NULL, 0);
}

static json_t *text_json(const char *text)
{
	scoped(buf_finish) struct buf b = { 0 };

	buf_add_utf8(&b, text, strlen(text));
	return json_string(buf_str(&b) ? b.data : "");
}

/* For somebody who has no command line, and knows the home by E2B's name. */
static json_t *message_json(const struct request *r, const struct aisbx_error *e)
{
	const char *home = r->e2b->how.home, *at = e->text, *end = strstr(e->text, "; 'aisbx"), *found;
	scoped(buf_finish) struct buf b = { 0 };

	if (!end)
		end = strstr(e->text, "; -");
	end = end ? end : e->text + strlen(e->text);
	while ((found = strstr(at, home)) && found < end) {
		buf_add(&b, at, (size_t)(found - at));
		buf_addf(&b, E2B_HOME);
		at = found + strlen(home);
	}
	if (at < end)
		buf_add(&b, at, (size_t)(end - at));
	return text_json(buf_str(&b) ? b.data : "");
}

static json_t *word_json(const struct request *r, const struct aisbx_error *e)
{
	return json_pack("{s:s, s:o}", "code", kinds[e->kind].word, "message", message_json(r, e));
}

void answer_error(struct request *r, const struct aisbx_error *e)
{
	const unsigned int status = kinds[e->kind].status;

	if (r->stream || r->begun)
		answer_end(r, e);
	else if (speaks_connect(r))
		answer_json(r, status, word_json(r, e));
	else
		answer_json(r, status,
			    json_pack("{s:i, s:o}", "code", (int)status, "message", message_json(r, e)));
}

void answer_refusal(struct request *r, int kind, const char *fmt, ...)
{
	struct aisbx_error e = { .code = -1, .kind = kind };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e.text, sizeof(e.text), fmt, ap);
	va_end(ap);
	answer_error(r, &e);
}

static void begin(struct request *r, const char *type)
{
	if (!r->begun && r->x)
		r->e2b->how.wire->begin(r->x, type);
	r->begun = true;
}

static void send_frame(struct request *r, unsigned int flags, json_t *value)
{
	scoped(drop_mem) char *text = dump(value);
	scoped(buf_finish) struct buf b = { 0 };

	begin(r, "application/connect+json");
	if (!r->x || !text)
		return;
	frame_add(&b, flags, text, strlen(text));
	if (!b.failed)
		r->e2b->how.wire->send(r->x, b.data, b.len);
}

void answer_message(struct request *r, json_t *message)
{
	send_frame(r, 0, message);
}

void answer_end(struct request *r, const struct aisbx_error *e)
{
	if (r->stream)
		send_frame(r, FRAME_LAST, e ? json_pack("{s:o}", "error", word_json(r, e)) : json_object());
	if (r->x)
		r->e2b->how.wire->end(r->x);
}

void answer_line(struct request *r, json_t *line)
{
	scoped(drop_mem) char *text = dump(line);

	begin(r, "application/x-ndjson");
	if (!r->x || !text)
		return;
	r->e2b->how.wire->send(r->x, text, strlen(text));
	r->e2b->how.wire->send(r->x, "\n", 1);
}
