/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `project check|show|schema`: what a project's aisbx.yaml says, and what is wrong with it.
 * Loads it for others. */
#include "op/project.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/intents.h"
#include "box/project.h"
#include "op/intents.h"
#include "op/project_json.h"
#include "op/shape.h"

/* A FIFO or a device in its place must not hold anybody up. */
static int open_file(const char *path, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s'", path_tail(path, PATH_TOLD));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "'%s' is no regular file",
				    path_tail(path, PATH_TOLD));
	*ret_fd = take_fd(&fd);
	return 0;
}

/* One byte more than may be there shows that it is too long. */
static int read_file(const char *path, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	char chunk[8192];
	ssize_t n = 1;
	int r = open_file(path, &fd, e);

	while (r == 0 && ret->len <= PROJECT_MAX_BYTES && (n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(ret, chunk, (size_t)n);
	if (r == 0 && (n < 0 || ret->failed))
		r = aisbx_fail(e, AISBX_AREA_POLICY, n < 0 ? errno : ENOMEM, "read '%s'",
			       path_tail(path, PATH_TOLD));
	return r;
}

int op_project_load(const char *dir, struct project *ret, struct aisbx_error *e)
{
	int r = box_project_load(dir, ret, e);

	return r < 0 ? aisbx_hint(e, "'aisbx project check' tells of all that is wrong") : 0;
}

json_t *op_project_files_json(const struct project *p)
{
	return op_words_json(&p->files);
}

/* What somebody is told of a file would tell him what is in it: of others than the project's that is for a
 * person. */
static int check_person(const struct op_context *ctx, const char *given, struct aisbx_error *e)
{
	if (!ctx->by.owner || !given || !strcmp(given, "."))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
			    "only a person may ask for another file than the project's own");
}

/* The file of DIR, or the nearest above it; one that is not there when there is none. Heap or NULL. */
static char *nearest_file(const char *dir)
{
	scoped(drop_mem) char *at = strdup(dir);
	struct stat st;

	while (at) {
		scoped(drop_mem) char *file = path_join(at, PROJECT_FILE);
		char *slash = strrchr(at, '/');

		if (file && lstat(file, &st) == 0)
			return take_mem(&file);
		if (!slash || !at[1])
			break;
		slash[slash == at] = '\0';
	}
	return path_join(dir, PROJECT_FILE);
}

/* What PATH of the arguments means: a file, or the file of a directory; heap, or NULL with an error. */
static char *find_file(const struct op_context *ctx, const json_t *args, struct aisbx_error *e)
{
	const char *given = json_string_value(json_object_get(args, "path"));
	scoped(drop_mem) char *path = path_resolve(ctx->by.cwd, given ? given : ".");
	struct stat st;
	char *file;

	if (check_person(ctx, given, e) < 0)
		return NULL;
	file = path && stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? nearest_file(path) : take_mem(&path);
	if (!file)
		aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "look for '%s'", PROJECT_FILE);
	return file;
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
	scoped(drop_mem) char *path = find_file(ctx, args, e);
	scoped(strlist_finish) struct strlist errors = { 0 };
	scoped(project_finish) struct project p = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	json_t *list;
	int r = path ? read_file(path, &text, e) : e->code;

	if (r < 0)
		return r;
	r = project_parse_all(text.data ? text.data : "", text.len, path, &p, &errors, e);
	if (r == -ENOMEM || errors.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "check '%s'", path);
	list = json_array();
	for (size_t i = 0; i < errors.n; i++)
		json_array_append_new(list, error_json(path, errors.items[i]));
	ctx->exit_status = errors.n ? 1 : 0;
	*ret_result =
		json_pack("{s:b, s:o, s:o}", "ok", !errors.n, "file", op_text_json(path), "errors", list);
	return 0;
}

/* Whether the project has a way to test; files that cannot be read are nobody's word for it. */
static bool has_test(const struct op_context *ctx, const char *dir, const struct project *p)
{
	scoped(intent_list_finish) struct intent_list found = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const struct box_intents_request where = { .project = dir, .says = p };

	return box_intents_find(ctx->by.cwd, &where, &found, NULL, &ignored) == 0 &&
	       intent_best(&found, INTENT_TEST);
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *given = json_string_value(json_object_get(args, "dir"));
	scoped(drop_mem) char *dir = path_resolve(ctx->by.cwd, given ? given : ".");
	scoped(project_finish) struct project p = { 0 };
	bool own;
	int r = check_person(ctx, given, e);

	if (r == 0)
		r = dir ? op_project_load(dir, &p, e)
			: aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "look for '%s'", PROJECT_FILE);
	if (r < 0)
		return r;
	own = p.n_stages;
	r = own ? 0 : project_default_stages(&p, has_test(ctx, dir, &p), e);
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
