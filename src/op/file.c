/* SPDX-License-Identifier: Apache-2.0 */
/* From arguments to a question for aisbx-file, and from its answer to a result or an error in words. */
#include "op/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "op/args.h"
#include "op/path.h"
#include "box/scrub.h"

/* Longer than any act takes that is not stuck. */
#define ACT_MS 60000
/*
 * As much of a file as the longest secret can take in any form that is known: around what is shown it is
 * looked for.
 */
#define MARGIN (512u << 10)

const char *const op_file_encodings[] = { "utf-8", "base64", NULL };

void op_file_finish(struct op_file *f)
{
	box_spec_finish(&f->req);
	box_file_reply_finish(&f->reply);
	free(f->path);
	free(f->other);
	marks_scan_free(f->scan);
	marks_free(f->marks);
	json_decref(f->args);
}

static bool changes(enum file_act act)
{
	return act == FILE_WRITE || act == FILE_REMOVE || act == FILE_MOVE || act == FILE_MAKE_DIR;
}

int op_file_marks(struct op_file *f, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = box_state_dir(e);
	int r = dir ? marks_load(dir, &f->marks, e) : e->code;

	if (r < 0 || !f->marks)
		return r;
	f->scan = marks_scan_create(f->marks);
	f->ask.head.margin = MARGIN;
	return f->scan ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "look for secrets");
}

int op_file_path(const struct op_file *f, const json_t *path, char **ret, struct aisbx_error *e)
{
	const char *text = json_string_value(path), *project = f->req.walls.project;
	scoped(drop_mem) char *full = NULL;
	size_t n;

	if (!text || !*text)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the path is empty; '.' is the project");
	if (strlen(text) != json_string_length(path))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the path '%.200s' goes on behind a NUL, which no path can hold", text);
	/* Dots stay as they are: what they mean is known only where the links are. */
	if (*text == '/' ? !(full = strdup(text))
			 : asprintf(&full, "%s/%s", project ? project : "", text) < 0) {
		full = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "path '%.200s'", text);
	}
	for (n = strlen(full); n > 1 && full[n - 1] == '/'; n--)
		full[n - 1] = '\0';
	if (n > 2 && !strcmp(full + n - 2, "/.")) /* the directory itself, by its own name */
		full[n - 2] = '\0';
	if (strlen(full) >= PATH_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENAMETOOLONG,
				    "path '%.100s...' is too long", full);
	*ret = take_mem(&full);
	return 0;
}

int op_file_begin(struct op_context *ctx, const json_t *args, enum file_act act, struct op_file *f,
		  struct aisbx_error *e)
{
	const json_t *path = json_object_get(args, "path");
	json_t *dot = json_string(".");
	int r;

	f->ask.head.act = act;
	f->req.box.purpose = changes(act) ? RUN_CHANGES : RUN_LOOKS;
	f->args = json_pack("{s:O, s:b, s:[s]}", "box", json_object_get(args, "box"), "no-services", 1,
			    "command", BOX_FILE_PROGRAM);
	r = f->args && dot ? op_run_request(ctx, f->args, &f->req, e)
			   : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the act");
	f->req.profile.limits[LIMIT_WALL_TIME] = ACT_MS;
	if (r == 0)
		r = op_file_path(f, path ? path : dot, &f->path, e);
	if (r == 0)
		r = op_file_marks(f, e);
	f->ask.part[FILE_PATH] = f->path;
	json_decref(dot);
	return r;
}

const char *op_file_type(uint32_t type)
{
	static const char *const names[FILE_TYPES] = { "other", "file", "directory", "link", "other" };

	return names[type < FILE_TYPES ? type : 0];
}

/* What was tried, by the act. */
static const char *const tried[FILE_ACTS] = {
	[FILE_READ] = "read",     [FILE_WRITE] = "write",   [FILE_LIST] = "list",
	[FILE_STAT] = "look at",  [FILE_REMOVE] = "remove", [FILE_MOVE] = "move",
	[FILE_MAKE_DIR] = "make", [FILE_WATCH] = "watch",   [FILE_PACK] = "keep",
};

static int explain_errno(const struct op_file *f, int err, struct aisbx_error *e)
{
	const char *verb = tried[f->ask.head.act];

	if (err == EFBIG && f->req.profile.limits[LIMIT_FILE_SIZE])
		return aisbx_refuse(
			e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EFBIG,
			"%s '%s' in the box: it is larger than a file of the box may be (--file-size)", verb,
			f->path);
	aisbx_fail(e, AISBX_AREA_LAYER, err, "%s '%s' in the box", verb, f->path);
	if (err == ENOTEMPTY)
		return aisbx_hint(e, "'recursive' removes what is in it, too");
	if (err == EEXIST && f->ask.head.act == FILE_MOVE)
		return aisbx_hint(e, "'force' replaces what is there");
	if (err == EROFS || (err == EACCES && f->req.walls.project && changes(f->ask.head.act)))
		return aisbx_hint(e, "the box's project, '%s', can be written",
				  f->req.walls.project ? f->req.walls.project : "/tmp");
	return e->code;
}

