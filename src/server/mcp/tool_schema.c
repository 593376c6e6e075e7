/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schemas of a tool. Short, because they use up the model's context: of the arguments only the useful
 * ones, of the result types without descriptions.
 */
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "server/mcp/offer.h"
#include "server/mcp/tool_internal.h"

#define WHERE  "relative to the project, or absolute in the box"
#define KEEPER "keeps the changes; default: a throwaway box"

/* Of results, what the list does not name: what programs seldom ask for, and models see when it is there. */
static const char unlisted[] =
	"signal|truncated|usage|limit|violations|error|exception|context_new|found_in|"
	"ignored|drift|pin|automatic|created_ms|redacted|lines|sha256|encoding|dry_run|"
	"secrets|stayed|type|media|snapshot|goal|did|target";

const struct tool_habit tool_habits[] = {
	{ &op_run, "command", .needed = true, .words = "for sh, or a list of words" },
	{ &op_run, "box", .words = KEEPER },
	{ &op_run, "cwd", .words = "default: the project" },
	{ &op_run, "env", .words = "" },
	{ &op_run, "timeout", .words = "seconds" },
	{ &op_run, "detach", .words = "do not wait for it" },
	{ &op_run_code, "lang", .words = "" },
	{ &op_run_code, "code", .needed = true, .words = "" },
	{ &op_run_code, "timeout", .words = "seconds" },
	{ &op_run_code, "driver", .words = "" },
	{ &op_run_code, "box", .words = "with context" },
	{ &op_run_code, "context", .words = "interpreter of the box that remembers earlier programs" },
	{ &op_run_code, "args", .words = "" },
	{ &op_run_code, "env", .words = "in a context they stay" },
	{ &op_contexts, "box", .words = "" },
	{ &op_contexts, "end", .words = "end that one first" },
	{ &op_do, "intent", .words = "" },
	{ &op_do, "box", .words = KEEPER },
	{ &op_do, "cwd", .words = "" },
	{ &op_do, "timeout", .words = "seconds" },
	{ &op_do, "args", .words = "for the command" },
	{ &op_do, "tests", .words = "commands that must succeed then" },
	{ &op_do, "gates", .words = "gates or expressions that must hold" },
	{ &op_do, "profile", .words = "no weaker than the default" },
	{ &op_do, "stricter", .preset = "true" },
	{ &op_gate_check, "box", .words = "box or box@snapshot; default: the real project" },
	{ &op_gate_check, "checks", .words = "default: all gates" },
	{ &op_gate_check, "command", .words = "must exit with 0" },
	{ &op_plan_create, "goal", .words = "" },
	{ &op_plan_create, "step", .words = "intents (build, test) or shell commands, in order" },
	{ &op_plan_create, "box", .words = "for all steps; default: one for each" },
	{ &op_plan_step, "plan", .words = "" },
	{ &op_plan_step, "box", .words = "default: the plan's" },
	{ &op_plan_step, "again", .words = "" },
	{ &op_plan_step, "skip", .words = "" },
	{ &op_try, "branches", .words = "shell commands" },
	{ &op_try, "box", .words = "box or box@snapshot to start from; default: the project" },
	{ &op_try, "test", .words = "default: the project's own" },
	{ &op_try, "mode",
	  .words = "who wins: the best that passes (default), or the first; all: only compare" },
	{ &op_try, "repeat", .words = "tests of each" },
	{ &op_try, "timeout", .words = "seconds" },
	{ &op_create, "name", .words = "" },
	{ &op_fork, "from", .words = "box or box@snapshot" },
	{ &op_fork, "count", .words = "boxes NAME-1, NAME-2, ..." },
	{ &op_fork, "name", .words = "" },
	{ &op_snap, "box", .words = "" },
	{ &op_snap, "name", .words = "" },
	{ &op_rollback, "box", .words = "" },
	{ &op_rollback, "snapshot", .words = "" },
	{ &op_rm, "boxes", .words = "" },
	{ &op_kill, "runs", .words = "" },
	{ &op_commit, "box", .words = "" },
	{ &op_commit, "message", .words = "" },
	{ &op_commit, "paths", .words = "default: all changes" },
	{ &op_file_read, "box", .words = "" },
	{ &op_file_read, "path", .words = WHERE },
	{ &op_file_read, "from", .words = "first line, from 1" },
	{ &op_file_read, "count", .words = "lines" },
	{ &op_file_read, "offset", .words = "first byte, from 0" },
	{ &op_file_read, "encoding", .words = "" },
	{ &op_file_read, "limit", .preset = "8192" }, /* so that both copies of it go whole into a result */
	{ &op_file_read, "pictures", .preset = "true" },
	{ &op_artifact_read, "limit", .preset = "8192" },
	{ &op_artifact_save, "box", .words = "" },
	{ &op_artifact_save, "path", .words = WHERE },
	{ &op_artifact_save, "name", .words = "" },
	{ &op_artifact_save, "note", .words = "" },
	{ &op_file_write, "box", .words = "" },
	{ &op_file_write, "path", .words = WHERE },
	{ &op_file_write, "content", .words = "of the whole file" },
	{ &op_file_write, "replace", .words = "this text, which occurs once, ..." },
	{ &op_file_write, "with", .words = "... becomes this" },
	{ &op_file_write, "append", .words = "" },
	{ &op_file_ls, "box", .words = "" },
	{ &op_file_ls, "path", .words = WHERE "; default: the project" },
	{ &op_file_ls, "depth", .words = "levels; default: 1" },
	{ &op_file_ls, "pattern", .words = "of names: *.py; with a / of paths" },
	{ &op_diff, "box", .words = "box or box@snapshot" },
	{ &op_diff, "other", .words = "default: the real project" },
	{ &op_diff, "patch", .preset = "true" },
	{ &op_promote, "box", .words = "box or box@snapshot" },
	{ &op_promote, "paths", .words = "default: all changes" },
	{ &op_promote, "merge", .words = "merge the commits of both sides first, checked by the gates" },
	{ &op_promote, "dry-run", .words = "" },
	{ &op_promote, "conflict",
	  .words = "on a file changed on both sides: stop (default), keep the real one, overwrite it, keep "
		   "both, or mark the lines" },
	{ &op_undo, "promotion", .needed = true, .words = "id, from sandbox_promote" },
	{ &op_undo, "dry-run", .words = "" },
	{ &op_undo, "conflict", .words = "on a file changed since" },
	{ &op_wait, "run", .words = "" },
	{ &op_wait, "timeout", .preset = "30", .most = TOOL_WAIT_S, .words = "seconds, at most 40" },
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

static json_t *param_words(const struct op *op, bool all, const struct op_param *p,
			   const struct tool_habit *h)
{
	scoped(buf_finish) struct buf words = { 0 };

	if (h && h->words)
		return json_string(h->words);
	if (p->type == OP_DURATION)
		buf_addf(&words, "seconds: ");
	buf_addf(&words, "%s", p->help);
	if (p->value && strstr(p->value, "[@SNAPSHOT]"))
		buf_addf(&words, ": box or box@snapshot");
	return tool_said(op, all, buf_str(&words) ? words.data : "");
}

json_t *tool_input_schema(const struct op *op, bool all)
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
			json_object_set_new(s, "description", param_words(op, all, p, h));
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

static bool is_told(const struct op_field *f, bool chosen)
{
	return chosen ? f->model || f->told : !strpbrk(f->path, ".[");
}

/*
 * The fields that the table marks for models; where it marks none, the outermost. Nothing is required: an
 * error, or a run that goes on, has its own few, and what is not named may be there.
 */
json_t *tool_told_schema(const struct op *op)
{
	json_t *root = json_pack("{s:s}", "type", "object");
	bool chosen = chooses_fields(op);

	for (const struct op_field *f = op->result; f->path; f++)
		if (is_told(f, chosen))
			op_schema_add(root, f);
	return root;
}

/*
 * Of these the outermost that matter, with one type each: a list of types is not understood by every client,
 * and what is null is left out of a result.
 */
json_t *tool_output_schema(const struct op *op)
{
	json_t *properties = json_object();
	bool chosen = chooses_fields(op);

	for (const struct op_field *f = op->result; f->path; f++)
		if (is_told(f, chosen) && !f->told && !strpbrk(f->path, ".[") &&
		    !str_is_one_of(f->path, unlisted))
			json_object_set_new(properties, f->path,
					    json_pack("{s:s%}", "type", f->type, strcspn(f->type, "|")));
	return json_pack("{s:s, s:o}", "type", "object", "properties", properties);
}
