/* SPDX-License-Identifier: Apache-2.0 */
/* From a path to a question for aisbx-file, and from its answer to an error in words. */
#include "box/file_act.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/run_options.h"
#include "secret/scrub.h"

/* Longer than any act takes that is not stuck. */
#define ACT_MS 60000
/*
 * As much of a file as the longest secret can take in any form that is known: around what is shown it is
 * looked for.
 */
#define MARGIN (512u << 10)

void box_act_finish(struct box_act *f)
{
	box_spec_finish(&f->req);
	box_file_reply_finish(&f->reply);
	free(f->path);
	free(f->other);
	fingerprint_scan_free(f->scan);
	fingerprints_free(f->fingerprints);
}

static bool changes(enum file_act act)
{
	return act == FILE_WRITE || act == FILE_REMOVE || act == FILE_MOVE || act == FILE_MAKE_DIR;
}

int box_act_fingerprints(struct box_act *f, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = box_state_dir(e);
	int r = dir ? fingerprints_load(dir, &f->fingerprints, e) : e->code;

	if (r < 0 || !f->fingerprints)
		return r;
	f->scan = fingerprint_scan_create(f->fingerprints);
	f->ask.head.margin = MARGIN;
	return f->scan ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for secrets");
}

int box_act_path(const struct box_act *a, const struct box_path *path, char **ret, struct aisbx_error *e)
{
	const char *text = path->text ? path->text : ".", *base = a->req.command.cwd;
	scoped(drop_mem) char *full = NULL;
	size_t n;

	if (!*text)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the path is empty; '.' is the project");
	if (path->text && strlen(text) != path->len)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the path '%.200s' contains a NUL byte, which no path can", text);
	/* Dots stay as they are: what they mean is known only where the links are. */
	if (*text == '/' ? !(full = strdup(text))
			 : asprintf(&full, "%s/%s", base && strcmp(base, "/") ? base : "", text) < 0) {
		full = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "path '%.200s'", text);
	}
	for (n = strlen(full); n > 1 && full[n - 1] == '/'; n--)
		full[n - 1] = '\0';
	if (n > 2 && !strcmp(full + n - 2, "/.")) /* the directory itself, by its own name */
		full[n - 2] = '\0';
	if (strlen(full) >= PATH_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENAMETOOLONG,
				    "path '%.100s...' is too long: at most %u bytes are allowed", full,
				    (unsigned int)PATH_MAX - 1);
	*ret = take_mem(&full);
	return 0;
}

int box_act_begin(const struct caller *by, const char *box, const struct box_path *path, enum file_act act,
		  struct box_act *a, struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = { .box = box,
								  .no_services = true,
								  .here = true };
	int r;

	a->ask.head.act = act;
	a->req.box.purpose = changes(act) ? RUN_CHANGES : RUN_LOOKS;
	strlist_add(&options.command, BOX_FILE_PROGRAM);
	r = options.command.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the file operation")
				   : box_spec_fill(by, &options, &a->req, e);
	a->req.profile.limits[LIMIT_WALL_TIME] = ACT_MS;
	if (r == 0)
		r = box_act_path(a, path, &a->path, e);
	if (r == 0)
		r = box_act_fingerprints(a, e);
	a->ask.part[FILE_PATH] = a->path;
	return r;
}

const char *box_file_type(uint32_t type)
{
	static const char *const names[FILE_TYPES] = { "other", "file", "directory", "link", "other" };

	return names[type < FILE_TYPES ? type : 0];
}

/* What was tried, by the act. */
static const char *const tried[FILE_ACTS] = {
	[FILE_READ] = "read",     [FILE_WRITE] = "write",   [FILE_LIST] = "list",
	[FILE_STAT] = "inspect",  [FILE_REMOVE] = "remove", [FILE_MOVE] = "move",
	[FILE_MAKE_DIR] = "make", [FILE_WATCH] = "watch",   [FILE_PACK] = "keep",
};

