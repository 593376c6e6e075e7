/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON schema of a YAML file, from the tables by which it is read. */
#include "op/file_schema.h"

#include <stdlib.h>
#include <string.h>

/* A file may have 64 for "64"; patterns are for texts only. */
static json_t *scalar(const char *pattern)
{
	json_t *s = json_pack("{s:[s,s,s]}", "type", "string", "number", "boolean");

	if (pattern)
		json_object_set_new(s, "pattern", json_string(pattern));
	return s;
}

/* What a reader of YAML makes of the word before a schema sees it, counts as well; NULL: a text. */
static json_t *other_than_text(const char *word)
{
	static const char *const truths[] = { "false", "true", "no", "yes", "off", "on" };
	char *end;
	long n = strtol(word, &end, 10);

	for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++)
		if (!strcmp(word, truths[i]))
			return json_boolean(i % 2);
	return *word && !*end ? json_integer(n) : NULL;
}

static json_t *choice(const struct doc_shape *s)
{
	json_t *values = json_array();

	for (size_t i = 0; s->choices[i]; i++)
		json_array_append_new(values, json_string(s->choices[i]));
	for (size_t i = 0; s->choices[i]; i++) {
		json_t *other = other_than_text(s->choices[i]), *there;
		size_t k;

		json_array_foreach(values, k, there) if (other && json_equal(there, other))
		{
			json_decref(other);
			other = NULL;
		}
		if (other)
			json_array_append_new(values, other);
	}
	return json_pack("{s:o}", "enum", values);
}

static json_t *number(const struct doc_shape *s)
{
	return json_pack("{s:[s,s], s:s, s:I, s:I}", "type", "integer", "string", "pattern", "^[0-9]+$",
			 "minimum", (json_int_t)s->least, "maximum", (json_int_t)s->most);
}

static json_t *of_several(const struct doc_shape *const *any)
{
	json_t *list = json_array();

	for (size_t i = 0; any[i]; i++)
		json_array_append_new(list, op_shape_schema(any[i]));
	return json_pack("{s:o}", "anyOf", list);
}

static void set_counts(json_t *schema, const struct doc_shape *s, const char *least, const char *most)
{
	if (s->least)
		json_object_set_new(schema, least, json_integer((json_int_t)s->least));
	if (s->most)
		json_object_set_new(schema, most, json_integer((json_int_t)s->most));
}

static json_t *named(const struct doc_shape *s)
{
	json_t *schema = json_pack("{s:s}", "type", "object"), *properties = json_object();

	for (size_t i = 0; s->choices && s->choices[i]; i++)
		json_object_set_new(properties, s->choices[i], op_shape_schema(s->of));
	json_object_set_new(schema, "properties", properties);
	if (s->pattern)
		json_object_set_new(schema, "propertyNames", json_pack("{s:s}", "pattern", s->pattern));
	json_object_set_new(schema, "additionalProperties",
			    s->choices ? json_false() : op_shape_schema(s->of));
	set_counts(schema, s, "minProperties", "maxProperties");
	return schema;
}

/* Each of NAMES alone is enough, or, by the word oneOf, exactly one of them. */
static void need_of(json_t *schema, const char *word, const char *const *names)
{
	json_t *list = json_array();

	for (size_t i = 0; names && names[i]; i++)
		json_array_append_new(list, json_pack("{s:[s]}", "required", names[i]));
	if (names)
		json_object_set(schema, word, list);
	json_decref(list);
}

static json_t *keys(const struct doc_shape *s)
{
	json_t *properties = json_object(), *required = json_array(), *with = json_object();
	json_t *schema = json_pack("{s:s, s:b, s:o}", "type", "object", "additionalProperties", 0,
				   "properties", properties);

	for (const struct doc_key *k = s->keys; k->name; k++) {
		json_t *one = op_shape_schema(k->shape);

		json_object_set_new(one, "description", json_string(k->help));
		json_object_set_new(properties, k->name, one);
		if (k->need)
			json_array_append_new(required, json_string(k->name));
		if (k->with)
			json_object_set_new(with, k->name, json_pack("[s]", k->with));
	}
	if (json_array_size(required))
		json_object_set(schema, "required", required);
	if (json_object_size(with))
		json_object_set(schema, "dependentRequired", with);
	json_decref(required);
	json_decref(with);
	need_of(schema, "oneOf", s->one_of);
	need_of(schema, "anyOf", s->some_of);
	return schema;
}

static json_t *list(const struct doc_shape *s)
{
	json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", op_shape_schema(s->of));

	set_counts(schema, s, "minItems", "maxItems");
	return schema;
}

static json_t *parse(const char *text)
{
	return json_loads(text, 0, NULL);
}

json_t *op_shape_schema(const struct doc_shape *s)
{
	switch (s->kind) {
	case DOC_TEXT:
		return scalar(s->pattern);
	case DOC_CHOICE:
		return choice(s);
	case DOC_NUMBER:
		return number(s);
	case DOC_TIME:
		return parse("{\"type\":[\"string\",\"number\"],\"exclusiveMinimum\":0,"
			     "\"pattern\":\"^(?!0*(\\\\.0*)?[a-z]*$)[0-9]+(\\\\.[0-9]+)?(ms|s|m|h|d)?$\"}");
	case DOC_COMMAND:
		return parse("{\"oneOf\":[{\"type\":[\"string\",\"number\",\"boolean\"],\"minLength\":1},{"
			     "\"type\":\"array\",\"minItems\":1,"
			     "\"items\":{\"type\":[\"string\",\"number\",\"boolean\"]}}]}");
	case DOC_VARIABLES:
		return parse(
			"{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z_][A-Za-z0-9_]*$\"},"
			"\"additionalProperties\":{\"type\":[\"string\",\"number\",\"boolean\",\"null\"]}}");
	case DOC_LIST:
		return list(s);
	case DOC_NAMED:
		return named(s);
	case DOC_KEYS:
		return keys(s);
	case DOC_ANY:
		return of_several(s->any);
	}
	return NULL;
}
