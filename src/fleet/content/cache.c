/* SPDX-License-Identifier: Apache-2.0 */
/* Files and directories of the cache. */
#include "fleet/content/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <blake3.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/private_dir.h"
#include "base/scope.h"

static void hash(const void *data, size_t len, uint8_t *ret, size_t bytes)
{
	blake3_hasher h;

	blake3_hasher_init(&h);
	blake3_hasher_update(&h, data, len);
	blake3_hasher_finalize(&h, ret, bytes);
}

void content_cache_name(const char *text, char ret[33])
{
	uint8_t sum[16];

	hash(text, strlen(text), sum, sizeof(sum));
	io_hex(sum, sizeof(sum), ret);
}

static char *default_path(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path = NULL;

	if (cache && *cache == '/')
		return path_join(cache, "aisbx/content");
	if (home && *home == '/' && asprintf(&path, "%s/.cache/aisbx/content", home) > 0)
		return path;
	return NULL;
}

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700); /* what is wrong is found when it is opened */
		*slash = '/';
	}
	mkdir(path, 0700);
}

static char *absolute(const char *dir)
{
	scoped(drop_mem) char *cwd = *dir == '/' ? NULL : getcwd(NULL, 0);

	return path_resolve(cwd ? cwd : "/", dir);
}

int content_cache_open(const char *dir, const struct content_key *k, struct content_cache *ret,
		       struct aisbx_error *e)
{
	scoped(drop_mem) char *path = dir ? absolute(dir) : default_path(), *mine = NULL;
	scoped(drop_fd) int top = -1;
	int fd;

	if (!path)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "there is no place for the cache: neither HOME nor XDG_CACHE_HOME is "
				    "set; give --cache DIR");
	mine = path_join(path, k->name);
	if (!mine)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "open the cache");
	make_parents(path);
	top = private_dir_open(path, "give another one by --cache DIR", e);
	if (top == -ENOENT)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOENT, "make the cache '%.200s'", path);
	if (top < 0)
		return top;
	fd = private_dir_open_at(top, path, k->name, 0700, e);
	if (fd < 0)
		return fd;
	ret->fd = fd;
	ret->path = take_mem(&mine);
	return 0;
}

void content_cache_finish(struct content_cache *c)
{
	close_fd(&c->fd);
	free(c->path);
	c->path = NULL;
}

int content_cache_dir(const struct content_cache *c, const char *name)
{
	int fd;

	if (mkdirat(c->fd, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(c->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int content_cache_read(int dir, const char *name, size_t most, struct buf *ret)
{
	scoped(drop_fd) int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	uint8_t sum[CONTENT_ID];
	int r = io_read_all(fd, most, ret);

	if (r < 0)
		return r;
	if (ret->len < CONTENT_ID || ret->len > most)
		return -EBADMSG;
	ret->len -= CONTENT_ID;
	hash(ret->data, ret->len, sum, sizeof(sum));
	return memcmp(sum, ret->data + ret->len, sizeof(sum)) != 0 ? -EBADMSG : 0;
}

int content_cache_write(int dir, const char *name, struct buf *text)
{
	char beside[128];
	uint8_t sum[CONTENT_ID];
	scoped(drop_fd) int fd = -1;
	int r;

	hash(text->data ? text->data : "", text->len, sum, sizeof(sum));
	buf_add(text, sum, sizeof(sum));
	if (text->failed)
		return -ENOMEM;
	snprintf(beside, sizeof(beside), ".%.80s-%d", name, (int)getpid());
	fd = openat(dir, beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : io_write_all(fd, text->data, text->len);
	if (r == 0 && renameat(dir, beside, dir, name) < 0)
		r = -errno;
	if (r < 0 && fd >= 0)
		unlinkat(dir, beside, 0);
	return r;
}
