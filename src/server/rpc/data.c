/* SPDX-License-Identifier: Apache-2.0 */
/* The door for data connections, and those that wait there for their call. */
#include "server/rpc/data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/data_dir.h"

/* Connections whose call has not come; of more the oldest goes. */
#define MOST_WAITING 64u
#define BACKLOG      128
#define NAME_LEN     16

struct waiting {
	struct data_door *door;
	int fd; /* owned */
	struct watch *watch;
	struct data_head head;
	struct waiting *next;
};

struct data_door {
	struct loop *loop;
	int dir;      /* owned */
	int listener; /* owned */
	char name[NAME_LEN + 1];
	char *path; /* owned */
	struct watch *watch;
	struct waiting *waiting; /* owned; the newest first */
	size_t n_waiting;
};

static void drop(struct waiting *w)
{
	struct waiting **at = &w->door->waiting;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	w->door->n_waiting--;
	watch_end(&w->watch);
	close_fd(&w->fd);
	free(w);
}

/* Reads what there is of its head, and not a byte of what follows. False: it is of no use, and gone. */
static bool hear(struct waiting *w)
{
	char room[DATA_HEAD];
	const size_t wanted = data_head_wants(&w->head);
	ssize_t n = wanted ? read(w->fd, room, wanted) : 0;

	if (wanted && n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if ((wanted && n <= 0) || !data_head_add(&w->head, room, (size_t)n)) {
		drop(w);
		return false;
	}
	if (!data_head_wants(&w->head)) /* only its end is of interest */
		watch_set(w->watch, EPOLLHUP | EPOLLERR);
	return true;
}

static void on_waiting(void *ctx, uint32_t events)
{
	struct waiting *w = ctx;

	if (events & (EPOLLHUP | EPOLLERR))
		drop(w);
	else
		hear(w);
}

static bool may_connect(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}

static void add(struct data_door *d, int fd)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct waiting *w = may_connect(fd) ? calloc(1, sizeof(*w)) : NULL, *oldest = d->waiting;

	if (!w) {
		close(fd);
		return;
	}
	while (oldest && oldest->next)
		oldest = oldest->next;
	if (d->n_waiting >= MOST_WAITING)
		drop(oldest);
	*w = (struct waiting){ .door = d, .fd = fd, .next = d->waiting };
	d->waiting = w;
	d->n_waiting++;
	if (watch_add(d->loop, fd, EPOLLIN, on_waiting, w, &w->watch, &ignored) < 0)
		drop(w);
	else
		hear(w);
}

static void accept_all(struct data_door *d)
{
	for (unsigned int i = 0; i < MOST_WAITING; i++) {
		int fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		add(d, fd);
	}
}

static void on_connection(void *ctx, uint32_t events)
{
	(void)events;
	accept_all(ctx);
}

static bool is_same(const char *a, const char *b)
{
	unsigned int differ = 0;

	for (size_t i = 0; i < DATA_TOKEN; i++)
		differ |= (unsigned int)(a[i] ^ b[i]);
	return !differ;
}

/* Who has said its token before it made its call is there by now, whether the loop has told us or not. */
int data_door_take(struct data_door *d, const char *token)
{
	struct waiting *next, *found = NULL;
	int fd;

	accept_all(d);
	for (struct waiting *w = d->waiting; w; w = next) {
		next = w->next;
		if ((!data_head_wants(&w->head) || hear(w)) && !data_head_wants(&w->head) &&
		    is_same(w->head.text, token))
			found = w;
	}
	if (!found)
		return -1;
	watch_end(&found->watch);
	fd = take_fd(&found->fd);
	drop(found);
	fcntl(fd, F_SETFL, 0);
	return fd;
}

/* By way of the directory's descriptor: paths may be longer than an address can hold. */
static struct sockaddr_un address(int dir, const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d/%.40s", dir, name);
	return to;
}

/* Nobody listens there any more. One that is just being made has a name that is left alone for a while. */
static bool is_left(int dir, const char *name)
{
	scoped(drop_fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const struct sockaddr_un to = address(dir, name);
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISSOCK(st.st_mode))
		return false;
	if (name[0] == '.')
		return time(NULL) - st.st_mtime > 60;
	return fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0 && errno == ECONNREFUSED;
}

static void sweep(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!list) {
		close_fd(&copy);
		return;
	}
	while ((entry = readdir(list)))
		if (is_left(dir, entry->d_name))
			unlinkat(dir, entry->d_name, 0);
	closedir(list);
}

/* Under a hidden name first: whoever sees the other one can connect. */
static int listen_there(struct data_door *d, struct aisbx_error *e)
{
	char hidden[NAME_LEN + 2];
	unsigned long long random;
	struct sockaddr_un here;
	mode_t mask;
	int bound;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "get random bytes for a socket");
	snprintf(d->name, sizeof(d->name), "%016llx", random);
	snprintf(hidden, sizeof(hidden), ".%s", d->name);
	here = address(d->dir, hidden);
	d->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177);
	bound = d->listener < 0 ? -1 : bind(d->listener, (const struct sockaddr *)&here, sizeof(here));
	umask(mask);
	if (bound < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "listen in '%s'", d->path);
	if (listen(d->listener, BACKLOG) < 0 || renameat(d->dir, hidden, d->dir, d->name) < 0) {
		aisbx_fail(e, AISBX_AREA_SYS, errno, "listen in '%s'", d->path);
		unlinkat(d->dir, hidden, 0);
		return e->code;
	}
	return 0;
}

int data_door_open(struct loop *l, struct data_door **ret_door, struct aisbx_error *e)
{
	struct data_door *d = calloc(1, sizeof(*d));
	char *path;
	int r;

	if (!d)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "listen for data connections");
	*d = (struct data_door){ .loop = l, .dir = -1, .listener = -1 };
	r = d->dir = box_data_dir(&d->path, e);
	if (r >= 0) {
		sweep(d->dir);
		r = listen_there(d, e);
	}
	if (r == 0) {
		path = path_join(d->path, d->name);
		r = path ? watch_add(l, d->listener, EPOLLIN, on_connection, d, &d->watch, e)
			 : aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "listen for data connections");
		free(d->path);
		d->path = path;
	}
	if (r < 0)
		data_door_close(d);
	else
		*ret_door = d;
	return r;
}

void data_door_close(struct data_door *d)
{
	if (!d)
		return;
	while (d->waiting)
		drop(d->waiting);
	if (d->watch)
		unlinkat(d->dir, d->name, 0);
	watch_end(&d->watch);
	close_fd(&d->listener);
	close_fd(&d->dir);
	free(d->path);
	free(d);
}

const char *data_door_path(const struct data_door *d)
{
	return d->path;
}
