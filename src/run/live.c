/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of the socket by which processes of one user connect to the supervisor of a live box. */
#include "run/live.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "jail/wire.h"
#include "sys/sys.h"

void live_init(struct live *l)
{
	*l = (struct live){ .listeners = { -1, -1 },
			    .guests = { { .fd = -1 }, { .fd = -1 } },
			    .freezer = -1,
			    .pauser = -1,
			    .passed = -1 };
}

void live_finish(struct live *l)
{
	for (int i = 0; i < LIVE_SOCKETS; i++)
		close_fd(&l->guests[i].fd);
	close_fd(&l->freezer);
	close_fd(&l->pauser);
}

/*
 * A guest at a time: it says one thing, at once, and is served at once. Those of a box wait until there is
 * one, and while it is frozen: nothing new may move in it. Those of a run never wait; what cannot be done now
 * they are told.
 */
static bool is_open(const struct live *l, bool ready, int which)
{
	return which == LIVE_RUN || (ready && l->freezer < 0 && l->pauser < 0);
}

void live_poll(const struct live *l, bool ready, struct pollfd polls[LIVE_POLLS])
{
	for (int i = 0; i < LIVE_SOCKETS; i++) {
		int fd = l->guests[i].fd >= 0 ? l->guests[i].fd : l->listeners[i];

		polls[i] = (struct pollfd){ .fd = is_open(l, ready, i) ? fd : -1, .events = POLLIN };
	}
	polls[LIVE_SOCKETS] = (struct pollfd){ .fd = l->freezer, .events = POLLIN };
}

uint64_t live_due(const struct live *l, bool ready)
{
	uint64_t due = l->again_ms;

	for (int i = 0; i < LIVE_SOCKETS; i++)
		if (l->guests[i].fd >= 0 && is_open(l, ready, i) && (!due || l->guests[i].until < due))
			due = l->guests[i].until;
	return due;
}

static int check_peer(int fd, struct aisbx_error *e)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno,
				  "find out who is at the other end of the live box's socket");
	if (peer.uid != geteuid())
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
				    "the live box belongs to user %u, not to %u", (unsigned int)peer.uid,
				    (unsigned int)geteuid());
	return 0;
}

static void answer_with(int fd, const struct aisbx_error *e, int passed)
{
	struct live_message m = { .word = LIVE_ANSWER, .version = LIVE_VERSION, .error = *e };

	sys_send(fd, &m, sizeof(m), &passed, passed >= 0);
}

static void answer(int fd, const struct aisbx_error *e)
{
	answer_with(fd, e, -1);
}

static void say(int control, enum jail_word word)
{
	struct jail_message m = { .word = word };

	sys_send(control, &m, sizeof(m), NULL, 0);
}

/* Item I of a list of NUL-terminated texts; "" behind the last. */
static const char *item(const char *list, size_t len, size_t i)
{
	size_t at = 0;

	while (i-- && at < len)
		at += strlen(list + at) + 1;
	return at < len ? list + at : "";
}

/* Fewer walls than it asked for would be a betrayal, more of them a riddle: they must be the same. */
static int compare_walls(const struct live *l, const char *walls, size_t len, struct aisbx_error *e)
{
	size_t i = 0;

	if (!len || (len == l->walls_len && !memcmp(walls, l->walls, len)))
		return 0; /* none: who says so takes them as they are */
	while (!strcmp(item(walls, len, i), item(l->walls, l->walls_len, i)) && *item(walls, len, i))
		i++;
	return aisbx_refuse(
		e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
		"the box is in use by a run with '%.100s', this command has '%.100s': the walls of a live "
		"box cannot change; use the same options, wait for its end, or fork the box and use the fork",
		*item(l->walls, l->walls_len, i) ? item(l->walls, l->walls_len, i) : "nothing more",
		*item(walls, len, i) ? item(walls, len, i) : "nothing more");
}

static int let_in(struct live *l, const struct live_message *m, const char *walls, size_t len, const int *fds,
		  int control, struct aisbx_error *e)
{
	struct jail_message join = { .word = JAIL_JOIN,
				     .timeout_ms = m->timeout_ms,
				     .value = m->value == JAIL_JOIN_WATCHER ? JAIL_JOIN_WATCHER
									    : JAIL_JOIN_COMMAND };
	int r = l->closed
			? aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
				       "the box is in use by a WebAssembly program, and has room for nothing "
				       "else; wait for its end, or fork the box and use the fork")
		: l->paused ? aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
					   "the box is paused; 'aisbx resume' resumes it")
			    : compare_walls(l, walls, len, e);

	for (int i = 0; r == 0 && i < SYS_MAX_FDS; i++)
		if (i != JAIL_JOIN_FDS && (i < JAIL_JOIN_FDS) != (fds[i] >= 0))
			r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
					 "a command that joins brings %d descriptors", JAIL_JOIN_FDS);
	if (r == 0 && fds[JAIL_JOIN_FDS] >= 0) /* known here before it is in the box */
		r = known_secrets_add_all(l->known_secrets, fds[JAIL_JOIN_FDS], e);
	if (r == 0)
		r = known_secrets_share(l->known_secrets, &l->passed, e);
	if (r < 0)
		return r;
	r = sys_send(control, &join, sizeof(join), fds, JAIL_JOIN_FDS);
	if (r == -EPIPE || r == -ECONNRESET || control < 0)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ESTALE, "the live box ended");
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "connect to pid 1 of the live box");
	l->any = true;
	return 0;
}

