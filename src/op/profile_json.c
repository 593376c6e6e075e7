/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as JSON in the shape of their files, and the schema of that shape; both by the table of keys. */
#include <string.h>

#include "base/scope.h"
#include "op/profile.h"
#include "op/project_json.h"
#include "op/file_schema.h"

static json_t *mount_json(const struct profile_setting *s)
{
	scoped(drop_mem) char *host = strdup(s->value);
	const char *in = s->value;
	json_t *m;
	size_t n = 0;

	for (; host && *in && *in != ':'; in++) {
		in += in[0] == '\\' && in[1] == ':';
		host[n++] = *in;
	}
	if (!host)
		return NULL;
	host[n] = '\0';
	m = json_pack("{s:s, s:s}", "host", host, "mode", s->name);
	if (*in)
		json_object_set_new(m, "guest", json_string(in + 1));
	return m;
}

static bool is_map(const struct profile_key *k)
{
	return k->shape == SHAPE_MAP || k->shape == SHAPE_SECRETS;
}

json_t *op_profile_value(const struct box_profile *p, const struct profile_key *k)
{
	json_t *all = NULL;

	for (size_t i = 0; i < p->rules.n_values; i++) {
		const struct profile_setting *s = p->rules.values[i].setting;

		if (s->key != k)
			continue;
		if (k->shape == SHAPE_SERVICES)
			return op_services_json(p->rules.services);
		if (k->shape == SHAPE_VALUE)
			return json_string(s->value);
		if (!all)
			all = is_map(k) ? json_object() : json_array();
		if (!s->value)
			continue;
		if (is_map(k))
			json_object_set_new(all, s->name, json_string(s->value));
		else
			json_array_append_new(all, k->shape == SHAPE_MOUNTS ? mount_json(s)
									    : json_string(s->value));
	}
	return all;
}

/* Puts VALUE to its place in ROOT: "a.b" is b of the object a, made if need be. */
static void put(json_t *root, const char *key, json_t *value)
{
	const char *dot = strchr(key, '.');
	char name[32];
	json_t *inner;

	if (!dot) {
		json_object_set_new(root, key, value);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(dot - key), key);
	inner = json_object_get(root, name);
	if (!inner) {
		inner = json_object();
		json_object_set_new(root, name, inner);
	}
	json_object_set_new(inner, dot + 1, value);
}

json_t *op_profile_json(const struct box_profile *p)
{
	json_t *root = json_object();
	const struct profile_layer *own = p->chain[0];

	if (own->about)
		json_object_set_new(root, "about", json_string(own->about));
	for (const struct profile_key *k = profile_keys; k->name; k++) {
		json_t *value = op_profile_value(p, k);

		if (value)
			put(root, k->name, value);
	}
	return root;
}

/* A file may have 64 for "64"; patterns are for texts only. */
static json_t *scalar_schema(const struct profile_key *k)
{
	json_t *s = json_object(), *values;

	if (k->choices) {
		values = json_array();
		if (!strcmp(k->choices[0], "false")) { /* which YAML reads as more than a text */
			json_array_append_new(values, json_false());
			json_array_append_new(values, json_true());
		}
		for (size_t i = 0; k->choices[i]; i++)
			json_array_append_new(values, json_string(k->choices[i]));
		json_object_set_new(s, "enum", values);
		if (k->pattern) /* or something else */
			s = json_pack("{s:[o,{s:s, s:s}]}", "anyOf", s, "type", "string", "pattern",
				      k->pattern);
		return s;
	}
	json_object_set_new(s, "type", json_pack("[s,s,s]", "string", "number", "boolean"));
	if (k->pattern)
		json_object_set_new(s, "pattern", json_string(k->pattern));
	return s;
}

