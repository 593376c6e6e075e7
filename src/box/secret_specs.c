/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which secrets every run in a box gets: stored beside the fingerprints as a person named them, never with a
 * value.
 */
#include "box/secret_specs.h"

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
#include "box/injected.h"
#include "secret/secret_spec.h"

/* More is no list of 64 secrets. */
#define SPECS_MAX (1u << 20)

static char *place_of(const char *dir, const char *id)
{
	char *path = NULL;

	return asprintf(&path, "%s/secrets/%s", dir, id) < 0 ? NULL : path;
}

/* A path means the same wherever a run is started. */
static int settle(const char *text, const char *cwd, struct strlist *ret, struct aisbx_error *e)
{
	scoped(secret_spec_finish) struct secret_spec spec = { 0 };
	scoped(drop_mem) char *path = NULL;
	const char *inject;
	int r = secret_spec_parse(text, &spec, e);

	if (r == 0)
		r = box_injected_check(&spec, e);
	if (r < 0)
		return r;
	inject = strstr(text, ",inject="); /* the rest, as it was written */
	if (spec.source == SECRET_FROM_FILE && strncmp(spec.from, "~/", 2) != 0) {
		path = path_resolve(cwd, spec.from);
		if (path)
			strlist_addf(ret, "%s=file:%s,as=%s%s", spec.name, path,
				     !spec.as_env   ? "file"
				     : spec.as_file ? "both"
						    : "env",
				     inject ? inject : "");
		ret->failed = ret->failed || !path;
	} else {
		strlist_add(ret, text);
	}
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "store the secrets of a box") : 0;
}

int box_secret_specs_settle(const struct strlist *specs, const char *cwd, struct strlist *ret,
			    struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < specs->n; i++)
		r = settle(specs->items[i], cwd, ret, e);
	return r;
}

int box_secret_specs_keep(const char *dir, const char *id, const struct strlist *specs, struct aisbx_error *e)
{
	scoped(drop_mem) char *place = path_join(dir, "secrets");
	scoped(drop_mem) char *path = place_of(dir, id);
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_fd) int fd = -1;

	if (!specs->n)
		return 0;
	for (size_t i = 0; i < specs->n; i++)
		buf_add(&text, specs->items[i], strlen(specs->items[i]) + 1);
	if (!place || !path || text.failed || text.len > SPECS_MAX)
		return aisbx_fail(e, AISBX_AREA_BOX, text.len > SPECS_MAX ? E2BIG : ENOMEM,
				  "store the secrets of a box");
	mkdir(place, 0700); /* or it is there */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, text.data, text.len) == (ssize_t)text.len)
		return 0;
	aisbx_fail(e, AISBX_AREA_BOX, fd < 0 ? errno : ENOSPC, "write '%s'", path);
	unlink(path);
	return e->code;
}

int box_secret_specs_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = place_of(dir, id);
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
	scoped(drop_mem) char *text = NULL;
	struct stat st;

	if (path && fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size > SPECS_MAX ||
	    !(text = calloc(1, (size_t)st.st_size + 1)) || read(fd, text, (size_t)st.st_size) != st.st_size)
		return aisbx_fail(e, AISBX_AREA_BOX, path && errno ? errno : EIO,
				  "read which secrets are given to box '%s'", id);
	for (off_t at = 0; at < st.st_size; at += (off_t)strlen(text + at) + 1)
		strlist_add(ret, text + at);
	return ret->failed
		       ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read which secrets are given to box '%s'", id)
		       : 0;
}

void box_secret_specs_drop(const char *dir, const char *id)
{
	scoped(drop_mem) char *path = place_of(dir, id);

	if (path)
		unlink(path);
}
