/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `project check|show|schema`: what a project's aisbx.yaml says, and what is wrong with it.
 * Loads it for others. */
#include "op/project.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/scope.h"
#include "box/project.h"
#include "op/intents.h"
#include "op/project_json.h"
#include "op/shape.h"

int op_project_load(const char *dir, struct project *ret, struct aisbx_error *e)
{
	return box_project_load_told(dir, ret, e);
}

json_t *op_project_files_json(const struct project *p)
{
	return op_words_json(&p->files);
}

/* "FILE:LINE:COLUMN: TEXT" in its parts. */
static json_t *error_json(const char *file, const char *text)
{
	size_t skip = strlen(path_tail(file, PATH_TOLD));
	char *end = NULL;
	unsigned long line = 0, column = 0;

	if (strlen(text) > skip && text[skip] == ':' && strchr("0123456789", text[skip + 1])) {
		line = strtoul(text + skip + 1, &end, 10);
		column = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
	}
	return json_pack("{s:o, s:o, s:o}", "line", line ? json_integer((json_int_t)line) : json_null(),
			 "column", column ? json_integer((json_int_t)column) : json_null(), "text",
			 op_text_json(column && end[0] == ':' && end[1] == ' ' ? end + 2 : text));
}

static int run_check(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_project_checked_finish) struct box_project_checked c = { 0 };
	json_t *list;
	int r = box_project_check(&ctx->by, op_text(args, "path"), &c, e);

	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < c.errors.n; i++)
		json_array_append_new(list, error_json(c.file, c.errors.items[i]));
	ctx->exit_status = c.errors.n ? 1 : 0;
	*ret_result =
		json_pack("{s:b, s:o, s:o}", "ok", !c.errors.n, "file", op_text_json(c.file), "errors", list);
	return 0;
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(project_finish) struct project p = { 0 };
	bool own = false;
	int r = box_project_show(&ctx->by, op_text(args, "dir"), &p, &own, e);

	if (r < 0)
		return r;
	*ret_result = json_pack("{s:o, s:o, s:b, s:o}", "file",
				p.files.n ? op_text_json(p.files.items[p.files.n - 1]) : json_null(), "files",
				op_project_files_json(&p), "own_stages", own, "project", op_project_json(&p));
	return 0;
}

static int run_schema(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	json_t *schema =
		json_pack("{s:s, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
			  "title", PROJECT_FILE, "description", "what a project says to aisbx");
	json_t *body = op_shape_schema(&project_shape);

	(void)ctx;
	(void)args;
	(void)e;
	json_object_update(schema, body);
	json_decref(body);
	*ret_result = schema;
	return 0;
}

static const struct op_param check_params[] = {
	{ "path", 0, OP_STRING, OP_POSITIONAL, "FILE",
	  "the file, or a directory that has one in it or above it; default: the current directory" },
	{ .name = NULL },
};
static const struct op_param show_params[] = {
	{ "dir", 0, OP_STRING, OP_POSITIONAL, "DIR", "the project; default: the current directory" },
	{ .name = NULL },
};
static const struct op_field check_result[] = {
	{ "ok", "boolean", "nothing is wrong with it" },
	{ "file", "string", "what was read" },
	{ "errors", "array", "everything that is wrong" },
	{ "errors[].line", "integer|null", "where; null: of the whole file" },
	{ "errors[].column", "integer|null", "where in the line" },
	{ "errors[].text", "string", "what is wrong, and what would be right" },
	{ NULL, NULL, NULL },
};
static const struct op_field show_result[] = {
	{ "file", "string|null", "what was read; null: the project has none" },
	{ "files", "array",
	  "all that were read: that of the directory and those above it, the outermost first" },
	{ "own_stages", "boolean", "the file names stages; if not, those shown are what holds without" },
	{ "project", "object", "all that holds, as a file would say it" },
	{ NULL, NULL, NULL },
};

static const struct op_param schema_params[] = { { .name = NULL } };
static const struct op_field schema_result[] = {
	{ "$schema", "string", "the language it is written in" },
	{ "title", "string", "what it is the schema of" },
	{ "type", "string", "object" },
	{ "properties", "object", "every section of the file" },
	{ NULL, NULL, NULL },
};

const struct op op_project_check = {
	.name = "project check",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROJECT_CHECK,
	.method = "project.check",
	.summary = "Tell everything that is wrong with an aisbx.yaml",
	.about = "Reads the file and tells each thing that is wrong with it, with line and column and what "
		 "would be right; the exit\n"
		 "status is then 1. Nothing in it is run, and files it names are not looked for.",
	.example = "aisbx project check\naisbx project check ../other/aisbx.yaml --json",
	.grant = GRANT_READ,
	.params = check_params,
	.result = check_result,
	.run = run_check,
};
const struct op op_project_show = {
	.name = "project show",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROJECT,
	.method = "project.show",
	.summary = "Show what holds in a project: its gates, stages, experiments, rules",
	.about = "Prints what the project's aisbx.yaml says with everything that is so unless it says "
		 "otherwise, as a file that\n"
		 "says the same. It is the file of the person's own directory that counts for decisions, "
		 "never a box's version of it.\n"
		 "Files in directories above count as well: the nearer one may add to what must hold, and "
		 "takes nothing away.",
	.example = "aisbx project show\naisbx project show --json ../other",
	.grant = GRANT_READ,
	.params = show_params,
	.result = show_result,
	.run = run_show,
};
const struct op op_project_schema = {
	.name = "project schema",
	.group = GROUP_SYSTEM,
	.method = "project.schema",
	.summary = "Show the JSON schema of aisbx.yaml",
	.about = "Prints the JSON schema of a project's file, for editors that complete and check YAML by "
		 "one. It comes from the same\n"
		 "tables by which the file is read.",
	.example = "aisbx project schema > .aisbx.schema.json",
	.grant = GRANT_READ,
	.params = schema_params,
	.result = schema_result,
	.run = run_schema,
};
