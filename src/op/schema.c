/* SPDX-License-Identifier: Apache-2.0 */
/* JSON schemas made from the operation table, and the operation that shows them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/op.h"

static json_t *param_schema(const struct op_param *p)
{
	json_t *s = json_object();

	switch (p->type) {
	case OP_FLAG:
		json_object_set_new(s, "type", json_string("boolean"));
		break;
	case OP_STRING:
		json_object_set_new(s, "type", json_string("string"));
		break;
	case OP_CHOICE: {
		json_t *values = json_array();

		for (size_t i = 0; p->choices[i]; i++)
			json_array_append_new(values, json_string(p->choices[i]));
		json_object_set_new(s, "type", json_string("string"));
		json_object_set_new(s, "enum", values);
		break;
	}
	case OP_SIZE:
		json_object_set_new(s, "type", json_pack("[s,s]", "string", "integer"));
		break;
	case OP_DURATION:
		json_object_set_new(s, "type", json_pack("[s,s]", "string", "number"));
		break;
	case OP_NUMBER:
		json_object_set_new(s, "type", json_string("integer"));
		json_object_set_new(s, "minimum", json_integer(0));
		break;
	case OP_CORES:
		json_object_set_new(s, "type", json_string("number"));
		json_object_set_new(s, "minimum", json_integer(0));
		break;
	case OP_LIST:
	case OP_COMMAND:
		json_object_set_new(s, "type", json_string("array"));
		json_object_set_new(s, "items", json_pack("{s:s}", "type", "string"));
		break;
	}
	json_object_set_new(s, "description", json_string(p->help));
	return s;
}

static json_t *arguments_schema(const struct op *op)
{
	json_t *properties = json_object(), *required = json_array();

	for (const struct op_param *p = op->params; p->name; p++) {
		if ((p->flags & (OP_HIDDEN | OP_LINE)))
			continue;
		json_object_set_new(properties, p->name, param_schema(p));
		if ((p->flags & OP_REQUIRED))
			json_array_append_new(required, json_string(p->name));
	}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
			 required, "additionalProperties", 0);
}

/* "string" or ["string", "null"]. */
static json_t *type_schema(const char *type)
{
	const char *bar = strchr(type, '|');

	return bar ? json_pack("[s%, s]", type, (size_t)(bar - type), bar + 1) : json_string(type);
}

/* Finds or makes the schema of member NAME below OBJECT, an object schema. */
static json_t *member(json_t *object, const char *name, size_t len)
{
	scoped(drop_mem) char *key = strndup(name, len);
	json_t *properties = json_object_get(object, "properties"), *found;

	if (!properties) {
		properties = json_object();
		json_object_set_new(object, "properties", properties);
	}
	found = json_object_get(properties, key);
	if (!found) {
		found = json_object();
		json_object_set_new(properties, key, found);
	}
	return found;
}

/* The schema of the elements of ARRAY, an array schema; the same. */
static json_t *elements(json_t *array)
{
	json_t *items = json_object_get(array, "items");

	if (!items) {
		items = json_pack("{s:s}", "type", "object");
		json_object_set_new(array, "items", items);
	}
	return items;
}

json_t *op_schema_add(json_t *root, const struct op_field *field)
{
	const char *at = field->path;
	json_t *node = root;

	while (*at) {
		size_t n = strcspn(at, ".[");

		node = member(node, at, n);
		at += n;
		if (!strncmp(at, "[].", 3)) {
			node = elements(node);
			at += 3;
		} else if (*at == '.') {
			at++;
		}
	}
	json_object_set_new(node, "type", type_schema(field->type));
	return node;
}

static json_t *result_schema(const struct op *op)
{
	json_t *root = json_pack("{s:s}", "type", "object");

	for (const struct op_field *f = op->result; f->path; f++)
		json_object_set_new(op_schema_add(root, f), "description", json_string(f->help));
	return root;
}

json_t *op_describe(const struct op *op)
{
	const char *grant = op->grant == GRANT_READ ? "read" : op->grant == GRANT_RUN ? "run" : "host";

	return json_pack("{s:s, s:s?, s:s?, s:s, s:s, s:o, s:o}", "name", op->name, "method", op->method,
			 "tool", op->tool, "summary", op->summary, "grant", grant, "arguments",
			 arguments_schema(op), "result", result_schema(op));
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *name = op_text(args, "operation");
	json_t *list = json_array();

	(void)ctx;
	if (name && !op_by_name(name)) {
		json_decref(list);
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
				    "there is no operation '%s'; 'aisbx help all' lists them", name);
	}
	for (size_t i = 0; ops[i]; i++)
		if (!name || !strcmp(ops[i]->name, name))
			json_array_append_new(list, op_describe(ops[i]));
	*ret_result = json_pack("{s:i, s:o}", "version", 1, "operations", list);
	return 0;
}

static const struct op_param params[] = {
	{ "operation", 0, OP_STRING, OP_POSITIONAL, "OPERATION", "only this operation" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "version", "integer", "version of the format" },
	{ "operations", "array", "every operation with the schemas of its arguments and result" },
	{ "operations[].name", "string", "name on the command line" },
	{ "operations[].method", "string|null", "method name in the protocols; null: command line only" },
	{ "operations[].tool", "string|null",
	  "name of the tool for models; null: only offered with all tools" },
	{ "operations[].summary", "string", "what it does" },
	{ "operations[].grant", "string", "permission that a caller needs: read, run" },
	{ "operations[].arguments", "object", "JSON schema" },
	{ "operations[].result", "object", "JSON schema" },
	{ NULL, NULL, NULL },
};

const struct op op_schema = {
	.name = "schema",
	.group = GROUP_SYSTEM,
	.method = "schema",
	.summary = "Show the JSON schema of arguments and results",
	.about = "Prints the JSON schemas of arguments and result of one operation or of all. They are\n"
		 "made from the same table as this help.",
	.example = "aisbx schema run",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