static int explain_errno(const struct box_act *f, int err, struct aisbx_error *e)
{
	const char *verb = tried[f->ask.head.act];

	if (err == EFBIG && f->req.profile.limits[LIMIT_FILE_SIZE])
		return aisbx_refuse(
			e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EFBIG,
			"%s '%s' in the box: it exceeds the box's limit on the size of a file (--file-size)",
			verb, f->path);
	aisbx_fail(e, AISBX_AREA_LAYER, err, "%s '%s' in the box", verb, f->path);
	if (err == ENOTEMPTY)
		return aisbx_hint(e, "'recursive' also removes what the directory contains");
	if (err == ENOENT)
		return aisbx_hint(e, "'aisbx file ls BOX' lists what is there");
	if (err == EEXIST && f->ask.head.act == FILE_MOVE)
		return aisbx_hint(e, "'force' replaces an existing file");
	if (err == EROFS || (err == EACCES && f->req.walls.project && changes(f->ask.head.act)))
		return aisbx_hint(e, "only the box's project, '%s', is writable",
				  f->req.walls.project ? f->req.walls.project : "/tmp");
	return e->code;
}

int box_act_explain(const struct box_act *f, const struct file_answer *a, struct aisbx_error *e)
{
	const char *verb = tried[f->ask.head.act];
	char size[32];

	switch ((enum file_why)a->why) {
	case FILE_WHY_NO_FILE:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER,
				    a->type == FILE_IS_DIR ? EISDIR : EINVAL,
				    "%s '%s' in the box: it is a %s, not a regular file", verb, f->path,
				    a->type == FILE_IS_OTHER ? "device, pipe or socket"
							     : box_file_type(a->type));
	case FILE_WHY_CHANGED:
		if (f->ask.head.flags & FILE_IF_ABSENT)
			return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_LAYER, ESTALE,
					    "'%s' exists, but 'if' requires that it does not", f->path);
		return aisbx_refuse(
			e, AISBX_KIND_STALE, AISBX_AREA_LAYER, ESTALE,
			"'%s' has changed: its sha256 differs from the one given as 'if'; read it again",
			f->path);
	case FILE_WHY_NO_TEXT:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER, EINVAL,
				    "'%s' does not contain the text of 'replace'; it must match exactly, "
				    "including spaces and line breaks",
				    f->path);
	case FILE_WHY_MANY_TEXTS:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER, EINVAL,
				    "'%s' contains the text of 'replace' %llu times; include more of the "
				    "surrounding text to make it unique",
				    f->path, (unsigned long long)a->next);
	case FILE_WHY_ROOM:
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EDQUOT,
				    "%s '%s': the box would exceed its disk limit of %s; a larger --disk in "
				    "its profile allows more",
				    verb, f->path,
				    str_size(f->req.profile.limits[LIMIT_DISK], size, sizeof(size)));
	case FILE_WHY_LARGE:
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EFBIG,
				    "%s '%s': it is too large for this operation; use a command in the box",
				    verb, f->path);
	case FILE_WHY_SHRANK:
		return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_LAYER, ESTALE,
				    "'%s' became shorter while it was read; read it again", f->path);
	case FILE_WHY_ERRNO:
	case FILE_WHYS:
		break;
	}
	return explain_errno(f, a->error ? a->error : EPROTO, e);
}

int box_act_do(struct box_act *f, struct aisbx_error *e)
{
	int r = box_file_do(&f->req, &f->ask, &f->reply, e);

	if (r == 0 && f->reply.head.error)
		r = box_act_explain(f, &f->reply.head, e);
	else if (r < 0 && e->area == AISBX_AREA_BOX && e->code)
		aisbx_context(e, "%s '%s' in the box", tried[f->ask.head.act], path_tail(f->path, PATH_TOLD));
	if (r < 0 && f->scan)
		scrub_error(e, fingerprints_scrub, f->scan);
	return r;
}

int box_act_mode(const char *text, struct file_request *head, struct aisbx_error *e)
{
	char *end;
	unsigned long mode;

	if (!text)
		return 0;
	mode = strtoul(text, &end, 8);
	if (!*text || *end || strspn(text, "01234567") != strlen(text) || mode > 0777)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is not a mode; give three octal digits such as 644 or 755", text);
	head->mode = (uint32_t)mode;
	head->flags |= FILE_SET_MODE;
	return 0;
}
