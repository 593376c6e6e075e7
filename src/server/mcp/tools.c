/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the operation table as tools: their names, and the list for a model. */
#include "server/mcp/tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "server/mcp/offer.h"
#include "server/mcp/tool_internal.h"

#define PREFIX "sandbox_"

char *tool_name(const struct op *op)
{
	char *name;

	if (op->tool)
		return strdup(op->tool);
	if (asprintf(&name, PREFIX "%s", op->method) < 0)
		return NULL;
	for (char *c = name; *c; c++)
		if (*c == '.' || *c == '-')
			*c = '_';
	return name;
}

bool tool_is_offered(const struct op *op, bool all)
{
	return offer_op(op) && (op->tool || (all && tool_can_be(op)));
}

const struct op *tool_find(const char *name, bool all)
{
	for (size_t i = 0; ops[i]; i++) {
		scoped(drop_mem) char *own = tool_is_offered(ops[i], all) ? tool_name(ops[i]) : NULL;

		if (own && !strcmp(own, name))
			return ops[i];
	}
	return NULL;
}

int tool_unknown(const char *name, bool all, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	const char *near;

	for (size_t i = 0; ops[i]; i++) {
		scoped(drop_mem) char *own = tool_is_offered(ops[i], all) ? tool_name(ops[i]) : NULL;

		if (own)
			strlist_add(&names, own);
	}
	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT, "there is no tool '%.100s'", name);
	near = str_nearest(name, (const char *const *)names.items, names.n);
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : e->code;
}

/*
 * Hints, by which clients decide whether to ask a person; those that are not there are as the protocol says:
 * it changes something, destructively, and each time anew. What changes the person's own files can be undone,
 * but is to be asked about all the same. There is no open world: a box has no network.
 */
static json_t *annotations(const struct op *op)
{
	json_t *a = json_object();

	if (op->grant == GRANT_READ)
		json_object_set_new(a, "readOnlyHint", json_true());
	else if (op->destroys)
		json_object_set_new(a, "idempotentHint", json_true());
	else if (op->grant != GRANT_HOST)
		json_object_set_new(a, "destructiveHint", json_false());
	json_object_set_new(a, "openWorldHint", json_false());
	return a;
}

static json_t *describe(const struct op *op, bool all)
{
	scoped(drop_mem) char *name = tool_name(op);

	if (!name)
		return NULL;
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", name, "description",
			 tool_said(op, all, offer_brief(op)), "inputSchema", tool_input_schema(op, all),
			 "outputSchema", tool_output_schema(op), "annotations", annotations(op));
}

json_t *tools_list(bool all)
{
	json_t *list = json_array();

	/* The few first, so that a client that shows only so many shows those. */
	for (int rest = 0; rest <= all; rest++)
		for (size_t i = 0; ops[i]; i++)
			if (tool_is_offered(ops[i], all) && (ops[i]->tool == NULL) == rest)
				json_array_append_new(list, describe(ops[i], all));
	return list;
}

json_t *tool_preview(const struct op *op, const json_t *args)
{
	json_t *look;

	if (op != &op_promote || json_is_true(json_object_get(args, "dry-run")))
		return NULL;
	look = json_copy((json_t *)args);
	json_object_set_new(look, "dry-run", json_true());
	return look;
}
