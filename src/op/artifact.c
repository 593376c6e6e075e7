/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `artifact ls`, `artifact show`, `artifact get` and `artifact rm`. */
#include "op/artifact.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "op/path_json.h"

/* Of a directory, that are listed. */
#define MAX_LISTED 1000

int op_artifact_find(const json_t *args, struct artifact *ret, struct aisbx_error *e)
{
	return artifact_find(op_text(args, "artifact"), ret, e);
}

json_t *op_artifact_json(const struct store_saved_artifact *row)
{
	json_t *j = json_pack("{s:s, s:s, s:s?, s:s, s:s, s:o}", "id", row->id, "name", row->name, "note",
			      row->note, "box", row->box, "box_name", row->box_name, "run",
			      row->run[0] ? json_string(row->run) : json_null());

	op_set_name(j, "path", row->path);
	json_object_set_new(j, "type", json_string(row->type));
	json_object_set_new(j, "sha256", json_string(row->sha256));
	json_object_set_new(j, "size", json_integer(row->size));
	json_object_set_new(j, "files", json_integer(row->files));
	json_object_set_new(j, "media", json_string(row->media));
	json_object_set_new(j, "mode", json_sprintf("%04o", (unsigned int)row->mode));
	json_object_set_new(j, "created_ms", json_integer(row->created_ms));
	return j;
}

static int ls_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(artifact_list_finish) struct artifact_list list = { 0 };
	json_t *artifacts;
	int r = artifact_ls(op_text(args, "box"), &list, e);

	(void)ctx;
	if (r < 0)
		return r;
	artifacts = json_array();
	for (size_t i = 0; i < list.n; i++)
		json_array_append_new(artifacts, op_artifact_json(&list.rows[i]));
	*ret_result = json_pack("{s:o}", "artifacts", artifacts);
	return 0;
}

static void add_entry(void *list, const struct unpack *p)
{
	json_t *j = json_object();

	op_set_name(j, "path", p->name);
	json_object_set_new(j, "type", json_string(box_file_type(p->e.type)));
	json_object_set_new(j, "size", json_integer((json_int_t)p->e.size));
	json_object_set_new(j, "mode", json_sprintf("%04o", p->e.mode));
	if (p->e.type == FILE_IS_LINK)
		op_set_name(j, "target", p->target);
	json_array_append_new(list, j);
}

static int show_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(artifact_finish) struct artifact a = { 0 };
	json_t *result, *entries;
	bool more = false;
	int r = op_artifact_find(args, &a, e);

	(void)ctx;
	if (r < 0)
		return r;
	result = op_artifact_json(&a.row);
	if (!strcmp(a.row.type, "directory")) {
		entries = json_array();
		r = artifact_entries(&a, MAX_LISTED, add_entry, entries, &more, e);
		json_object_set_new(result, "entries", entries);
		json_object_set_new(result, "more", json_boolean(more));
	}
	if (r < 0)
		json_decref(result);
	else
		*ret_result = result;
	return r;
}

static int get_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *to = op_text(args, "to");
	scoped(artifact_finish) struct artifact a = { 0 };
	scoped(drop_mem) char *full = path_resolve(ctx->by.cwd, to);
	const struct artifact_options options = { full, op_flag(args, "force"), op_flag(args, "yes") };
	int r = full ? op_artifact_find(args, &a, e) : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "path '%s'", to);

	if (r == 0)
		r = artifact_get(&a, &options, e);
	if (r < 0)
		return r;
	*ret_result = op_artifact_json(&a.row);
	op_set_name(*ret_result, "to", full);
	return 0;
}

static int rm_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(artifact_finish) struct artifact a = { 0 };
	int r = op_artifact_find(args, &a, e);

	(void)ctx;
	if (r == 0)
		r = artifact_remove(&a, e);
	if (r == 0)
		*ret_result = json_pack("{s:s, s:s}", "id", a.row.id, "name", a.row.name);
	return r;
}

