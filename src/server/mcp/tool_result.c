/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result of an operation as a tool's result: what a model is shown, twice: as data and as text. Never
 * longer than the limit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/error.h"
#include "base/str.h"
#include "base/value.h"
#include "server/mcp/offer.h"
#include "server/mcp/tool_internal.h"

/* Each copy has half of what there is, less the words around it; less still when that was not
 * little enough. */
#define COPY_MAX (TOOL_OUTPUT_MAX / 2 - 1024)
#define COPY_MIN 1024
/* Of a copy, for what is not written by the command. */
#define ASIDE 1536

static const char *const stream_names[] = { "stdout", "stderr" };

static bool is_null(const json_t *object, const char *name)
{
	const json_t *part = json_object_get(object, name);

	return !part || json_is_null(part);
}

/* What SCHEMA names of VALUE, and is there; a new reference. */
static json_t *prune(const json_t *value, const json_t *schema)
{
	const json_t *properties = json_object_get(schema, "properties"),
		     *items = json_object_get(schema, "items");
	const char *name;
	json_t *part, *out;
	size_t i;

	if (json_is_object(value) && properties) {
		out = json_object();
		json_object_foreach((json_t *)properties, name, part) if (!is_null(value, name))
			json_object_set_new(out, name, prune(json_object_get(value, name), part));
		return out;
	}
	if (json_is_array(value) && items) {
		out = json_array();
		json_array_foreach(value, i, part) json_array_append_new(out, prune(part, items));
		return out;
	}
	return json_deep_copy(value);
}

/* At least as many bytes as it takes when it is written. */
static size_t weight(const json_t *j)
{
	size_t sum = 24, i; /* the longest number */
	const char *name;
	json_t *part;

	if (json_is_string(j))
		return tool_spelled(json_string_value(j), json_string_length(j)) + 2;
	json_object_foreach((json_t *)j, name, part) sum += strlen(name) + 4 + weight(part);
	json_array_foreach(j, i, part) sum += weight(part);
	return sum;
}

/* Arrays to their first ITEMS, texts to TEXT bytes; how many elements went is told in NOT_SHOWN, by the name
 * of the array. */
static void shorten(json_t *j, size_t items, size_t text, const char *link, json_t *not_shown)
{
	const char *name;
	json_t *part;
	uint64_t cut;
	size_t i;
	void *next;

	json_object_foreach_safe(j, next, name, part)
	{
		if (json_is_string(part)) {
			if (tool_spelled(json_string_value(part), json_string_length(part)) > text)
				json_object_set_new(j, name,
						    tool_cut_text(json_string_value(part),
								  json_string_length(part), text, link,
								  &cut));
			continue; /* the old one is gone */
		}
		if (json_is_array(part) && json_array_size(part) > items) {
			json_int_t before = json_integer_value(json_object_get(not_shown, name));

			json_object_set_new(not_shown, name,
					    json_integer(before +
							 (json_int_t)(json_array_size(part) - items)));
			while (json_array_size(part) > items)
				json_array_remove(part, json_array_size(part) - 1);
		}
		if (json_is_object(part) || json_is_array(part))
			shorten(part, items, text, link, not_shown);
	}
	json_array_foreach(j, i, part) if (!json_is_string(part)) shorten(part, items, text, link, not_shown);
	else if (tool_spelled(json_string_value(part), json_string_length(part)) > text) json_array_set_new(
		j, i, tool_cut_text(json_string_value(part), json_string_length(part), text, link, &cut));
}

/* To at most MAX bytes: first lists, then texts, too. True: something is missing now. */
static bool fit(json_t *data, size_t max, const char *link)
{
	json_t *not_shown = json_object();
	size_t items = 512, text = max * 3 / 4;
	bool cut = false;

	for (int step = 0; weight(data) > max && (items > 1 || text > 64);
	     step++, items = items > 1 ? items / 2 : 1) {
		shorten(data, items, text, link, not_shown);
		if (step > 1 && text > 64)
			text /= 2;
		cut = true;
	}
	if (json_object_size(not_shown))
		json_object_set(data, "not_shown", not_shown);
	json_decref(not_shown);
	return cut;
}

static bool has_output(const struct op *op)
{
	for (const struct op_field *f = op->result; f->path; f++)
		if (!strcmp(f->path, "stdout"))
			return true;
	return false;
}

bool tool_streams(const struct op *op)
{
	return op->grant == GRANT_RUN && has_output(op);
}

static json_t *link_json(const char *uri, const char *name, const char *mime)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "type", "resource_link", "uri", uri, "name", name,
			 "mimeType", mime);
}

