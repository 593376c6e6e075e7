/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `commit`: a git commit made in a box, by the git of the box. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "op/op.h"
#include "op/path_json.h"
#include "promote/commit.h"

#define MAX_FILES 1000u

static void add_files(const struct commit_made *c, json_t *result)
{
	const char *at = NULL, *change, *path;
	json_t *list = json_array();
	json_int_t more = 0;

	while (commit_next_file(c, &at, &change, &path)) {
		json_t *file;

		if (json_array_size(list) == MAX_FILES) {
			more++;
			continue;
		}
		file = json_pack("{s:s}", "change", change);
		op_set_name(file, "path", path);
		json_array_append_new(list, file);
	}
	json_object_set_new(result, "files", list);
	json_object_set_new(result, "files_not_listed", json_integer(more));
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist paths = { 0 };
	const struct commit_request req = { .box = op_text(args, "box"),
					    .message = op_text(args, "message"),
					    .author = op_text(args, "author"),
					    .staged = op_flag(args, "staged"),
					    .paths = &paths };
	scoped(commit_made_finish) struct commit_made made = { 0 };
	json_t *branch;
	int r;

	value_list(json_object_get(args, "paths"), &paths);
	r = paths.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make the command")
			 : commit_make(&ctx->by, &req, &made, e);
	if (r < 0)
		return r;
	branch = made.branch && *made.branch ? json_string(made.branch) : NULL;
	*ret_result = json_pack("{s:s, s:o, s:s}", "commit", made.id, "branch", branch ? branch : json_null(),
				"run", made.run);
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
	add_files(&made, *ret_result);
	return 0;
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX", "name or id" },
	{ "message", 'm', OP_STRING, OP_REQUIRED, "TEXT", "commit message" },
	{ "author", 0, OP_STRING, 0, "NAME <MAIL>",
	  "author of the commit; default: as in your own git configuration" },
	{ "staged", 0, OP_FLAG, 0, NULL, "only what is staged in the box (git add)" },
	{ "paths", 0, OP_LIST, OP_POSITIONAL | OP_MODEL, "PATH",
	  "only these, relative to the project; default: all changes" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "commit", "string", "commit id", .model = true },
	{ "branch", "string|null", "branch of the commit; null: none", .model = true },
	{ "run", "string", "id of the run that made the commit" },
	{ "files", "array", "files that the commit changes, compared with its parent", .model = true },
	{ "files[].change", "string", "added, modified, deleted, type or changed", .model = true },
	PATH_FIELDS("files[].", "path in the repository"),
	{ "files_not_listed", "integer", "files beyond the first thousand" },
	{ NULL, NULL, NULL },
};

const struct op op_commit = {
	.name = "commit",
	.group = GROUP_BRING_BACK,
	.view = VIEW_COMMIT,
	.method = "repo.commit",
	.tool = "sandbox_commit",
	.brief = "Make a git commit of a box's changes, without hooks; sandbox_promote brings it, too.",
	.summary = "Make a git commit in a box",
	.about = "Commits the changes of the box's project, with the box's git, in the box. Hooks,\n"
		 "fsmonitor, signing, editors and external diffs of the repository do not run; filters\n"
		 "(.gitattributes) do, in the box. 'aisbx promote' then promotes the commit: your branch\n"
		 "is fast-forwarded to it, or, if your branch has moved meanwhile, the commit is put on\n"
		 "the branch aisbx/BOX. Hooks and configuration stay in the box.",
	.example = "aisbx commit try1 -m 'Parse dates without a year'\n"
		   "aisbx commit try1 -m 'Only the parser' src/parser.c",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