static const char mount_schema[] =
	"{\"type\":\"array\",\"items\":{\"type\":\"object\",\"additionalProperties\":false,\"required\":["
	"\"host\"],\"properties\":{"
	"\"host\":{\"type\":\"string\",\"description\":\"of the machine: absolute, ~/... of the home, or of "
	"the project\"},"
	"\"guest\":{\"type\":\"string\",\"pattern\":\"^/\",\"description\":\"where in the box; default: the "
	"same place\"},"
	"\"mode\":{\"enum\":[\"ro\",\"rw\",\"hide\"],\"description\":\"default: ro\"}}}}";

static json_t *names_schema(const char *names, json_t *values)
{
	return json_pack("{s:s, s:{s:s}, s:o}", "type", "object", "propertyNames", "pattern", names,
			 "additionalProperties", values);
}

static json_t *key_schema(const struct profile_key *k)
{
	static const struct doc_shape command = { .kind = DOC_COMMAND };

	switch (k->shape) {
	case SHAPE_VALUE:
		return scalar_schema(k);
	case SHAPE_LIST:
		return json_pack("{s:s, s:o}", "type", "array", "items", scalar_schema(k));
	case SHAPE_COMMAND:
		return op_shape_schema(&command);
	case SHAPE_MAP:
		return names_schema("^[A-Za-z_][A-Za-z0-9_]*$", scalar_schema(k));
	case SHAPE_SECRETS:
		return names_schema("^[A-Za-z0-9_][A-Za-z0-9_.-]*$",
				    json_pack("{s:[o, o]}", "anyOf", scalar_schema(k),
					      op_shape_schema(&profile_secret_shape)));
	case SHAPE_MOUNTS:
		return json_loads(mount_schema, 0, NULL);
	case SHAPE_SERVICES:
		return op_shape_schema(&service_specs_shape);
	}
	return NULL;
}

static json_t *profile_schema(void)
{
	json_t *root = json_object(), *env = json_object();

	for (const struct profile_about *a = profile_abouts; a->name; a++)
		json_object_set_new(root, a->name,
				    json_pack("{s:s, s:s}", "type", "string", "description", a->help));
	for (const struct profile_key *k = profile_keys; k->name; k++) {
		bool below = !strncmp(k->name, "env.", 4);
		json_t *s = key_schema(k);

		if (below && !json_object_get(root, "env"))
			json_object_set_new(root, "env",
					    json_pack("{s:s, s:s, s:b, s:O}", "type", "object", "description",
						      "variables", "additionalProperties", 0, "properties",
						      env));
		json_object_set_new(s, "description", json_string(k->help));
		json_object_set_new(s, "x-unset", json_string(k->fallback));
		json_object_set_new(s, "x-adds", json_boolean(k->adds));
		json_object_set_new(s, "x-value", json_string(profile_key_value(k)));
		json_object_set_new(below ? env : root, below ? k->name + 4 : k->name, s);
	}
	json_decref(env);
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "$schema",
			 "https://json-schema.org/draft/2020-12/schema", "title", "aisbx profile",
			 "description", "what a box may do", "type", "object", "additionalProperties", 0,
			 "properties", root);
}

static int run_schema(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	(void)args;
	(void)e;
	*ret_result = profile_schema();
	return 0;
}

static const struct op_param params[] = { { .name = NULL } };
static const struct op_field result[] = {
	{ "$schema", "string", "version of JSON Schema" },
	{ "title", "string", "title" },
	{ "type", "string", "object" },
	{ "properties", "object", "every key of a profile" },
	{ NULL, NULL, NULL },
};

const struct op op_profile_schema = {
	.name = "profile schema",
	.group = GROUP_SYSTEM,
	.method = "profile.schema",
	.summary = "Show the JSON schema of profiles",
	.about = "Prints the JSON schema of profile files, for editors that complete and check YAML. It is\n"
		 "made from the table that is used to read the files.",
	.example = "aisbx profile schema > ~/.config/aisbx/profile.schema.json",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run_schema,
};

json_t *op_profile_notes_json(const struct box_profile *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_chain; i++)
		for (size_t n = 0; n < p->chain[i]->notes.n; n++)
			json_array_append_new(list, json_string(p->chain[i]->notes.items[n]));
	return list;
}