/* Both streams share the room; what one does not need the other has. */
static void share(size_t room, const size_t len[2], size_t ret_max[2])
{
	for (int i = 0; i < 2; i++)
		ret_max[i] = len[!i] < room / 2 ? room - len[!i] : room / 2;
}

/* It was streamed, and DATA has not got it whole. */
static bool is_streamed(const json_t *data, const struct tool_output *out, int i)
{
	return out && out->streams[i].total && !json_string_length(json_object_get(data, stream_names[i]));
}

static size_t stream_len(const json_t *data, const struct tool_output *out, int i)
{
	const json_t *own = json_object_get(data, stream_names[i]);

	if (is_streamed(data, out, i))
		return tool_stream_spelled(&out->streams[i]);
	return own ? tool_spelled(json_string_value(own), json_string_length(own)) : 0;
}

/* Of what was read from a log only the end may be there. */
static json_t *with_lost_head(json_t *text, json_int_t lost, const char *uri)
{
	json_t *told =
		lost ? json_sprintf("[... %lld bytes before this are left out%s%s ...]\n%s", (long long)lost,
				    uri ? "; complete: " : "", uri ? uri : "", json_string_value(text))
		     : NULL;

	if (!told)
		return text;
	json_decref(text);
	return told;
}

/* One stream into DATA, with at most MAX bytes of it; how many are not there. URI: where what is left out
 * here is; WHOLE: and what was lost before. */
static json_int_t set_stream(json_t *data, const struct tool_output *out, int i, size_t max, const char *uri,
			     const char *whole)
{
	json_t *truncated = json_object_get(data, "truncated"), *text;
	const json_t *own = json_object_get(data, stream_names[i]);
	const bool streamed = is_streamed(data, out, i);
	json_int_t lost = json_integer_value(json_object_get(truncated, stream_names[i]));
	uint64_t cut = 0;

	if (streamed)
		text = tool_stream_text(&out->streams[i], max, uri, &cut);
	else
		text = tool_cut_text(own ? json_string_value(own) : "", json_string_length(own), max, uri,
				     &cut);
	if (!streamed)
		text = with_lost_head(text, lost, whole);
	json_object_set_new(data, stream_names[i], text);
	cut += (uint64_t)lost;
	json_object_set_new(truncated, stream_names[i], json_integer((json_int_t)cut));
	return (json_int_t)cut;
}

/*
 * Puts the output into DATA, and links to what had to be left out into LINKS: to what is kept of the run, or,
 * of a context, and where nothing is kept of runs, whose output is in its result alone, LINK, where that will
 * be; then true.
 */
static bool set_output(json_t *data, const struct tool_output *out, size_t room, const char *link,
		       json_t *links)
{
	const bool alone = json_object_get(data, "context_new") || !offer_op(&op_logs);
	const char *run = alone ? NULL : json_string_value(json_object_get(data, "run"));
	const size_t len[2] = { stream_len(data, out, 0), stream_len(data, out, 1) };
	json_int_t all = 0;
	size_t max[2];

	share(room, len, max);
	if (!json_object_get(data, "truncated"))
		json_object_set_new(data, "truncated", json_object());
	for (int i = 0; i < 2; i++) {
		scoped(drop_mem) char *uri = NULL;
		json_int_t cut;

		if (run && asprintf(&uri, "aisbx://runs/%s/%s", run, stream_names[i]) < 0)
			uri = NULL;
		cut = set_stream(data, out, i, max[i], run ? uri : link, run ? uri : NULL);
		if (cut && uri)
			json_array_append_new(links, link_json(uri, stream_names[i], "text/plain"));
		all += cut;
	}
	if (!all)
		json_object_del(data, "truncated");
	return all && !run;
}

/* A model has to know that what it asked for was not done. */
static bool went_wrong(const struct op *op, const json_t *data)
{
	const char *status = json_string_value(json_object_get(data, "status"));
	bool asked = json_is_true(json_object_get(data, "dry_run"));

	if (op == &op_promote)
		return !asked && !json_is_true(json_object_get(data, "applied")) && tool_stops(data);
	if (op == &op_undo)
		return !asked && json_is_false(json_object_get(data, "undone"));
	return has_output(op) && status && str_is_one_of(status, "error|denied");
}

static json_t *assemble(json_t *data, struct buf *words, json_t *links, bool error)
{
	scoped(buf_finish) struct buf clean = { 0 };
	json_t *content = json_array();

	buf_add_utf8(&clean, buf_str(words) ? words->data : "", words->len);
	json_array_append_new(content, json_pack("{s:s, s:o}", "type", "text", "text",
						 json_stringn(buf_str(&clean) ? clean.data : "", clean.len)));
	json_array_extend(content, links);
	json_decref(links);
	return json_pack("{s:o, s:o, s:b}", "content", content, "structuredContent", data, "isError", error);
}

