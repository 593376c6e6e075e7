/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations `project check|show|schema`: the settings of a project's aisbx.yaml, and its problems. Loads
 * it for others.
 */
#include "op/project.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/scope.h"
#include "box/project.h"
#include "op/intents.h"
#include "op/project_json.h"
#include "op/file_schema.h"

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
			  "title", PROJECT_FILE, "description", "settings of a project for aisbx");
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
	  "the file, or a directory that contains one or is below one; default: the current directory" },
	{ .name = NULL },
};
static const struct op_param show_params[] = {
	{ "dir", 0, OP_STRING, OP_POSITIONAL, "DIR", "the project; default: the current directory" },
	{ .name = NULL },
};
static const struct op_field check_result[] = {
	{ "ok", "boolean", "the file is valid" },
	{ "file", "string", "what was read" },
	{ "errors", "array", "all problems" },
	{ "errors[].line", "integer|null", "line; null: the whole file" },
	{ "errors[].column", "integer|null", "column" },
	{ "errors[].text", "string", "the problem, and what would be right" },
	{ NULL, NULL, NULL },
};
static const struct op_field show_result[] = {
	{ "file", "string|null", "file that was read; null: the project has none" },
	{ "files", "array",
	  "all files that were read: that of the directory and those above it, the outermost first" },
	{ "own_stages", "boolean", "the file defines stages; otherwise the default stages are shown" },
	{ "project", "object", "all settings in effect, as a file would set them" },
	{ NULL, NULL, NULL },
};

static const struct op_param schema_params[] = { { .name = NULL } };
static const struct op_field schema_result[] = {
	{ "$schema", "string", "version of JSON Schema" },
	{ "title", "string", "title" },
	{ "type", "string", "object" },
	{ "properties", "object", "every section of the file" },
	{ NULL, NULL, NULL },
};

const struct op op_project_check = {
	.name = "project check",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROJECT_CHECK,
	.method = "project.check",
	.summary = "Check an aisbx.yaml and report all problems",
	.about = "Reads the file and reports every problem, with line and column and what would be right;\n"
		 "the exit status is 1 then. Nothing in the file is run, and the files that it names are\n"
		 "not read.",
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
	.summary = "Show the settings of a project: its gates, stages, experiments, rules",
	.about = "Prints the settings of the project's aisbx.yaml, including all defaults, as a file that\n"
		 "says the same. For decisions the file in the person's own directory counts, never a\n"
		 "box's version. Files in directories above count, too: the nearer file can add\n"
		 "requirements, but not remove any.",
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
	.about = "Prints the JSON schema of aisbx.yaml, for editors that complete and check YAML. It is\n"
		 "made from the tables that are used to read the file.",
	.example = "aisbx project schema > .aisbx.schema.json",
	.grant = GRANT_READ,
	.params = schema_params,
	.result = schema_result,
	.run = run_schema,
};
