/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `artifact save` and `artifact read`: into what is kept of boxes, and a piece of it back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "box/whole.h"
#include "op/artifact.h"
#include "op/file.h"
#include "op/path.h"
#include "box/scrub.h"
#include "base/value.h"

#define MAX_NOTE 4096u

/* What the box handed over: the pack, and behind it the answer. */
static int hear(struct op_file *f, int draft, uint64_t *ret_len, struct aisbx_error *e)
{
	struct file_answer *a = &f->reply.head;
	struct stat st;

	if (fstat(draft, &st) < 0 || st.st_size < (off_t)sizeof(*a) ||
	    pread(draft, a, sizeof(*a), st.st_size - (off_t)sizeof(*a)) != sizeof(*a) ||
	    !box_file_checks(a, 0))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "the answer of aisbx-file makes no sense");
	*ret_len = (uint64_t)st.st_size - sizeof(*a);
	return a->error ? op_file_explain(f, a, e) : 0;
}

/* Its newest run made it, or nobody knows. */
static int find_run(struct box_shelf *s, const char *box, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	const struct store_run_filter filter = { .box = box, .limit = 1 };
	struct store_run *runs = NULL;
	size_t n = 0;
	int r = store_run_list(s->store, &filter, &runs, &n, e);

	if (r == 0 && n)
		memcpy(ret_id, runs[0].id, STORE_ID_MAX);
	store_run_list_finish(runs, n);
	return r;
}

static int name_it(const json_t *args, const struct op_file *f, struct store_saved *row,
		   struct aisbx_error *e)
{
	const char *name = json_string_value(json_object_get(args, "name")), *slash = strrchr(f->path, '/');
	const json_t *note = json_object_get(args, "note");
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	int r = name ? box_check_name(name, e) : 0;

	if (r == 0 && json_string_length(note) > MAX_NOTE)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "a note has at most %u bytes",
				 MAX_NOTE);
	if (r == 0)
		r = box_shelf_open(&shelf, e);
	if (r == 0)
		r = box_find(&shelf, f->req.box.id, &box, e);
	if (r == 0)
		r = box_check_whole(&shelf, &box, e);
	if (r == 0)
		r = find_run(&shelf, box.id, row->run, e);
	if (r < 0)
		return r;
	box_new_id("a-", row->id);
	row->note = (char *)json_string_value(note);
	row->path = f->path;
	row->created_ms = box_now_ms();
	if (!name && slash &&
	    box_check_name(slash + 1, &ignored) == 0) /* as it is called, if that is a name */
		name = slash + 1;
	snprintf(row->name, sizeof(row->name), "%s", name ? name : row->id);
	memcpy(row->box, box.id, sizeof(row->box));
	memcpy(row->box_name, box.name, sizeof(row->box_name));
	snprintf(row->owner, sizeof(row->owner), "%s", box_acting_for() ? box_acting_for() : "");
	return 0;
}

static int keep(const json_t *args, struct op_file *f, struct store_saved *row, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist allowed = { 0 };
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(drop_fd) int draft = -1;
	struct driver_result ran = { 0 };
	const json_t *item;
	uint64_t len = 0;
	size_t i;
	int r = box_shelf_open(&shelf, e);

	json_array_foreach(json_object_get(args, "allow-secret"), i, item)
		strlist_add(&allowed, json_string_value(item));
	if (r == 0)
		r = box_artifact_draft(&shelf, &draft, e);
	if (r == 0)
		r = box_file_send(&f->req, &f->ask, draft, &ran, e);
	driver_result_finish(&ran);
	if (r == 0)
		r = hear(f, draft, &len, e);
	if (r == 0)
		r = box_artifact_keep(&shelf, draft, len, &allowed, row, e);
	return r;
}

static int save_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(op_file_finish) struct op_file f = { 0 };
	struct store_saved row = { 0 };
	int r = op_file_begin(ctx, args, FILE_PACK, &f, e);

	f.ask.head.limit = BOX_ARTIFACT_BYTES;
	f.req.profile.limits[LIMIT_FILE_SIZE] = 0; /* the file it goes into is ours */
	if (r == 0)
		r = name_it(args, &f, &row, e);
	if (r == 0)
		r = keep(args, &f, &row, e);
	if (r < 0 && f.scan)
		scrub_error(e, marks_scrub, f.scan);
	if (r == 0)
		*ret_result = op_artifact_json(&row);
	if (r == 0) {
		json_object_set_new(*ret_result, "left_out", json_integer((json_int_t)f.reply.head.next));
		op_file_conclude(&f, *ret_result);
	}
	return r;
}

/* The part of the content that is meant: all of a file, or one file of a directory. */
static int find_part(const struct op_artifact *a, const char *path, int fd, uint64_t *ret_at,
		     struct file_answer *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct pack *p = NULL;
	int r;

	ret->type = FILE_IS_FILE;
	ret->mode = (uint32_t)a->row.mode;
	ret->size = (uint64_t)a->row.size;
	ret->mtime_ns = a->row.created_ms * 1000000;
	if (strcmp(a->row.type, "directory") != 0)
		return path ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					   "artifact '%s' is a file: there is no '%s' in it", a->row.id, path)
			    : 0;
	if (!path)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EISDIR,
				    "artifact '%s' is a directory: name a path in it", a->row.id);
	p = calloc(1, sizeof(*p));
	if (!p)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the artifact");
	*p = (struct pack){ .fd = fd, .end = (uint64_t)a->row.size };
	while ((r = pack_next(p, e)) > 0) {
		if (p->e.type == FILE_IS_FILE && !strcmp(p->name, path)) {
			*ret_at = p->at;
			ret->mode = p->e.mode;
			ret->size = p->e.size;
			ret->mtime_ns = p->e.mtime_ns;
			return 0;
		}
		p->at += p->e.type == FILE_IS_FILE ? p->e.size : 0;
	}
	return r < 0 ? r
		     : aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				    "there is no file '%s' in artifact '%s'", path, a->row.id);
}