static json_t *error_result(const struct op *op, bool all, const struct aisbx_error *e)
{
	scoped(buf_finish) struct buf words = { 0 };

	tool_words(op, all, e->text, &words);
	return assemble(json_pack("{s:s, s:s}", "error", buf_str(&words) ? words.data : "", "error_kind",
				  aisbx_kind_name(e->kind)),
			&words, json_array(), true);
}

/* What a run is when it is answered before its end. */
static void set_running(json_t *data, const struct tool_output *out)
{
	if (out && out->run[0])
		json_object_set_new(data, "run", json_string(out->run));
	if ((out && out->running) || json_is_true(json_object_get(data, "detached")))
		json_object_set_new(data, "status", json_string("running"));
}

/* In a fleet: where it was done, where boxes are, and which nodes could not be asked for theirs. */
static void add_nodes(const json_t *result, json_t *data)
{
	const json_t *boxes = json_object_get(result, "boxes"), *box,
		     *missing = json_object_get(result, "missing");
	size_t i;

	if (json_array_size(missing) && json_is_array(boxes))
		json_object_set_new(data, "missing", json_deep_copy(missing));
	if (json_object_get(result, "node"))
		json_object_set(data, "node", json_object_get(result, "node"));
	json_array_foreach(boxes, i, box)
	{
		json_t *shown_box = json_array_get(json_object_get(data, "boxes"), i);

		if (json_is_object(shown_box) && json_object_get(box, "node"))
			json_object_set(shown_box, "node", json_object_get(box, "node"));
	}
}

/* What a model is told of RESULT, uncut but for what was streamed, of which a part is here. */
static json_t *shown(const struct op *op, bool all, const json_t *result, const struct tool_output *out)
{
	json_t *schema = tool_told_schema(op), *data = result ? prune(result, schema) : json_object();

	json_decref(schema);
	tool_words_in(op == &op_wait ? &op_run : op, all, data); /* which tells of a run */
	if (op == &op_promote &&
	    json_object_get(result, "box_id")) /* what a person can type: names are the session's own */
		json_object_set(data, "box_id", json_object_get(result, "box_id"));
	add_nodes(result, data);
	if (!has_output(op))
		return data;
	if (json_is_true(json_object_get(result, "detached")))
		json_object_set_new(data, "detached", json_true());
	set_running(data, out);
	return data;
}

/* WHOLE with at most COPY bytes in each of its two copies; RET_LINKED: LINK leads to what is missing. */
static json_t *result_within(const struct op *op, const json_t *result, const json_t *whole,
			     const struct tool_output *out, size_t copy, const char *link, bool *ret_linked)
{
	scoped(buf_finish) struct buf words = { 0 };
	json_t *data = json_deep_copy(whole), *links = json_array();
	bool cut = false;

	if (has_output(op) && !json_is_true(json_object_get(data, "detached")))
		cut = set_output(data, out, copy > 2 * ASIDE ? copy - ASIDE : copy / 2, link, links);
	cut |= fit(data, copy, link);
	tool_text(op, data, &words);
	if (cut && link) {
		json_object_set_new(data, "whole", json_string(link));
		buf_addf(&words, "\n[this is not complete; complete: %s]\n", link);
		json_array_append_new(links, link_json(link, "whole", "application/json"));
	}
	*ret_linked = cut && link;
	tool_add_drift(result, links);
	return assemble(data, &words, links, went_wrong(op, data));
}

static size_t written(const json_t *result)
{
	return json_dumpb(result, NULL, 0, JSON_COMPACT | VALUE_REALS);
}

json_t *tool_result(const struct op *op, bool all, const json_t *result, const struct tool_output *out,
		    const struct aisbx_error *e, const char *link, json_t **ret_whole)
{
	json_t *whole, *told = NULL, *pictures;
	bool linked = false;

	if (ret_whole)
		*ret_whole = NULL;
	if (e && e->code)
		return error_result(op, all, e);
	whole = shown(op, all, result, out);
	pictures = tool_pictures(op, result, whole);
	for (size_t copy = COPY_MAX; copy >= COPY_MIN; copy -= copy / 4) {
		json_decref(told);
		told = result_within(op, result, whole, out, copy, link, &linked);
		if (written(told) <= TOOL_OUTPUT_MAX)
			break;
	}
	json_array_extend(json_object_get(told, "content"), pictures);
	json_decref(pictures);
	if (linked && ret_whole)
		*ret_whole = json_incref(whole);
	json_decref(whole);
	return told;
}
