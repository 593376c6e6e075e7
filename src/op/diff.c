/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `diff`: what changed between two points of a project. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/diff.h"
#include "op/point.h"

static json_t *change_json(const struct change *c)
{
	json_t *path = json_string(c->path);
	json_t *j = json_pack("{s:s, s:o, s:s}", "kind", change_kind_name(c->kind), "path",
			      path ? path : json_null(), "type",
			      change_type_name(c->new_mode ? c->new_mode : c->old_mode));

	if (!path) { /* names are bytes; JSON is UTF-8: then in hexadecimal */
		scoped(buf_finish) struct buf hex = { 0 };

		for (const unsigned char *p = (const unsigned char *)c->path; *p; p++)
			buf_addf(&hex, "%02x", *p);
		json_object_set_new(j, "path_hex", json_string(buf_str(&hex) ? hex.data : ""));
	}
	if (c->old_mode)
		json_object_set_new(j, "old", json_pack("{s:o, s:I}", "mode", json_sprintf("%04o", c->old_mode & 07777),
							"size", (json_int_t)c->old_size));
	if (c->new_mode)
		json_object_set_new(j, "new", json_pack("{s:o, s:I}", "mode", json_sprintf("%04o", c->new_mode & 07777),
							"size", (json_int_t)c->new_size));
	return j;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *other = json_string_value(json_object_get(args, "other"));
	scoped(point_finish) struct point p = POINT_INIT;
	scoped(point_finish) struct point q = POINT_INIT;
	scoped(change_list_finish) struct change_list changes = { 0 };
	json_int_t counts[CHANGE_KIND_COUNT] = { 0 };
	json_t *list, *summary;
	int r = point_open(json_string_value(json_object_get(args, "box")), false, &p, e);

	(void)ctx;
	if (r == 0 && other)
		r = point_open(other, false, &q, e);
	if (r == 0)
		r = box_diff(&p.shelf, &p.box, p.snapshot, other ? &q.box : NULL, q.snapshot, &changes, e);
	if (r < 0)
		return r;
	list = json_array();
	summary = json_object();
	for (size_t i = 0; i < changes.n; i++) {
		json_array_append_new(list, change_json(&changes.items[i]));
		counts[changes.items[i].kind]++;
	}
	for (enum change_kind k = 0; k < CHANGE_KIND_COUNT; k++)
		json_object_set_new(summary, change_kind_name(k), json_integer(counts[k]));
	*ret_result = json_pack("{s:s, s:o, s:o}", "project", p.box.project, "summary", summary, "changes", list);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "write the result");
}

static const struct op_param params[] = {
	{ .name = "box", .type = OP_STRING, .positional = true, .required = true, .value = "BOX[@SNAPSHOT]",
	  .help = "what to compare with the real project" },
	{ .name = "other", .type = OP_STRING, .positional = true, .value = "OTHER[@SNAPSHOT]",
	  .help = "instead: from the first to this one" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "project", "string", "directory the paths are below" },
	{ "summary", "object", "how many of each kind" },
	{ "summary.created", "integer", "only in the second" },
	{ "summary.modified", "integer", "other content" },
	{ "summary.deleted", "integer", "only in the first" },
	{ "summary.replaced", "integer", "another type of file" },
	{ "summary.mode", "integer", "other permissions, same content" },
	{ "changes", "array", "sorted by path" },
	{ "changes[].kind", "string", "as in the summary" },
	{ "changes[].path", "string|null", "below the project; null when it is no UTF-8" },
	{ "changes[].path_hex", "string", "then: its bytes" },
	{ "changes[].type", "string", "file, directory, symlink, fifo, socket or device" },
	{ "changes[].old", "object", "mode and size before, if it was there" },
	{ "changes[].new", "object", "mode and size after, if it is there" },
	{ NULL, NULL, NULL },
};

const struct op op_diff = {
	.name = "diff",
	.summary = "Show what a box changed",
	.about = "Compares a box, or a snapshot of it, with the real project as it is now; or two boxes or snapshots\n"
		 "with each other. Files git ignores or does not know count like all others. Costs by the number of\n"
		 "changes, not by the size of the project.",
	.example = "aisbx diff try1\naisbx diff try1@before try1",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
