/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `diff`: what changed between two points of a project. */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/compare.h"
#include "op/drift.h"
#include "op/long_list.h"
#include "op/merge_json.h"
#include "op/path_json.h"
#include "op/system_json.h"

/* Takes FILE. */
static json_t *side_json(mode_t mode, off_t size, char *file)
{
	json_t *j =
		json_pack("{s:o, s:I}", "mode", json_sprintf("%04o", mode & 07777), "size", (json_int_t)size);
	scoped(drop_mem) char *path = file;

	if (S_ISLNK(mode) && path) {
		char target[PATH_MAX];
		ssize_t n = readlink(path, target, sizeof(target) - 1);

		if (n >= 0) {
			target[n] = '\0';
			op_set_name(j, "target", target);
		}
	}
	return j;
}

static void describe_change(const struct change_list *l, const struct change *c, json_t *j)
{
	json_object_set_new(j, "kind", json_string(change_kind_name(c->kind)));
	json_object_set_new(j, "type",
			    json_string(change_type_name(c->new_mode ? c->new_mode : c->old_mode)));
	if (c->old_mode)
		json_object_set_new(j, "old", side_json(c->old_mode, c->old_size, change_old_file(l, c)));
	if (c->new_mode)
		json_object_set_new(j, "new", side_json(c->new_mode, c->new_size, change_new_file(l, c)));
	if (S_ISREG(c->old_mode) || S_ISREG(c->new_mode)) {
		enum box_answer binary = box_diff_is_binary(l, c);

		json_object_set_new(j, "binary",
				    binary == BOX_UNKNOWN ? json_null() : json_boolean(binary == BOX_YES));
	}
}

static void set_count(json_t *change, const char *key, const struct box_lines *lines, uint64_t n)
{
	json_object_set_new(change, key, lines->counted ? json_integer((json_int_t)n) : json_null());
}

/* What the targets of a link take beside its path. */
static size_t targets_of(const struct change *c)
{
	return (S_ISLNK(c->old_mode) ? 2 * (size_t)c->old_size : 0) +
	       (S_ISLNK(c->new_mode) ? 2 * (size_t)c->new_size : 0);
}

static void add_changes(const struct change_list *l, const struct box_lines *lines, json_t *result)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_LONG);
	json_int_t counts[CHANGE_KIND_COUNT] = { 0 };
	json_t *summary = json_object();

	for (size_t i = 0; i < l->n; i++) {
		json_t *j;

		if (l->items[i].kind == CHANGE_TOUCH)
			continue; /* a file written as it was is no news; a promotion carries its time all the
				     same */
		counts[l->items[i].kind]++;
		j = op_list_add(&list, l->items[i].path);
		if (!j)
			continue;
		list.left -= targets_of(&l->items[i]) < list.left ? targets_of(&l->items[i]) : list.left;
		describe_change(l, &l->items[i], j);
		if (lines && lines[i].asked) {
			set_count(j, "added", &lines[i], lines[i].added);
			set_count(j, "removed", &lines[i], lines[i].removed);
		}
	}
	for (enum change_kind k = CHANGE_NONE + 1; k < CHANGE_TOUCH; k++)
		json_object_set_new(summary, change_kind_name(k), json_integer(counts[k]));
	json_object_set_new(result, "summary", summary);
	op_list_put(&list, "changes", result);
}

static void add_names(const struct strlist *names, const char *key, json_t *result)
{
	struct op_list list = OP_LIST_INIT(OP_LIST_SHORT);

	for (size_t i = 0; i < names->n; i++)
		op_list_add(&list, names->items[i]);
	op_list_put(&list, key, result);
}

static json_t *stat_json(const struct box_lines *lines, size_t n)
{
	json_int_t files = 0, added = 0, removed = 0;

	for (size_t i = 0; i < n; i++) {
		files += lines[i].asked;
		added += lines[i].counted ? (json_int_t)lines[i].added : 0;
		removed += lines[i].counted ? (json_int_t)lines[i].removed : 0;
	}
	return json_pack("{s:I, s:I, s:I}", "files", files, "insertions", added, "deletions", removed);
}