/* A box that is paused is frozen already. */
static void freeze(struct live *l, int *guest, int control)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	l->freezer = take_fd(guest);
	if (l->paused && !l->again_ms) {
		answer(l->freezer, &e);
		return;
	}
	l->again_ms = 0;
	say(control, JAIL_FREEZE); /* answered by live_frozen */
}

static void pause_box(struct live *l, int *guest, int control, struct aisbx_error *e)
{
	if (l->paused) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EALREADY, "the run is paused already");
		return;
	}
	l->pauser = take_fd(guest);
	say(control, JAIL_FREEZE); /* answered by live_frozen */
}

static void resume_box(struct live *l, int control, struct aisbx_error *e)
{
	if (!l->paused) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EALREADY, "the run is not paused");
		return;
	}
	l->paused = false;
	l->again_ms = 0;
	say(control, JAIL_THAW);
}

/* What moves or holds a box needs one, that nobody else holds; who asks tries again. */
static int check_turn(const struct live *l, bool ready, struct aisbx_error *e)
{
	if (!l->walls)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
				    "the run joined the box of another run; give that run, or the box");
	if (!ready)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EAGAIN,
				    "the run is starting or ending");
	if (l->freezer >= 0 || l->pauser >= 0)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EAGAIN,
				    "a snapshot of the box is being taken");
	return 0;
}

/* About the box: true if M was. */
static bool serve_box(struct live *l, bool ready, int *guest, const struct live_message *m, const char *text,
		      size_t len, const int *fds, int control, struct aisbx_error *e)
{
	if (m->word != LIVE_JOIN && m->word != LIVE_FREEZE && m->word != LIVE_PAUSE && m->word != LIVE_RESUME)
		return false;
	if (check_turn(l, ready, e) < 0)
		return true;
	if (m->word == LIVE_JOIN)
		let_in(l, m, text, len, fds, control, e);
	else if (m->word == LIVE_FREEZE)
		freeze(l, guest, control);
	else if (m->word == LIVE_PAUSE)
		pause_box(l, guest, control, e);
	else
		resume_box(l, control, e);
	return true;
}

/* About the run: status, signals, input. */
static void serve_run(const struct live *l, int guest, const struct live_message *m, const char *text)
{
	static char room[sizeof(struct live_message) + LIVE_MAX_TEXT];
	struct live_message *said = (void *)room;
	struct live_reply reply = { .m = said, .fd = -1, .text = room + sizeof(*said) };
	size_t len = 0;

	*said = (struct live_message){ .word = LIVE_ANSWER, .version = LIVE_VERSION };
	reply.text[0] = '\0';
	if (m->word == LIVE_STATUS && l->about) {
		len = strnlen(l->about, LIVE_MAX_TEXT - 1);
		memcpy(reply.text, l->about, len);
		reply.text[len] = '\0';
	}
	if (l->attend)
		l->attend(l->attend_ctx, m, text, &reply);
	len = strnlen(reply.text, LIVE_MAX_TEXT);
	sys_send(guest, room, sizeof(*said) + len, &reply.fd, reply.fd >= 0);
}

static void serve(struct live *l, bool ready, int *guest, int control)
{
	static char room[sizeof(struct live_message) + LIVE_MAX_TEXT];
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct live_message *m = (const void *)room;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(*guest, room, sizeof(room), fds, MSG_DONTWAIT);
	size_t len = n > (ssize_t)sizeof(*m) ? (size_t)n - sizeof(*m) : 0;
	bool answered = n <= 0;

	if (n == -EAGAIN)
		return;
	if (n < (ssize_t)sizeof(*m) || m->version != LIVE_VERSION || (len && room[n - 1] != '\0')) {
		aisbx_refuse(&e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
			     "the live box was started by another version of aisbx");
	} else if (!serve_box(l, ready, guest, m, room + sizeof(*m), len, fds, control, &e)) {
		serve_run(l, *guest, m, len ? room + sizeof(*m) : "");
		answered = true;
	}
	if (*guest >= 0 && !answered)
		answer_with(*guest, &e, l->passed);
	l->passed = -1;
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	close_fd(guest);
}

