/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of output, and what of them is kept. */
#include "fleet/agent/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/scope.h"
#include "fleet/agent/sealed_run.h"
#include "fleet/core/memory.h"

/* Bytes that wait for a reader. */
#define ROOM ((size_t)1 << 20)
/* Of each stream, for the result. */
#define HEAD ((size_t)256 << 10)
/* A reader that has said nothing for so long is gone. */
#define SILENT_MS 15000
/* Pieces that are sent again at once. */
#define AGAIN 64

struct output_piece {
	struct output_piece *next;
	size_t len;
	char text[];
};

void output_init(struct output *o, const char *tenant, const char *job, const char *node, unsigned attempt)
{
	*o = (struct output){ .attempt = attempt };
	snprintf(o->subject, sizeof(o->subject), "aisbx.out.%s.%s", tenant, job);
	snprintf(o->node, sizeof(o->node), "%s", node);
}

static void drop_first(struct output *o)
{
	struct output_piece *p = o->first;

	o->first = p->next;
	if (!o->first)
		o->last = NULL;
	o->bytes -= p->len;
	o->kept--;
	free(p);
}

void output_finish(struct output *o)
{
	while (o->first)
		drop_first(o);
	buf_finish(&o->head[0]);
	buf_finish(&o->head[1]);
	sealed_run_free(o->sealed);
	o->sealed = NULL;
}

void output_send(const struct output *o, struct bus *bus, const char *text, size_t len)
{
	scoped(buf_finish) struct buf sealed = { 0 };

	if (!o->sealed)
		bus_publish(bus, o->subject, NULL, text, len);
	else if (sealed_run_write(o->sealed, text, len, &sealed))
		bus_publish(bus, o->subject, NULL, sealed.data, sealed.len);
}

static bool has_reader(const struct output *o, uint64_t now_ms)
{
	return o->heard_ms && now_ms < o->heard_ms + SILENT_MS;
}

bool output_is_full(const struct output *o, uint64_t now_ms)
{
	return o->bytes > ROOM / 2 && has_reader(o, now_ms);
}

bool output_is_read(const struct output *o, uint64_t now_ms)
{
	return o->acked >= o->n || !has_reader(o, now_ms);
}

void output_tell(struct output *o, struct bus *bus, json_t *remark)
{
	struct output_piece *p;
	char *text;
	size_t len;

	json_object_set_new(remark, "n", json_integer((json_int_t)++o->n));
	json_object_set_new(remark, "attempt", json_integer(o->attempt));
	json_object_set_new(remark, "node", json_string(o->node));
	text = json_dumps(remark, JSON_COMPACT);
	json_decref(remark);
	if (!text)
		fleet_out_of_memory();
	len = strlen(text);
	output_send(o, bus, text, len);
	p = fleet_new(sizeof(*p) + len);
	p->len = len;
	memcpy(p->text, text, len);
	free(text);
	if (o->last)
		o->last->next = p;
	else
		o->first = p;
	o->last = p;
	o->kept++;
	o->bytes += len;
	while (o->bytes > 2 * ROOM && o->first != o->last)
		drop_first(o);
}

static void keep_head(struct output *o, int which, const json_t *said)
{
	const char *data = json_string_value(json_object_get(said, "data"));
	const char *encoding = json_string_value(json_object_get(said, "encoding"));
	scoped(buf_finish) struct buf bytes = { 0 };
	size_t room = o->head[which].len < HEAD ? HEAD - o->head[which].len : 0;

	if (!data)
		return;
	if (encoding && !strcmp(encoding, "base64"))
		base64_read(&bytes, data, strlen(data));
	else
		buf_add(&bytes, data, json_string_length(json_object_get(said, "data")));
	o->total[which] += bytes.len;
	if (bytes.len && room)
		buf_add(&o->head[which], bytes.data, bytes.len < room ? bytes.len : room);
}

void output_add(struct output *o, struct bus *bus, const json_t *said)
{
	const json_t *stream = json_object_get(said, "stream"), *data = json_object_get(said, "data"),
		     *encoding = json_object_get(said, "encoding");
	const char *name = json_string_value(stream);

	if (!name || !json_is_string(data))
		return;
	keep_head(o, !strcmp(name, "stderr"), said);
	output_tell(o, bus,
		    json_pack("{s:O, s:O, s:O?}", "stream", (json_t *)stream, "data", (json_t *)data,
			      "encoding", (json_t *)encoding));
}

void output_ack(struct output *o, uint64_t n, uint64_t now_ms)
{
	o->heard_ms = now_ms;
	if (n > o->n)
		return;
	if (n > o->acked)
		o->acked = n;
	while (o->first && o->n - o->kept + 1 <= o->acked)
		drop_first(o);
}

void output_again(struct output *o, struct bus *bus, uint64_t n, uint64_t now_ms)
{
	uint64_t at = o->n - o->kept + 1;
	int sent = 0;

	o->heard_ms = now_ms;
	if (n && n < at) {
		char gap[200];

		snprintf(gap, sizeof(gap), "{\"gap\":%llu,\"to\":%llu,\"attempt\":%u,\"node\":\"%s\"}",
			 (unsigned long long)n, (unsigned long long)at - 1, o->attempt, o->node);
		output_send(o, bus, gap, strlen(gap));
	}
	for (const struct output_piece *p = o->first; p && sent < AGAIN; p = p->next, at++)
		if (at >= n) {
			output_send(o, bus, p->text, p->len);
			sent++;
		}
}

void output_put_head(const struct output *o, json_t *result, size_t most)
{
	static const char *const names[] = { "stdout", "stderr" };
	json_t *lacking = json_object();

	for (int i = 0; i < 2; i++) {
		const size_t len = o->head[i].len < most ? o->head[i].len : most;
		scoped(buf_finish) struct buf text = { 0 };

		buf_add_utf8(&text, o->head[i].data, len);
		json_object_set_new(result, names[i], json_stringn(text.data ? text.data : "", text.len));
		json_object_set_new(lacking, names[i], json_integer((json_int_t)(o->total[i] - len)));
	}
	json_object_set_new(result, "truncated", lacking);
}
