/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-tls: ends the TLS of a box's connections to names whose requests must be read, judges each request,
 * puts secrets in place of placeholders, and goes on to the real host over TLS of its own. Started by the
 * broker of one box, with descriptor TLS_CONTROL_FD; one loop, no threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "base/time.h"
#include "net/tls/tls.h"

#define FAILED     1
#define MAX_EVENTS 128
#define TICK_MS    1000

static void more_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max < 4096 ? l.rlim_max : 4096;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* Roots, keys and contexts: all that needs files, or takes long. */
static int prepare(struct tls *t, struct aisbx_error *e)
{
	X509_STORE *roots;
	bool good;

	if (OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_LOAD_SSL_STRINGS, NULL) != 1)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO, "OpenSSL does not start");
	roots = ca_roots(t->config, e);
	if (!roots)
		return e->code;
	good = shake_contexts(t, roots);
	X509_STORE_free(roots);
	if (!good || !ca_init(&t->ca) ||
	    !ca_leaf(&t->ca, "first.invalid")) /* so that everything was used once */
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO,
				    "OpenSSL makes no certificate");
	t->poll = epoll_create1(EPOLL_CLOEXEC);
	return t->poll < 0 ? aisbx_fail(e, AISBX_AREA_RUN, errno, "create an epoll instance") : 0;
}

static int start(struct tls *t, struct aisbx_error *e)
{
	struct tls_message m = { .word = TLS_READY };
	struct buf pem = { 0 };

	if (control_setup(t, e) < 0 || prepare(t, e) < 0 || walls_build(e) < 0)
		return e->code;
	if (!ca_pem(&t->ca, &pem) || pem.len >= sizeof(m.text))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO,
				    "OpenSSL writes no certificate");
	memcpy(m.text, pem.data, pem.len + 1);
	buf_finish(&pem);
	control_say(t, &m);
	return 0;
}

/* Whatever is over goes; the rest waits for what it needs. True: one of them need not wait. */
static bool sweep(struct tls *t)
{
	uint64_t now = time_ms();
	bool again = false;
	struct conn *next;

	for (struct conn *c = t->conns; c; c = next) {
		next = c->next;
		if (c->again)
			conn_step(c);
		if (c->state != CONN_OVER)
			conn_arm(c);
		if (c->state == CONN_OVER || t->ending || now > c->deadline)
			conn_destroy(c);
		else
			again |= c->again;
	}
	return again;
}

static bool arm_control(const struct tls *t, int how)
{
	struct epoll_event ev = { .events = EPOLLIN | (t->queue ? EPOLLOUT : 0) };

	return epoll_ctl(t->poll, how, t->control, &ev) == 0;
}

static void serve(struct tls *t)
{
	struct epoll_event events[MAX_EVENTS];
	bool again = false;

	if (!arm_control(t, EPOLL_CTL_ADD))
		return;
	while (!t->ending) {
		int n = epoll_wait(t->poll, events, MAX_EVENTS, again ? 0 : TICK_MS);

		for (int i = 0; i < n; i++) {
			if (events[i].data.ptr)
				conn_step(events[i].data.ptr);
			else if (!control_flush(t) ||
				 ((events[i].events & ~(uint32_t)EPOLLOUT) && !control_hear(t)))
				return;
		}
		again = sweep(t);
		if (!arm_control(t, EPOLL_CTL_MOD))
			return;
	}
}

static void say_bye(struct tls *t)
{
	struct tls_message m = { .word = TLS_BYE };

	control_say(t, &m);
	fcntl(t->control, F_SETFL, 0);
	for (struct said *s; (s = t->queue); free(s)) {
		if (send(t->control, s->bytes, s->len, MSG_NOSIGNAL) < 0)
			_exit(FAILED);
		t->queue = s->next;
	}
}

int main(void)
{
	struct tls t = { .control = TLS_CONTROL_FD, .poll = -1 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	std_fds_hold();
	signal(SIGPIPE, SIG_IGN);
	more_files();
	t.queue_end = &t.queue;
	if (start(&t, &e) < 0) {
		struct tls_message m = { .word = TLS_FAILED, .error = e };

		fprintf(stderr, "aisbx-tls: %s\n", e.text);
		control_say(&t, &m);
		return FAILED;
	}
	serve(&t);
	if (t.ending)
		say_bye(&t);
	/* Keys and secrets go with the process; its memory cannot be dumped. */
	_exit(0);
}
