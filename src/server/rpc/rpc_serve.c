/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx rpc`: one client on standard input and output, or many on a Unix socket. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/sessions.h"
#include "server/core/lines.h"
#include "server/core/queued.h"
#include "server/rpc/data.h"
#include "server/rpc/rpc.h"
#include "server/core/server.h"

#define MAX_CLIENTS 512u
#define BACKLOG     128

struct client {
	struct server *server;
	struct lines *lines;
	struct rpc *rpc;
	bool gone; /* nobody hears what it is told */
	int alive; /* owned; while it is open, what it owns is in use; -1: it owns nothing of its own */
	bool idle; /* what is left to do is to tell it the last answers */
	struct client *prev, *next;
};

struct server {
	struct loop *loop;
	char cwd[PATH_MAX];
	struct calls *calls; /* owned */
	struct client *clients;
	size_t n_clients;
	int listener;            /* owned; -1: standard input and output */
	int signals;             /* owned */
	int dir;                 /* owned; of the socket */
	const char *socket_name; /* borrowed; in it */
	struct stat socket;      /* as it was made */
	struct data_door *data;  /* owned; NULL: nobody has asked for it */
	struct watch *listener_watch, *signals_watch;
	struct timer *listen_again;
	bool private;
	bool stopping;
	int status;
};

static void stop_when_empty(struct server *s)
{
	if (!s->clients && (s->stopping || s->listener < 0))
		loop_stop(s->loop);
}

static void drop_client(struct client *c)
{
	struct server *s = c->server;

	if (c->next)
		c->next->prev = c->prev;
	if (c->prev)
		c->prev->next = c->next;
	else
		s->clients = c->next;
	s->n_clients--;
	lines_close(c->lines);
	rpc_destroy(c->rpc);
	if (c->alive >= 0) {
		close_fd(&c->alive);
		box_sessions_settle_aside();
	}
	free(c);
	stop_when_empty(s);
}

static void on_line(void *ctx, const char *text, size_t len)
{
	const struct client *c = ctx;

	rpc_receive(c->rpc, text, len);
}

static void on_full(void *ctx, bool full)
{
	const struct client *c = ctx;

	rpc_hold(c->rpc, full);
}

static void on_end(void *ctx, int why)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct client *c = ctx;

	if (why == -E2BIG) {
		aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
			     "a line is longer than %u bytes; the connection is closed", LINES_LONGEST);
		rpc_refuse(c->rpc, &e);
	}
	if (why < 0)
		c->server->status = EXIT_AISBX;
	rpc_end(c->rpc);
}

static void on_gone(void *ctx)
{
	struct client *c = ctx;

	c->gone = true;
	if (lines_lost(c->lines)) {
		fprintf(stderr, "%s: write an answer: %s\n", server_program, strerror(lines_lost(c->lines)));
		c->server->status = EXIT_AISBX;
	}
	if (c->idle)
		drop_client(c);
	else
		rpc_end(c->rpc);
}

static void on_flushed(void *ctx)
{
	drop_client(ctx);
}

static const struct lines_events lines_events = { on_line, on_full, on_end, on_gone, on_flushed };

static void on_send(void *ctx, const char *text, size_t len)
{
	const struct client *c = ctx;

	lines_send(c->lines, text, len);
}

/* Opened for the first who asks. Who cannot have it does without, as with a server that has none. */
static int on_data(void *ctx, json_t *result, struct aisbx_error *e)
{
	struct server *s = ((const struct client *)ctx)->server;
	struct aisbx_error why = AISBX_ERROR_INIT;

	(void)e;
	if (!s->data && data_door_open(s->loop, &s->data, &why) < 0)
		log_debug("%s", why.text);
	else
		json_object_set_new(result, "data", json_string(data_door_path(s->data)));
	return 0;
}

static int on_take_data(void *ctx, const char *token)
{
	const struct client *c = ctx;

	return c->server->data ? data_door_take(c->server->data, token) : -1;
}

/* No call is under way any more. */
static void on_idle(void *ctx)
{
	struct client *c = ctx;

	c->idle = true;
	if (c->gone)
		drop_client(c);
	else
		lines_end(c->lines);
}

static int add_client(struct server *s, int in, int out, struct aisbx_error *e)
{
	struct rpc_how how = { .cwd = s->cwd,
			       .env = (const char *const *)environ,
			       .calls = s->calls,
			       .data = on_data,
			       .take_data = on_take_data,
			       .send = on_send,
			       .idle = on_idle };
	struct client *c = calloc(1, sizeof(*c));
	char owner[32];
	uint64_t number;
	int r;

	if (!c || getrandom(&number, sizeof(number), 0) != sizeof(number)) {
		free(c);
		close(in);
		if (out != in)
			close(out);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start serving a client");
	}
	snprintf(owner, sizeof(owner), "rpc-%016llx", (unsigned long long)number);
	how.owner = s->private ? owner : NULL;
	c->alive = box_session_hold(how.owner);
	how.ctx = c;
	c->server = s;
	r = lines_open(s->loop, in, out, &lines_events, c, &c->lines, e);
	if (r == 0 && (r = rpc_new(&how, &c->rpc, e)) < 0)
		lines_close(c->lines);
	if (r < 0) {
		close_fd(&c->alive);
		free(c);
		return r;
	}
	c->next = s->clients;
	if (c->next)
		c->next->prev = c;
	s->clients = c;
	s->n_clients++;
	return 0;
}

/* One line, for somebody who will not be listened to; whether it is heard is its own affair. */
static void turn_away(int fd, const char *why)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"%s\","
			 "\"data\":{\"kind\":\"limit\"}}}\n",
			 why);

	if (n > 0 && send(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
}

static bool may_connect(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}

static void on_connection(void *ctx, uint32_t events)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct server *s = ctx;
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
		watch_set(s->listener_watch, 0); /* it would be told again at once */
		timer_set(s->listen_again, 100);
	} else if (fd >= 0 && !may_connect(fd)) {
		close(fd);
	} else if (fd >= 0 && s->n_clients >= MAX_CLIENTS) {
		turn_away(fd, "this server has reached its limit of connections");
		close(fd);
	} else if (fd >= 0 && add_client(s, fd, fd, &e) < 0) {
		log_debug("%s", e.text);
	}
}

static void on_listen_again(void *ctx)
{
	struct server *s = ctx;

	if (s->listener_watch)
		watch_set(s->listener_watch, EPOLLIN);
}

/* The address by way of the directory's descriptor: paths may be longer than an address can hold. */
static int set_address(struct sockaddr_un *to, int dir, const char *name, struct aisbx_error *e)
{
	*to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (snprintf(to->sun_path, sizeof(to->sun_path), "/proc/self/fd/%d/%s", dir, name) >=
	    (int)sizeof(to->sun_path))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENAMETOOLONG,
				    "the socket path '%s' is too long; use a shorter one", name);
	return 0;
}

/* Whether somebody answers there; a socket that a killed server left is nobody. */
static int check_free(int dir, const char *name, const char *path, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un to;
	struct stat st;
	int r = set_address(&to, dir, name, e);

	if (r < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return r;
	if (!S_ISSOCK(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
				    "'%s' exists and is not a socket; give another path", path);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "make a socket");
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno == EAGAIN)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_USAGE, EADDRINUSE,
				    "another server is listening on '%s'; stop it, or give another path",
				    path);
	return 0;
}

/* Listens under a name of its own first: whoever finds the socket in its place can connect, and a left one is
 * replaced. */
static int listen_as(struct server *s, int dir, const char *name, const char *path, struct aisbx_error *e)
{
	struct sockaddr_un here;
	char mine[NAME_MAX + 1];
	unsigned long long random;
	mode_t mask;
	int r, bound;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "listen on '%s'", path);
	snprintf(mine, sizeof(mine), ".aisbx-%016llx",
		 random); /* others may write to the directory: a name nobody takes first */
	r = set_address(&here, dir, mine, e);
	if (r < 0)
		return r;
	unlinkat(dir, mine, 0);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177);
	bound = s->listener < 0 ? -1 : bind(s->listener, (struct sockaddr *)&here, sizeof(here));
	umask(mask);
	if (bound < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "listen on '%s'", path);
	if (listen(s->listener, BACKLOG) < 0 || renameat(dir, mine, dir, name) < 0) {
		r = aisbx_fail(e, AISBX_AREA_SYS, errno, "listen on '%s'", path);
		unlinkat(dir, mine, 0);
		return r;
	}
	return 0;
}

static int open_socket(struct server *s, const char *path, struct aisbx_error *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	scoped(drop_mem) char *parent =
		slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	int r;

	if (!parent || !*name || str_is_one_of(name, ".|.."))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is not a valid socket path", path);
	s->dir = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "open the directory '%s' for the socket",
				  parent);
	r = check_free(s->dir, name, path, e);
	if (r == 0)
		r = listen_as(s, s->dir, name, path, e);
	if (r == 0)
		r = fstatat(s->dir, name, &s->socket, AT_SYMLINK_NOFOLLOW) < 0
			    ? aisbx_fail(e, AISBX_AREA_SYS, errno, "inspect '%s'", path)
			    : 0;
	if (r == 0)
		r = timer_add(s->loop, on_listen_again, s, &s->listen_again, e);
	s->socket_name = name;
	return r < 0 ? r : watch_add(s->loop, s->listener, EPOLLIN, on_connection, s, &s->listener_watch, e);
}

/* Not when another server has taken the place meanwhile. */
static void close_socket(struct server *s)
{
	struct stat now;

	if (s->listener >= 0 && fstatat(s->dir, s->socket_name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
	    now.st_ino == s->socket.st_ino && now.st_dev == s->socket.st_dev)
		unlinkat(s->dir, s->socket_name, 0);
	watch_end(&s->listener_watch);
	timer_end(&s->listen_again);
}

/* Asked to end: calls are cancelled and answered first. Who asks again does not want to wait for that. */
static void on_signal(void *ctx, uint32_t events)
{
	struct server *s = ctx;
	struct signalfd_siginfo info;
	struct client *next;

	(void)events;
	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (s->stopping) {
		loop_stop(s->loop);
		return;
	}
	s->stopping = true;
	s->status = 128 + (int)info.ssi_signo;
	close_socket(s);
	for (struct client *c = s->clients; c; c = next) {
		next = c->next;
		rpc_end(c->rpc);
	}
	stop_when_empty(s);
}

static int begin(struct server *s, const json_t *args, struct aisbx_error *e)
{
	const char *path = json_string_value(json_object_get(args, "socket"));
	int in, out, r;

	s->private = json_is_true(json_object_get(args, "private"));
	if (!getcwd(s->cwd, sizeof(s->cwd)) || s->cwd[0] != '/')
		return aisbx_fail(e, AISBX_AREA_USAGE, errno ? errno : ENOENT, "find the current directory");
	r = loop_new(&s->loop, e);
	if (r == 0)
		r = calls_new(s->loop, RPC_RUNNING, true, &s->calls, e);
	if (r == 0)
		r = watch_add_end(s->loop, on_signal, s, &s->signals, &s->signals_watch, e);
	if (r < 0)
		return r;
	if (path)
		return open_socket(s, path, e);
	r = lines_take_stdio(&in, &out, e);
	return r < 0 ? r : add_client(s, in, out, e);
}

int rpc_main(const json_t *args)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct server s = { .listener = -1, .signals = -1, .dir = -1 };
	int r = begin(&s, args, &e);

	if (r == 0)
		r = loop_run(s.loop, &e);
	close_socket(&s);
	watch_end(&s.signals_watch);
	close_fd(&s.listener);
	close_fd(&s.signals);
	close_fd(&s.dir);
	data_door_close(s.data);
	call_finish();
	calls_destroy(s.calls);
	loop_destroy(s.loop);
	return r < 0 ? server_fail(&e) : s.status;
}