static void welcome(struct live *l, int which)
{
	struct live_guest *g = &l->guests[which];
	struct aisbx_error e = AISBX_ERROR_INIT;

	g->fd = accept4(l->listeners[which], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (g->fd < 0)
		return;
	g->until = time_ms() + LIVE_PATIENCE_MS;
	if (check_peer(g->fd, &e) < 0)
		close_fd(&g->fd);
}

void live_turn(struct live *l, bool ready, const struct pollfd polls[LIVE_POLLS], int control)
{
	for (int i = 0; i < LIVE_SOCKETS; i++) {
		struct live_guest *g = &l->guests[i];

		if (polls[i].revents && g->fd < 0)
			welcome(l, i);
		if (g->fd >= 0 && is_open(l, ready, i)) /* mostly it has spoken by now */
			serve(l, ready, &g->fd, control);
		if (g->fd >= 0 && is_open(l, ready, i) && time_ms() >= g->until)
			close_fd(&g->fd);
	}
	if (l->freezer >= 0 && polls[LIVE_SOCKETS].fd == l->freezer &&
	    polls[LIVE_SOCKETS].revents) { /* it only ever hangs up */
		close_fd(&l->freezer);
		if (!l->paused)
			say(control, JAIL_THAW);
	}
	if (l->again_ms && l->freezer < 0 && time_ms() >= l->again_ms) {
		l->again_ms = 0;
		say(control, JAIL_FREEZE);
	}
}

void live_frozen(struct live *l, int error)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int *who = l->freezer >= 0 ? &l->freezer : &l->pauser;

	if (error == ETIME)
		aisbx_refuse(&e, AISBX_KIND_TIMEOUT, AISBX_AREA_BOX, ETIME,
			     "a command in the live box reached its deadline");
	else if (error)
		aisbx_fail(&e, AISBX_AREA_BOX, error, "stop the processes of the live box");
	if (*who >= 0)
		answer(*who, &e);
	if (l->paused && error) /* it had to move for a deadline; the others did not ask for it */
		l->again_ms = time_ms() + LIVE_AGAIN_MS;
	if (l->pauser >= 0)
		l->paused = !error;
	close_fd(&l->pauser);
	if (error)
		close_fd(&l->freezer);
}

int live_send(int fd, const struct live_question *q, struct aisbx_error *e)
{
	scoped(drop_mem) char *room = malloc(sizeof(*q->m) + q->text_len);
	int r = check_peer(fd, e);

	if (r < 0)
		return r;
	if (!room || q->text_len > LIVE_MAX_TEXT)
		return aisbx_fail(e, AISBX_AREA_RUN, room ? E2BIG : ENOMEM,
				  "describe the walls of a command that joins a box");
	memcpy(room, q->m, sizeof(*q->m));
	if (q->text_len)
		memcpy(room + sizeof(*q->m), q->text, q->text_len);
	r = sys_send(fd, room, sizeof(*q->m) + q->text_len, q->fds, q->n_fds);
	if (r == -EPIPE || r == -ECONNRESET)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ESTALE, "the live box ended");
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "connect to the supervisor of the live box") : 0;
}

static int check_answer(const char *room, ssize_t n, struct aisbx_error *e)
{
	const struct live_message *got = (const void *)room;

	if (n == 0 || n == -ECONNRESET)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ESTALE, "the live box ended");
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, (int)-n,
				  "receive a message from the supervisor of the live box");
	if (n < (ssize_t)sizeof(*got) || got->word != LIVE_ANSWER || got->version != LIVE_VERSION)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				    "the live box was started by another version of aisbx");
	if (got->error.code >= 0)
		return 0;
	*e = got->error;
	e->text[sizeof(e->text) - 1] = '\0';
	return e->code;
}

int live_hear(int fd, int patience_ms, struct live_message *ret, char **ret_text, int *ret_fd,
	      struct aisbx_error *e)
{
	size_t cap = sizeof(*ret) + LIVE_MAX_TEXT;
	scoped(drop_mem) char *room = malloc(cap + 1);
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int fds[SYS_MAX_FDS];
	ssize_t n;
	int r;

	if (!room)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM,
				  "receive a message from the supervisor of the live box");
	if (poll(&wait, 1, patience_ms) == 0)
		return aisbx_refuse(e, AISBX_KIND_TIMEOUT, AISBX_AREA_BOX, ETIMEDOUT,
				    "the supervisor of the live box does not answer; is it stopped? 'fg' or "
				    "SIGCONT resumes it");
	n = sys_recv(fd, room, cap, fds, 0);
	r = check_answer(room, n, e);
	if (r == 0 && ret_text) {
		room[n] = '\0';
		*ret_text = strdup(room + sizeof(*ret));
		r = *ret_text ? 0
			      : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM,
					   "receive a message from the supervisor of the live box");
	}
	if (r == 0) {
		memcpy(ret, room, sizeof(*ret));
		if (ret_fd)
			*ret_fd = take_fd(&fds[0]);
	}
	for (int i = 0; n >= 0 && i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	return r;
}

int live_ask(int fd, const struct live_question *q, struct live_message *ret, char **ret_text, int *ret_fd,
	     struct aisbx_error *e)
{
	int r = live_send(fd, q, e);

	return r < 0 ? r : live_hear(fd, q->patience_ms, ret, ret_text, ret_fd, e);
}
