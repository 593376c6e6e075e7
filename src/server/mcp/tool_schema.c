/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schemas of a tool. Short, because they use up the model's context: of the arguments only the useful
 * ones, of the result types without descriptions.
 */
#include <string.h>

#include "server/mcp/offer.h"
#include "server/mcp/tool_internal.h"

#define WHERE "relative to the project, or absolute in the box"

const struct tool_habit tool_habits[] = {
	{ &op_run, "command", .needed = true,
	  .words = "a command line for sh, or a list: program and arguments" },
	{ &op_run, "box", .words = "box that keeps the changes; default: a throwaway box" },
	{ &op_run, "env", .words = "variables for the command" },
	{ &op_run, "timeout", .words = "time limit in seconds" },
	{ &op_run, "detach", .words = "do not wait: sandbox_wait gets its output later" },
	{ &op_run_code, "lang", .words = "" },
	{ &op_run_code, "code", .needed = true, .words = "" },
	{ &op_run_code, "timeout", .words = "time limit in seconds" },
	{ &op_do, "intent", .words = "" },
	{ &op_do, "box", .words = "box that keeps the changes; default: a throwaway box" },
	{ &op_do, "timeout", .words = "time limit in seconds" },
	{ &op_do, "tests", .words = "commands that must succeed then" },
	{ &op_do, "gates", .words = "gates or expressions that must hold" },
	{ &op_do, "profile", .words = "no weaker than the default" },
	{ &op_do, "stricter", .preset = "true" },
	{ &op_file_read, "box", .words = "" },
	{ &op_file_read, "path", .words = WHERE },
	{ &op_file_read, "limit", .preset = "8192" }, /* so that both copies of it go whole into a result */
	{ &op_artifact_read, "limit", .preset = "8192" },
	{ &op_file_write, "box", .words = "" },
	{ &op_file_write, "path", .words = WHERE },
	{ &op_file_write, "content", .words = "of the whole file" },
	{ &op_file_ls, "box", .words = "" },
	{ &op_file_ls, "path", .words = WHERE "; default: the project" },
	{ &op_diff, "patch", .preset = "true" },
	{ &op_promote, "conflict",
	  .words = "on a file changed on both sides: stop (default), keep the real one, overwrite it, keep "
		   "both, or mark the lines" },
	{ &op_undo, "promotion", .needed = true, .words = "promotion id, from sandbox_promote" },
	{ &op_undo, "conflict", .words = "on a file changed since: stop (default), keep or overwrite it" },
	{ &op_wait, "timeout", .preset = "30", .most = TOOL_WAIT_S,
	  .words = "seconds; default 30, at most 40" },
	{ &op_wait, "output", .preset = "262144" },
	{ NULL },
};

const struct tool_habit *tool_habit(const struct op *op, const struct op_param *p)
{
	for (const struct tool_habit *h = tool_habits; h->op; h++)
		if (h->op == op && !strcmp(h->param, p->name))
			return h;
	return NULL;
}

/* A file of the host that the operation reads: a model is not to choose it, for errors tell of what is in
 * one. */
static bool is_host_file(const struct op_param *p)
{
	return p->value && !strncmp(p->value, "FILE", 4);
}

bool tool_shows(const struct op *op, const struct op_param *p)
{
	return ((p->flags & OP_MODEL) || (p->flags & OP_REQUIRED)) && !is_host_file(p) && offer_param(op, p);
}

bool tool_can_be(const struct op *op)
{
	if (!op->method || op->no_tool)
		return false;
	if (op->grant == GRANT_HOST && !op->tool && !op->asks) /* for a person, but for the few */
		return false;
	for (const struct op_param *p = op->params; p->name; p++)
		if ((p->flags & OP_REQUIRED) && is_host_file(p))
			return false;
	return true;
}

static json_t *list_of_text(void)
{
	return json_pack("{s:s, s:{s:s}}", "type", "array", "items", "type", "string");
}

static json_t *choice_schema(const struct op_param *p)
{
	json_t *values = json_array();

	for (size_t i = 0; p->choices[i]; i++)
		json_array_append_new(values, json_string(p->choices[i]));
	return json_pack("{s:s, s:o}", "type", "string", "enum", values);
}

/* One type each where it can be, since not every client passes a list of types on; tool_args() takes more. */
static json_t *param_schema(const struct op_param *p)
{
	switch (p->type) {
	case OP_FLAG:
		return json_pack("{s:s}", "type", "boolean");
	case OP_CHOICE:
		return choice_schema(p);
	case OP_NUMBER:
	case OP_SIZE:
		return json_pack("{s:s}", "type", "integer");
	case OP_DURATION:
	case OP_CORES:
		return json_pack("{s:s}", "type", "number");
	case OP_LIST:
		if (!strcmp(p->name, "env"))
			return json_pack("{s:s, s:{s:s}}", "type", "object", "additionalProperties", "type",
					 "string");
		return list_of_text();
	case OP_COMMAND:
		if (!strcmp(p->name, "command"))
			return json_pack("{s:[{s:s}, o]}", "anyOf", "type", "string", list_of_text());
		return list_of_text();
	case OP_STRING:
		break;
	}
	return json_pack("{s:s}", "type", "string");
}

static json_t *param_words(const struct op_param *p, const struct tool_habit *h)
{
	if (h && h->words)
		return json_string(h->words);
	if (p->type == OP_DURATION)
		return json_sprintf("seconds: %s", p->help);
	if (p->value && strstr(p->value, "[@SNAPSHOT]"))
		return json_sprintf("%s: box or box@snapshot", p->help);
	return json_string(p->help);
}

json_t *tool_input_schema(const struct op *op)
{
	json_t *properties = json_object(), *required = json_array(), *schema;

	for (const struct op_param *p = op->params; p->name; p++) {
		const struct tool_habit *h = tool_habit(op, p);
		char name[64];
		json_t *s;

		if (!tool_shows(op, p))
			continue;
		tool_param_name(p, name, sizeof(name));
		s = param_schema(p);
		if (!h || !h->words || *h->words)
			json_object_set_new(s, "description", param_words(p, h));
		json_object_set_new(properties, name, s);
		if ((p->flags & OP_REQUIRED) || (h && h->needed))
			json_array_append_new(required, json_string(name));
	}
	schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
	if (json_array_size(required))
		json_object_set(schema, "required", required);
	json_decref(required);
	return schema;
}

/* Rows share fields, so a mark counts only in those that were looked through for it. */
static bool chooses_fields(const struct op *op)
{
	for (const struct op_field *f = op->result; op->tool && f->path; f++)
		if (f->model)
			return true;
	return false;
}

/*
 * The fields that the table marks for models; where it marks none, the outermost. Nothing is required: an
 * error, or a run that goes on, has its own few, and what is not named may be there.
 */
static json_t *result_schema(const struct op *op, bool unlisted)
{
	json_t *root = json_pack("{s:s}", "type", "object");
	bool chosen = chooses_fields(op);

	for (const struct op_field *f = op->result; f->path; f++)
		if (chosen ? f->model || (unlisted && f->told) : !strpbrk(f->path, ".["))
			op_schema_add(root, f);
	return root;
}

json_t *tool_output_schema(const struct op *op)
{
	return result_schema(op, false);
}

json_t *tool_told_schema(const struct op *op)
{
	return result_schema(op, true);
}
