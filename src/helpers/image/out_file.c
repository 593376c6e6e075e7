/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary name, fsync, rename without replacing, fsync of the directory. */
#include "helpers/image/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"

static int exists(const char *name, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
			    "'%s' exists already; remove it, or give another name", name);
}

int out_file_begin(int dir, const char *name, struct out_file *ret, struct aisbx_error *e)
{
	scoped(out_file_finish) struct out_file o = OUT_FILE_INIT;
	struct stat st;

	o.dir = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	o.name = strdup(name);
	if (o.dir < 0 || !o.name)
		return aisbx_fail(e, AISBX_AREA_BOX, o.name ? errno : ENOMEM, "write '%s'", name);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return exists(name, e);
	if ((size_t)snprintf(o.part, sizeof(o.part), ".%.200s.%d.part", name, (int)getpid()) >=
	    sizeof(o.part))
		return aisbx_fail(e, AISBX_AREA_BOX, ENAMETOOLONG, "write '%s'", name);
	o.fd = openat(dir, o.part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (o.fd < 0) {
		int err = errno;

		o.part[0] = '\0';
		return aisbx_fail(e, AISBX_AREA_BOX, err, "write '%s'", name);
	}
	o.e = e;
	*ret = o;
	o = (struct out_file)OUT_FILE_INIT;
	return 0;
}

int out_file_write(void *ctx, const void *data, size_t len)
{
	struct out_file *o = ctx;
	int r = io_write_all(o->fd, data, len);

	return r < 0 ? aisbx_fail(o->e, AISBX_AREA_BOX, -r, "write '%s'", o->name) : 0;
}

int out_file_end(struct out_file *o)
{
	if (fsync(o->fd) < 0)
		return aisbx_fail(o->e, AISBX_AREA_BOX, errno, "write '%s'", o->name);
	if (renameat2(o->dir, o->part, o->dir, o->name, RENAME_NOREPLACE) < 0)
		return errno == EEXIST ? exists(o->name, o->e)
				       : aisbx_fail(o->e, AISBX_AREA_BOX, errno, "name '%s'", o->name);
	o->part[0] = '\0';
	if (fsync(o->dir) < 0)
		return aisbx_fail(o->e, AISBX_AREA_BOX, errno, "write '%s'", o->name);
	return 0;
}

void out_file_finish(struct out_file *o)
{
	if (o->part[0])
		unlinkat(o->dir, o->part, 0);
	close_fd(&o->fd);
	close_fd(&o->dir);
	free(o->name);
	*o = (struct out_file)OUT_FILE_INIT;
}
