/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads files of settings. */
#include "box/settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"

#define FILE_MAX 65536u

int settings_read_file(const char *path, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%s' is not a regular file", path);
	r = io_read_all(fd, FILE_MAX, ret);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, -r, "read '%s'", path);
	if (ret->len > FILE_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EFBIG,
				    "'%s' is larger than %u bytes", path, FILE_MAX);
	return 0;
}

static int add(const char *dir, const char *below, const char *name, settings_parse_fn *parse, void *into,
	       struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_mem) char *home = path_join(dir, below);
	scoped(drop_mem) char *path = home ? path_join(home, name) : NULL;
	int r = path ? settings_read_file(path, &text, e)
		     : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read settings");

	return r == -ENOENT && !e->code ? 0 : r < 0 ? r : parse(into, text.data, text.len, path, e);
}

int settings_read(const char *const *env, const char *name, settings_parse_fn *parse, void *into,
		  struct aisbx_error *e)
{
	const char *config = env_dir(env, "XDG_CONFIG_HOME"), *home = env_dir(env, "HOME");
	int r = add("/etc", "aisbx", name, parse, into, e);

	if (r == 0 && config)
		return add(config, "aisbx", name, parse, into, e);
	return r == 0 && home ? add(home, ".config/aisbx", name, parse, into, e) : r;
}
