/* SPDX-License-Identifier: Apache-2.0 */
/* What --net said when a box was made, kept with the box: one file each, replaced as a whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/net_options.h"

/* More is no list of rules. */
#define SPECS_MAX (1u << 19)

static char *place_of(const char *dir, const char *id, const char *suffix)
{
	char *path = NULL;

	return asprintf(&path, "%s/net/%s%s", dir, id, suffix) < 0 ? NULL : path;
}

int box_net_keep(const char *dir, const char *id, const struct strlist *values, struct aisbx_error *e)
{
	scoped(drop_mem) char *place = path_join(dir, "net");
	scoped(drop_mem) char *path = place_of(dir, id, "");
	scoped(drop_mem) char *fresh = place_of(dir, id, ".new");
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_fd) int fd = -1;

	for (size_t i = 0; i < values->n; i++)
		buf_add(&text, values->items[i], strlen(values->items[i]) + 1);
	if (!place || !path || !fresh || text.failed || text.len > SPECS_MAX)
		return aisbx_fail(e, AISBX_AREA_BOX, text.len > SPECS_MAX ? E2BIG : ENOMEM,
				  "store the network rules of a box");
	if (!values->n) {
		box_net_drop(dir, id);
		return 0;
	}
	mkdir(place, 0700); /* or it is there */
	unlink(fresh);      /* of one who was killed */
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, text.data, text.len) == (ssize_t)text.len && rename(fresh, path) == 0)
		return 0;
	aisbx_fail(e, AISBX_AREA_BOX, errno ? errno : ENOSPC, "write '%s'", path);
	unlink(fresh);
	return e->code;
}

int box_net_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = place_of(dir, id, "");
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
	scoped(drop_mem) char *text = NULL;
	struct stat st;

	if (path && fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size > SPECS_MAX ||
	    !(text = calloc(1, (size_t)st.st_size + 1)) || read(fd, text, (size_t)st.st_size) != st.st_size)
		return aisbx_fail(e, AISBX_AREA_BOX, path && errno ? errno : EIO,
				  "read the network rules of box '%s'", id);
	for (off_t at = 0; at < st.st_size; at += (off_t)strlen(text + at) + 1)
		strlist_add(ret, text + at);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the network rules of box '%s'", id)
			   : 0;
}

void box_net_drop(const char *dir, const char *id)
{
	scoped(drop_mem) char *path = place_of(dir, id, "");

	if (path)
		unlink(path);
}