static const struct op_param ls_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL, "BOX", "only those of this box, which may have been removed" },
	{ .name = NULL },
};

static const struct op_field ls_result[] = {
	{ "artifacts", "array", "newest first" },
	ARTIFACT_FIELDS("artifacts[]."),
	{ NULL, NULL, NULL },
};

const struct op op_artifact_ls = {
	.name = "artifact ls",
	.group = GROUP_BRING_BACK,
	.view = VIEW_ARTIFACTS,
	.method = "artifact.ls",
	.summary = "List artifacts",
	.about = "Lists the files and directories that 'aisbx artifact save' stored, newest first.",
	.example = "aisbx artifact ls",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = ls_run,
};

static const struct op_param one_params[] = {
	ARTIFACT_PARAM,
	{ .name = NULL },
};

static const struct op_field show_result[] = {
	ARTIFACT_FIELDS(""),
	{ "entries", "array", "for a directory: its entries, at most a thousand" },
	PATH_FIELDS("entries[].", "relative to the directory"),
	{ "entries[].type", "string", "file, directory or link" },
	{ "entries[].size", "integer", "bytes" },
	{ "entries[].mode", "string", "permissions, octal" },
	{ "entries[].target", "string|null", "target of a link" },
	{ "entries[].target_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },
	{ "more", "boolean", "true: there are more entries than listed" },
	{ NULL, NULL, NULL },
};

const struct op op_artifact_show = {
	.name = "artifact show",
	.group = GROUP_BRING_BACK,
	.view = VIEW_ARTIFACT_SHOW,
	.method = "artifact.show",
	.summary = "Show what an artifact is",
	.about = "Shows where an artifact comes from and, for a directory, what it contains.",
	.example = "aisbx artifact show report.pdf",
	.grant = GRANT_READ,
	.params = one_params,
	.result = show_result,
	.run = show_run,
};

static const struct op_param get_params[] = {
	ARTIFACT_PARAM,
	{ "to", 0, OP_STRING, OP_REQUIRED, "PATH", "destination path on this machine" },
	{ "force", 'f', OP_FLAG, 0, NULL, "replace an existing file; directories are never replaced" },
	{ "yes", 'y', OP_FLAG, 0, NULL, "copy it even if it contains traps" },
	{ .name = NULL },
};

static const struct op_field get_result[] = {
	ARTIFACT_FIELDS(""),
	{ "to", "string", "where it was copied to" },
	{ NULL, NULL, NULL },
};

const struct op op_artifact_get = {
	.name = "artifact get",
	.group = GROUP_BRING_BACK,
	.view = VIEW_NOTHING,
	.method = "artifact.get",
	.summary = "Copy an artifact to a path of this machine",
	.about = "Copies an artifact to a path of this machine, in one step: other programs see all of it\n"
		 "or nothing. An existing file is overwritten only with --force. Symbolic links are not\n"
		 "followed, neither at the destination nor in the artifact. The files belong to the\n"
		 "caller, without setuid and similar bits. If the artifact contains a trap (a file that a\n"
		 "tool of yours would run or obey without being asked, such as a git hook or an editor's\n"
		 "task), nothing is written without --yes.",
	.example = "aisbx artifact get a-1f2e --to report.pdf",
	.grant = GRANT_HOST,
	.params = get_params,
	.result = get_result,
	.run = get_run,
};

static const struct op_field rm_result[] = {
	{ "id", "string", "of the removed artifact" },
	{ "name", "string", "of the removed artifact" },
	{ NULL, NULL, NULL },
};

const struct op op_artifact_rm = {
	.name = "artifact rm",
	.group = GROUP_BRING_BACK,
	.view = VIEW_NOTHING,
	.method = "artifact.rm",
	.summary = "Remove an artifact",
	.about = "Removes an artifact. Its content is removed, too, unless another artifact has the same "
		 "content.",
	.example = "aisbx artifact rm a-1f2e",
	.grant = GRANT_RUN,
	.destroys = true,
	.params = one_params,
	.result = rm_result,
	.run = rm_run,
};