/* A piece of SIZE bytes from AT on, with its margins, as if a box had answered with it. */
static int read_piece(struct op_file *f, int fd, uint64_t at, struct aisbx_error *e)
{
	const struct file_request *q = &f->ask.head;
	struct file_answer *a = &f->reply.head;
	uint64_t from = q->offset < a->size ? q->offset : a->size,
		 to = q->limit < a->size - from ? from + q->limit : a->size;
	uint64_t margin = q->margin ? q->margin : 1, end = margin < a->size - to ? to + margin : a->size;
	ssize_t n;

	a->before = from < q->margin ? from : q->margin;
	a->behind = end - to;
	a->offset = q->offset;
	a->next = to;
	a->data_len = end - (from - a->before);
	f->reply.data = malloc(a->data_len + 1);
	n = f->reply.data ? pread(fd, f->reply.data, a->data_len, (off_t)(at + from - a->before)) : -1;
	return n < 0 || (uint64_t)n != a->data_len
		       ? aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO,
				      "the content of the artifact cannot be read")
		       : 0;
}

static int read_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *path = json_string_value(json_object_get(args, "path"));
	scoped(op_artifact_finish) struct op_artifact a = { 0 };
	scoped(op_file_finish) struct op_file f = { 0 };
	scoped(drop_fd) int fd = -1;
	uint64_t at = 0;
	int r = op_file_window(args, &f.ask.head, e);

	(void)ctx;
	if (r == 0)
		r = op_artifact_find(args, &a, e);
	if (r == 0)
		r = box_artifact_open(&a.shelf, &a.row, &fd, e);
	if (r == 0)
		r = find_part(&a, path, fd, &at, &f.reply.head, e);
	if (r == 0)
		r = op_file_marks(&f, e);
	if (r == 0)
		r = read_piece(&f, fd, at, e);
	if (r < 0)
		return r;
	f.path = strdup(path ? path : a.row.name);
	r = f.path ? op_file_content(&f, args, ret_result, e)
		   : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the artifact");
	if (r == 0) {
		json_object_set_new(*ret_result, "sha256", path ? json_null() : json_string(a.row.sha256));
		json_object_set_new(*ret_result, "media", path ? json_null() : json_string(a.row.media));
		json_object_del(*ret_result, "lines");
	}
	return r;
}

static const struct op_param save_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "the file or directory"),
	{ "name", 0, OP_STRING, OP_MODEL, "NAME", "to find it by; default: as it is called in the box" },
	{ "note", 0, OP_STRING, OP_MODEL, "TEXT", "what is worth knowing about it" },
	{ "allow-secret", 0, OP_LIST, 0, "NAME",
	  "go on though this secret, given to the box by --secret, is in it" },
	{ .name = NULL },
};

static const struct op_field save_result[] = {
	ARTIFACT_FIELDS(""),
	{ "left_out", "integer", "pipes, sockets and devices, which are not kept" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_artifact_save = {
	.name = "artifact save",
	.group = GROUP_BRING_BACK,
	.view = VIEW_ARTIFACT,
	.method = "artifact.save",
	.summary = "Keep a file or directory of a box beyond it",
	.about = "Copies a file or a directory out of a box into a place of aisbx's own, where it stays when "
		 "the box is gone, until\n"
		 "'aisbx artifact rm' removes it. The same content is kept once. A link is followed at the "
		 "beginning of the path, and kept as\n"
		 "a link below. A secret that was given to a box, in any common spelling, stops it until "
		 "--allow-secret names it. At\n"
		 "most 1 GiB.",
	.example = "aisbx artifact save try1 dist/app.tar.gz --name release --note 'first that works'",
	.grant = GRANT_RUN,
	.params = save_params,
	.result = save_result,
	.run = save_run,
};

static const struct op_param read_params[] = {
	ARTIFACT_PARAM,
	{ "path", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "PATH", "of a directory: which file in it" },
	FILE_BYTES_PARAMS,
	{ .name = NULL },
};

static const struct op_field read_result[] = {
	FILE_FIELDS,
	{ "content", "string", "what was read" },
	{ "encoding", "string", "of the content: utf-8 or base64" },
	{ "offset", "integer", "where it begins, in bytes" },
	{ "next_offset", "integer|null", "where to read on; null: that was the end" },
	{ "redacted", "boolean", "a secret that a box was given was taken out of the content" },
	{ "media", "string|null", "type of the content; null for a file of a directory" },
	{ NULL, NULL, NULL },
};

const struct op op_artifact_read = {
	.name = "artifact read",
	.group = GROUP_BRING_BACK,
	.view = VIEW_CONTENT,
	.method = "artifact.read",
	.summary = "Read an artifact",
	.about = "Reads the content of an artifact, or of a file in one that is a directory, as 'aisbx file "
		 "read' does.",
	.example = "aisbx artifact read release --encoding base64 --json",
	.grant = GRANT_READ,
	.params = read_params,
	.result = read_result,
	.run = read_run,
};
