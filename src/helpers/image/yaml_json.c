/* SPDX-License-Identifier: Apache-2.0 */
/* From libyaml's events to values; what is refused is refused at its first event. */
#include "helpers/image/yaml_json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <yaml.h>

#include "base/error.h"
#include "base/scope.h"

/* A mapping or list that is being read. */
struct open_value {
	json_t *value; /* owned */
	char *key;     /* owned; of a mapping: the key whose value comes next; NULL: a key comes next */
};

struct reader {
	yaml_parser_t parser;
	const char *file;
	struct open_value open[YAML_JSON_MAX_DEPTH];
	size_t depth, values, documents;
	json_t *whole; /* owned */
	struct aisbx_error *e;
};

static void reader_finish(struct reader *rd)
{
	yaml_parser_delete(&rd->parser);
	for (size_t i = 0; i < rd->depth; i++) {
		json_decref(rd->open[i].value);
		free(rd->open[i].key);
	}
	json_decref(rd->whole);
}

static int refuse(struct reader *rd, const yaml_mark_t *at, const char *what)
{
	return aisbx_refuse(rd->e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "%s:%zu: %s", rd->file,
			    at->line + 1, what);
}

/* Takes VALUE, which may be NULL: there was no memory. */
static int place(struct reader *rd, const yaml_mark_t *at, json_t *value)
{
	struct open_value *in = rd->depth ? &rd->open[rd->depth - 1] : NULL;
	int r = 0;

	if (!value)
		return aisbx_fail(rd->e, AISBX_AREA_BOX, ENOMEM, "read %s", rd->file);
	if (++rd->values > YAML_JSON_MAX_VALUES)
		r = refuse(rd, at, "there are too many values");
	else if (!in)
		rd->whole = json_incref(value);
	else if (json_is_array(in->value))
		r = json_array_append(in->value, value);
	else if (!in->key)
		r = refuse(rd, at, "a key must be a text");
	else
		r = json_object_set(in->value, in->key, value);
	if (in) {
		free(in->key);
		in->key = NULL;
	}
	json_decref(value);
	return r < 0 && !rd->e->code ? aisbx_fail(rd->e, AISBX_AREA_BOX, ENOMEM, "read %s", rd->file) : r;
}

static int take_scalar(struct reader *rd, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	struct open_value *in = rd->depth ? &rd->open[rd->depth - 1] : NULL;
	json_t *value;

	if (event->data.scalar.anchor || event->data.scalar.tag)
		return refuse(rd, &event->start_mark, "anchors and tags are not allowed");
	if (memchr(text, '\0', len) || !(value = json_stringn(text, len)))
		return refuse(rd, &event->start_mark, "a text is no UTF-8 or has a NUL");
	if (!in || !json_is_object(in->value) || in->key)
		return place(rd, &event->start_mark, value);
	json_decref(value);
	if (json_object_get(in->value, text))
		return refuse(rd, &event->start_mark, "a key is there twice");
	in->key = strdup(text);
	return in->key ? 0 : aisbx_fail(rd->e, AISBX_AREA_BOX, ENOMEM, "read %s", rd->file);
}

static int begin(struct reader *rd, const yaml_mark_t *at, bool marked, json_t *value)
{
	struct open_value *in = rd->depth ? &rd->open[rd->depth - 1] : NULL;
	int r = 0;

	if (!value)
		return aisbx_fail(rd->e, AISBX_AREA_BOX, ENOMEM, "read %s", rd->file);
	if (marked)
		r = refuse(rd, at, "anchors and tags are not allowed");
	else if (rd->depth == YAML_JSON_MAX_DEPTH)
		r = refuse(rd, at, "it is nested too deep");
	else if (in && json_is_object(in->value) && !in->key)
		r = refuse(rd, at, "a key must be a text");
	if (r < 0) {
		json_decref(value);
		return r;
	}
	rd->open[rd->depth++] = (struct open_value){ .value = value };
	return 0;
}

static int finish(struct reader *rd, const yaml_mark_t *at)
{
	struct open_value done = rd->open[--rd->depth];

	free(done.key);
	return place(rd, at, done.value);
}

static int take(struct reader *rd, const yaml_event_t *event)
{
	const yaml_mark_t *at = &event->start_mark;

	switch ((int)event->type) {
	case YAML_DOCUMENT_START_EVENT:
		return ++rd->documents > 1 ? refuse(rd, at, "there is a second document") : 0;
	case YAML_ALIAS_EVENT:
		return refuse(rd, at, "aliases are not allowed");
	case YAML_SCALAR_EVENT:
		return take_scalar(rd, event);
	case YAML_SEQUENCE_START_EVENT:
		return begin(rd, at, event->data.sequence_start.anchor || event->data.sequence_start.tag,
			     json_array());
	case YAML_MAPPING_START_EVENT:
		return begin(rd, at, event->data.mapping_start.anchor || event->data.mapping_start.tag,
			     json_object());
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return finish(rd, at);
	default:
		return 0;
	}
}

int yaml_json_read(const char *text, size_t len, const char *file, json_t **ret, struct aisbx_error *e)
{
	scoped(reader_finish) struct reader rd = { .file = file, .e = e };
	bool end = false;
	int r = 0;

	if (!yaml_parser_initialize(&rd.parser))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read %s", file);
	if (len > YAML_JSON_MAX_BYTES)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG, "%s has more than %u bytes",
				    file, YAML_JSON_MAX_BYTES);
	yaml_parser_set_encoding(&rd.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&rd.parser, (const unsigned char *)text, len);
	while (r == 0 && !end) {
		yaml_event_t event;

		if (!yaml_parser_parse(&rd.parser, &event))
			return refuse(&rd, &rd.parser.problem_mark,
				      rd.parser.problem ? rd.parser.problem : "it is no YAML");
		end = event.type == YAML_STREAM_END_EVENT;
		r = take(&rd, &event);
		yaml_event_delete(&event);
	}
	if (r < 0)
		return r;
	if (!rd.whole)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "%s is empty", file);
	*ret = rd.whole;
	rd.whole = NULL;
	return 0;
}
