/* SPDX-License-Identifier: Apache-2.0 */
/* The socket of a live box: STATE/live/BOX, for nobody but its user. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"

/* Those who knock while the supervisor is busy wait; more than these wait to knock. */
#define BACKLOG         64
#define CONNECT_SECONDS 5

/* Through a descriptor of the directory: the path of a state directory may be longer than an
 * address can be. */
static int make_address(int dir, const struct store_box *b, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	return snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", dir, b->id) <
			       (int)sizeof(ret->sun_path)
		       ? 0
		       : -ENAMETOOLONG;
}

static int open_dir(const struct box_state *s, bool make, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(s->dir, "live");
	int fd = -1;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the sockets of live boxes");
	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", path);
	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ENOENT : aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	return fd;
}

int box_live_open(const struct box_state *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = open_dir(s, true, e);
	scoped(drop_fd) int fd = -1;
	struct sockaddr_un address;
	int r;

	if (dir < 0)
		return dir;
	r = make_address(dir, b, &address);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (r < 0 || fd < 0 || fchmod(fd, 0600) < 0) /* before it has a name: so it never has another mode */
		return aisbx_fail(e, AISBX_AREA_BOX, r < 0 ? -r : errno, "make the socket of box '%s'",
				  b->name);
	r = bind(fd, (struct sockaddr *)&address, sizeof(address));
	if (r < 0 &&
	    errno == EADDRINUSE) { /* the box is ours, so this is what is left of a run that was killed */
		unlinkat(dir, b->id, 0);
		r = bind(fd, (struct sockaddr *)&address, sizeof(address));
	}
	if (r < 0 || listen(fd, BACKLOG) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make the socket of box '%s' in '%s/live'",
				  b->name, s->dir);
	*ret_fd = take_fd(&fd);
	return 0;
}

void box_live_close(const struct box_state *s, const struct store_box *b, int fd)
{
	struct aisbx_error ignored;
	scoped(drop_fd) int dir = open_dir(s, false, &ignored);

	if (dir >= 0)
		unlinkat(dir, b->id, 0);
	close(fd);
}

int box_live_connect(const struct box_state *s, const struct store_box *b, int *ret_fd, struct aisbx_error *e)
{
	const struct timeval patience = { .tv_sec = CONNECT_SECONDS };
	scoped(drop_fd) int dir = open_dir(s, false, e);
	scoped(drop_fd) int fd = -1;
	struct sockaddr_un address;

	if (dir < 0)
		return dir;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || make_address(dir, b, &address) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, fd < 0 ? errno : ENAMETOOLONG,
				  "connect to live box '%s'", b->name);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return errno == ENOENT || errno == ECONNREFUSED
			       ? -ENOENT
			       : aisbx_fail(e, AISBX_AREA_BOX, errno, "connect to live box '%s'", b->name);
	*ret_fd = take_fd(&fd);
	return 0;
}
