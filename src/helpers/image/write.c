/* SPDX-License-Identifier: Apache-2.0 */
/* The request "write": which form, where to, and the walls before the first look at the image. */
#include "helpers/image/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "helpers/image/verbs.h"
#include "sys/confine.h"

struct form {
	const char *name;
	const char *dirs[3]; /* below the directory that it is; none: it is a file */
	int (*act)(const struct write_order *o, struct aisbx_error *e);
};

static const struct form forms[] = {
	{ "layout", { "blobs", "blobs/sha256" }, write_layout }, { "oci-archive", { 0 }, write_oci_archive },
	{ "docker-archive", { 0 }, write_docker_archive },       { "pseudo", { "layers" }, write_pseudo },
	{ "pseudo-archive", { 0 }, write_pseudo_archive },
};

static const struct form *find_form(const char *name)
{
	for (size_t i = 0; name && i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

/* A directory that is ours to fill: new, or left by an attempt that did not come to its end. */
static int check_free(int dir, const struct form *form, const char *path, struct aisbx_error *e)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *d = dir_take(copy < 0 ? -errno : copy, &r);
	const struct dirent *entry;

	while (d && (entry = dir_next(d, &r)))
		if (strcmp(entry->d_name, form->dirs[0]) != 0 && *entry->d_name != '.')
			return aisbx_refuse(
				e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
				"'%s' exists and is not empty; remove it first, or choose another name",
				path);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read '%s'", path) : 0;
}

static int make_dirs(const struct form *form, const char *path, int *ret_dir, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = -1;
	int r;

	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", path);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	r = check_free(dir, form, path, e);
	for (size_t i = 0; r == 0 && form->dirs[i]; i++)
		if (mkdirat(dir, form->dirs[i], 0777) < 0 && errno != EEXIST)
			r = aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s/%s'", path, form->dirs[i]);
	if (r == 0)
		*ret_dir = take_fd(&dir);
	return r;
}

/* Opens the directory that is written to, and from then on writes nowhere else but in TMP. */
static int open_target(const struct form *form, const char *path, const char *tmp, const char **ret_file,
		       int *ret_dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *parent = strdup(path);
	scoped(drop_fd) int dir = -1;
	char *slash = parent ? strrchr(parent, '/') : NULL;
	const char *writable[3] = { NULL, tmp, NULL };
	int r = 0;

	if (!parent || !slash || !slash[1])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the request has an invalid 'path'");
	*ret_file = path + (slash + 1 - parent);
	if (form->dirs[0]) {
		r = make_dirs(form, path, &dir, e);
		writable[0] = path;
	} else {
		slash[slash == parent] = '\0';
		writable[0] = parent;
		dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			r = aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", parent);
	}
	r = r < 0 ? r : confine_self(writable, e);
	if (r == 0)
		*ret_dir = take_fd(&dir);
	return r;
}

int verb_write(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	const struct form *form = find_form(json_string_value(json_object_get(request, "to")));
	const char *path = json_string_value(json_object_get(request, "path"));
	const char *where = json_string_value(json_object_get(request, "blobs"));
	const char *manifest = json_string_value(json_object_get(request, "manifest"));
	scoped(fetched_finish) struct fetched image = { 0 };
	scoped(blobs_close) struct blobs b = BLOBS_INIT;
	scoped(drop_mem) char *tmp = NULL;
	scoped(drop_fd) int dir = -1;
	struct write_order o = { .blobs = &b, .image = &image };
	int r;

	if (!form || !path || *path != '/' || !where || !manifest)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the request has an invalid 'to', 'path', 'blobs' or 'manifest'");
	o.name = json_string_value(json_object_get(request, "name"));
	tmp = blobs_tmp_path(where, e);
	r = tmp ? blobs_open(where, 0, &b, e) : e->code;
	r = r < 0 ? r : open_target(form, path, tmp, &o.file, &dir, e);
	r = r < 0 ? r : fetched_from_blobs(&b, manifest, NULL, &image, e);
	o.dir = dir;
	r = r < 0 ? r : form->act(&o, e);
	if (r < 0)
		return r;
	*ret_ok = json_pack("{s:I}", "size", (json_int_t)image.size);
	return *ret_ok ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "answer");
}