/* A face that shows the patch itself gets its bytes; one that passes the result on gets UTF-8. */
static json_t *patch_json(const struct op_context *ctx, struct buf *patch)
{
	scoped(buf_finish) struct buf clean = { 0 };

	if (ctx->by.out_fds[0] >= 0)
		return json_stringn_nocheck(buf_str(patch) ? patch->data : "", patch->len);
	buf_add_utf8(&clean, buf_str(patch) ? patch->data : "", patch->len);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct box_compare_request req = { .box = op_text(args, "box"),
					   .other = op_text(args, "other"),
					   .cwd = ctx->by.cwd,
					   .ignored = op_flag(args, "ignored"),
					   .patch = op_flag(args, "patch"),
					   .stat = op_flag(args, "stat") };
	scoped(box_comparison_finish) struct box_comparison c = { 0 };
	int r = op_drift_options(args, &req.drift, e);

	if (r == 0)
		r = box_compare(&req, &c, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s}", "project", c.project ? c.project : "/");
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "write the result");
	add_changes(&c.changes, c.lines, *ret_result);
	if (req.stat)
		json_object_set_new(*ret_result, "stat", stat_json(c.lines, c.changes.n));
	if (req.patch)
		json_object_set_new(*ret_result, "patch", patch_json(ctx, &c.patch));
	op_add_ignored(&c.left, *ret_result);
	add_names(&c.changes.gits, "repositories", *ret_result);
	op_add_drift(&c.drift, *ret_result);
	if (!req.other)
		op_add_system(&c.system, op_flag(args, "system"), *ret_result);
	return 0;
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX[@SNAPSHOT]",
	  "what to compare with the real project" },
	{ "other", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "OTHER[@SNAPSHOT]",
	  "compare the first with this one instead" },
	{ "patch", 'p', OP_FLAG, 0, NULL,
	  "print a patch for 'git apply' or 'patch -p1'; binary files are only named" },
	{ "ignored", 0, OP_FLAG, 0, NULL, "include files that git ignores" },
	{ "stat", 0, OP_FLAG, 0, NULL, "count lines, as 'git diff --stat' does" },
	{ "system", 0, OP_FLAG, 0, NULL,
	  "list the changed files of the system, too: what a box of root, or from an image, changed outside "
	  "of the project" },
	DRIFT_PARAM,
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "project", "string",
	  "directory that the paths are relative to; \"/\" of a box without a project, which stands on an "
	  "image" },
	{ "summary", "object", "number of changes of each kind", .model = true },
	{ "summary.created", "integer", "only in the second" },
	{ "summary.modified", "integer", "different content" },
	{ "summary.deleted", "integer", "only in the first" },
	{ "summary.replaced", "integer", "different file type" },
	{ "summary.mode", "integer", "different permissions, same content" },
	{ "summary.xattr", "integer", "different extended attributes, otherwise the same" },
	{ "changes", "array", "sorted by path", .model = true },
	{ "changes[].kind", "string", "one of the kinds of the summary", .model = true },
	PATH_FIELDS("changes[].", "relative to the project"),
	{ "changes[].type", "string", "file, directory, symlink, fifo, socket or device" },
	{ "changes[].old", "object", "mode and size before, if it existed; target of a symlink" },
	{ "changes[].old.target", "string|null",
	  "null if it is not UTF-8; its bytes are in target_hex then" },
	{ "changes[].new", "object", "mode and size after, if it exists; target of a symlink" },
	{ "changes[].new.target", "string|null",
	  "null if it is not UTF-8; its bytes are in target_hex then" },
	{ "changes[].binary", "boolean|null",
	  "for a file: NUL in its first 8000 bytes; null if it cannot be read" },
	{ "changes[].added", "integer|null", "with stat or patch: lines; null for files that are not text" },
	{ "changes[].removed", "integer|null", "as for added" },
	MORE_FIELDS,
	IGNORED_FIELDS,
	{ "repositories", "array", "git directories with changes; promote shows which" },
	{ "repositories[].path", "string|null", "relative to the project; null if it is not UTF-8" },
	{ "repositories[].path_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },
	{ "stat", "object", "with stat: sums" },
	{ "stat.files", "integer",
	  "files and symlinks, without those that differ only in times or attributes" },
	{ "stat.insertions", "integer", "lines" },
	{ "stat.deletions", "integer", "lines" },
	{ "patch", "string",
	  "with patch: the unified diff; bytes that are not UTF-8 become U+FFFD, so it may not apply",
	  .model = true },
	SYSTEM_FIELDS,
	DRIFT_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_diff = {
	.name = "diff",
	.group = GROUP_BRING_BACK,
	.view = VIEW_DIFF,
	.first = true,
	.method = "box.diff",
	.tool = "sandbox_diff",
	.brief = "Show what a box changed against the real project, or how two boxes or snapshots differ.",
	.summary = "Show what a box changed",
	.about = "Compares a box or a snapshot with the real project as it is now (a pinned box with its\n"
		 "copy), or two boxes or snapshots with each other. Untracked files are included; files\n"
		 "that git ignores are left out, and the last line says how many. The time depends on the\n"
		 "number of changes, not on the size of the project. Searching for changes made outside\n"
		 "meanwhile takes at most 300 ms more, unless --drift says otherwise.\n\n"
		 "A patch contains what git's would: text, symlinks, and the executable bit. It does not\n"
		 "contain directories, other permissions, the content of binary files, or git's own files\n"
		 "(.git): 'aisbx promote' promotes commits. On a terminal control characters of the patch\n"
		 "are shown as '?'; in a file or pipe it is unchanged.",
	.example = "aisbx diff try1\naisbx diff try1@before try1\naisbx diff --patch try1 | git apply",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