int op_file_explain(const struct op_file *f, const struct file_answer *a, struct aisbx_error *e)
{
	const char *verb = tried[f->ask.head.act];
	char size[32];

	switch ((enum file_why)a->why) {
	case FILE_WHY_NO_FILE:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER,
				    a->type == FILE_IS_DIR ? EISDIR : EINVAL,
				    "%s '%s' in the box: it is a %s, not a regular file", verb, f->path,
				    a->type == FILE_IS_OTHER ? "device, pipe or socket"
							     : op_file_type(a->type));
	case FILE_WHY_CHANGED:
		if (f->ask.head.flags & FILE_IF_ABSENT)
			return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_LAYER, ESTALE,
					    "there is a file '%s', and 'if' says that there must be none",
					    f->path);
		return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_LAYER, ESTALE,
				    "'%s' is not what it was: its sha256 is another than the one given as "
				    "'if'; read it again",
				    f->path);
	case FILE_WHY_NO_TEXT:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER, EINVAL,
				    "'%s' does not have the text that 'replace' names; it must be exact, "
				    "with its spaces and lines",
				    f->path);
	case FILE_WHY_MANY_TEXTS:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER, EINVAL,
				    "'%s' has the text that 'replace' names %llu times; give more of what is "
				    "around the one that is meant",
				    f->path, (unsigned long long)a->next);
	case FILE_WHY_ROOM:
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EDQUOT,
				    "%s '%s': the box would have more on disk than its limit of %s; --disk "
				    "of its profile allows more",
				    verb, f->path,
				    str_size(f->req.profile.limits[LIMIT_DISK], size, sizeof(size)));
	case FILE_WHY_LARGE:
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EFBIG,
				    "%s '%s': it is too large for that; use a command in the box", verb,
				    f->path);
	case FILE_WHY_ERRNO:
	case FILE_WHYS:
		break;
	}
	return explain_errno(f, a->error ? a->error : EPROTO, e);
}

int op_file_do(struct op_file *f, struct aisbx_error *e)
{
	int r = box_file_do(&f->req, &f->ask, &f->reply, e);

	if (r == 0 && f->reply.head.error)
		r = op_file_explain(f, &f->reply.head, e);
	else if (r < 0 && e->area == AISBX_AREA_BOX && e->code)
		aisbx_context(e, "%s '%s' in the box", tried[f->ask.head.act], path_tail(f->path, PATH_TOLD));
	if (r < 0 && f->scan)
		scrub_error(e, marks_scrub, f->scan);
	return r;
}

json_t *op_file_json(const struct op_file *f)
{
	const struct file_answer *a = &f->reply.head;
	json_t *j = json_object();
	char hex[65];

	for (size_t i = 0; i < sizeof(a->sum); i++)
		snprintf(hex + 2 * i, 3, "%02x", a->sum[i]);
	op_set_name(j, "path", f->path);
	json_object_set_new(j, "type", json_string(op_file_type(a->type)));
	json_object_set_new(j, "size", json_integer((json_int_t)a->size));
	json_object_set_new(j, "mode", json_sprintf("%04o", a->mode));
	json_object_set_new(j, "mtime_ms", json_integer((json_int_t)(a->mtime_ns / 1000000)));
	json_object_set_new(j, "sha256", a->has_sum ? json_string(hex) : json_null());
	return j;
}

void op_file_conclude(struct op_file *f, json_t *result)
{
	const struct driver_result *run = &f->reply.run;
	json_t *list = json_array();

	for (size_t i = 0; i < run->n_violations; i++) {
		const struct violation *v = &run->violations[i];

		if (!strcmp(v->kind, "decoy"))
			json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "kind", v->kind, "what",
							      v->what, "rule", v->rule, "count",
							      (json_int_t)v->count));
	}
	if (json_array_size(list))
		json_object_set(result, "violations", list);
	json_decref(list);
	if (run->after.code)
		json_object_set_new(result, "snapshot_error", json_string(run->after.text));
	if (f->scan)
		scrub_json(result, marks_scrub, f->scan);
}

int op_file_mode(const json_t *args, struct file_request *head, struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(args, "mode"));
	char *end;
	unsigned long mode;

	if (!text)
		return 0;
	mode = strtoul(text, &end, 8);
	if (!*text || *end || strspn(text, "01234567") != strlen(text) || mode > 0777)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is no mode; it takes three octal digits such as 644 or 755", text);
	head->mode = (uint32_t)mode;
	head->flags |= FILE_SET_MODE;
	return 0;
}

void op_file_set_text(json_t *object, const char *key, const char *data, size_t len)
{
	scoped(drop_mem) char *text = strndup(data, len);

	op_set_name(object, key, text ? text : "");
}
