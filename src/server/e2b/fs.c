/* SPDX-License-Identifier: Apache-2.0 */
/* filesystem.Filesystem: what is there, made, moved, removed. Watching is in watch.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "server/e2b/internal.h"

/* What a request names PATH, as the box has it; NULL: R is answered. */
static char *path_of(struct request *r, const char *name)
{
	const char *given = json_string_value(json_object_get(r->params, name));
	char *path = sandbox_path(r->e2b, given ? given : "");

	if (!path)
		answer_refusal(r, AISBX_KIND_INTERNAL, "out of memory");
	return path;
}

static json_t *time_json(json_int_t ms)
{
	const time_t seconds = (time_t)(ms / 1000);
	char text[40];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	return json_sprintf("%s.%03dZ", text, (int)(ms % 1000));
}

/* As Go writes a mode. */
static json_t *permissions_json(const char *type, unsigned long mode)
{
	char text[11];

	text[0] = !strcmp(type, "directory") ? 'd' : !strcmp(type, "link") ? 'L' : '-';
	for (int i = 0; i < 9; i++)
		text[i + 1] = mode >> (8 - i) & 1 ? "rwx"[i % 3] : '-';
	text[10] = '\0';
	return json_string(text);
}

/* An entry as operations tell it, at PATH, as the client has it. */
static json_t *entry_json(const json_t *entry, const char *path)
{
	const char *type = json_string_value(json_object_get(entry, "type")),
		   *mode = json_string_value(json_object_get(entry, "mode")),
		   *target = json_string_value(json_object_get(entry, "target")), *name = strrchr(path, '/');
	const unsigned long bits = mode ? strtoul(mode, NULL, 8) : 0;
	json_t *j;

	type = type ? type : "other";
	j = json_pack("{s:s, s:s, s:s, s:o, s:I, s:o, s:s, s:s, s:o}", "name",
		      name && name[1] ? name + 1 : path, "path", path, "type",
		      !strcmp(type, "file")        ? "FILE_TYPE_FILE"
		      : !strcmp(type, "directory") ? "FILE_TYPE_DIRECTORY"
		      : !strcmp(type, "link")      ? "FILE_TYPE_SYMLINK"
						   : "FILE_TYPE_UNSPECIFIED",
		      "size",
		      json_sprintf("%lld", (long long)json_integer_value(json_object_get(entry, "size"))),
		      "mode", (json_int_t)bits, "permissions", permissions_json(type, bits), "owner", "user",
		      "group", "user", "modifiedTime",
		      time_json(json_integer_value(json_object_get(entry, "mtime_ms"))));
	if (target)
		json_object_set_new(j, "symlinkTarget", json_string(target));
	return j;
}

static void on_stat(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	const char *path = json_string_value(json_object_get(result, "path"));
	scoped(drop_mem) char *shown = path ? sandbox_path_shown(r->e2b, path) : NULL;

	if (e)
		answer_error(r, e);
	else
		answer_json(r, 200, json_pack("{s:o}", "entry", entry_json(result, shown ? shown : "")));
}

static void stat_path(struct request *r, const char *path)
{
	e2b_call(r, op_by_method("file.stat"), json_pack("{s:s, s:s}", "box", r->box, "path", path), true,
		 on_stat);
}

void fs_stat(struct request *r)
{
	scoped(drop_mem) char *path = path_of(r, "path");

	if (path)
		stat_path(r, path);
}

static void on_made(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;

	if (e)
		answer_error(r, e);
	else if (!json_is_true(json_object_get(result, "created")))
		answer_refusal(r, AISBX_KIND_EXISTS, "directory already exists: %.200s",
			       json_string_value(json_object_get(r->params, "path")));
	else if ((path = path_of(r, "path")))
		stat_path(r, path);
}

void fs_make_dir(struct request *r)
{
	scoped(drop_mem) char *path = path_of(r, "path");

	if (path)
		e2b_call(r, op_by_method("file.mkdir"), json_pack("{s:s, s:s}", "box", r->box, "path", path),
			 false, on_made);
}

static void on_moved(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;

	(void)result;
	if (e)
		answer_error(r, e);
	else if ((path = path_of(r, "destination")))
		stat_path(r, path);
}

void fs_move(struct request *r)
{
	scoped(drop_mem) char *from = path_of(r, "source");
	scoped(drop_mem) char *to = from ? path_of(r, "destination") : NULL;

	if (to)
		e2b_call(r, op_by_method("file.mv"),
			 json_pack("{s:s, s:s, s:s, s:b}", "box", r->box, "path", from, "to", to, "force", 1),
			 false, on_moved);
}

static void on_removed(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	(void)result;
	if (e)
		answer_error(r, e);
	else
		answer_json(r, 200, json_object());
}

void fs_remove(struct request *r)
{
	scoped(drop_mem) char *path = path_of(r, "path");

	if (path)
		e2b_call(r, op_by_method("file.rm"),
			 json_pack("{s:s, s:s, s:b, s:b}", "box", r->box, "path", path, "recursive", 1,
				   "force", 1),
			 false, on_removed);
}

static void on_listed(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	const char *dir = json_string_value(json_object_get(result, "path"));
	json_t *list, *entry;
	size_t i;

	if (e) {
		answer_error(r, e);
		return;
	}
	list = json_array();
	json_array_foreach(json_object_get(result, "entries"), i, entry)
	{
		const char *name = json_string_value(json_object_get(entry, "path"));
		scoped(drop_mem) char *path = NULL;
		scoped(drop_mem) char *shown = NULL;

		if (!name || asprintf(&path, "%s%s%s", dir ? dir : "", dir && dir[1] ? "/" : "", name) < 0) {
			path = NULL;
			continue;
		}
		shown = sandbox_path_shown(r->e2b, path);
		json_array_append_new(list, entry_json(entry, shown ? shown : path));
	}
	answer_json(r, 200, json_pack("{s:o}", "entries", list));
}

void fs_list(struct request *r)
{
	const json_int_t depth = json_integer_value(json_object_get(r->params, "depth"));
	scoped(drop_mem) char *path = path_of(r, "path");

	if (path)
		e2b_call(r, op_by_method("file.ls"),
			 json_pack("{s:s, s:s, s:I, s:i}", "box", r->box, "path", path, "depth",
				   depth > 0 ? depth : 1, "limit", 10000),
			 true, on_listed);
}
