/* SPDX-License-Identifier: Apache-2.0 */
/* How a run starts: signals, pipes, and the jail started with its request. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "base/time.h"
#include "run/internal.h"
#include "run/refusals.h"
#include "sys/sys.h"

static int block_signals(struct run *r, struct aisbx_error *e)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCHLD };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		sigaddset(&set, ours[i]);
	sigaddset(&set, DECOY_SIGNAL);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	sigaction(SIGPIPE, &ignore, &r->old_pipe);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signals < 0 ? aisbx_fail(e, AISBX_AREA_RUN, errno, "watch for signals") : 0;
}

void run_connect_output(struct run *r, int which, int from)
{
	const struct run_io *io = &r->spec->io;
	struct stream *s = &r->streams[which];

	stream_init(s, from, io->out_fds[which - 1], &r->out.output[which - 1],
		    r->spec->limits.held[LIMIT_OUTPUT]);
	s->known_secrets = &r->known_secrets;
	s->keeps_last = true;
	s->no_splice = which == ERR; /* what a command that fails says is looked at */
	s->log = io->log;
	s->which = which == OUT ? RUNLOG_STDOUT : RUNLOG_STDERR;
	s->output_listener = io->output_listener;
	s->output_listener_ctx = io->output_listener_ctx;
}

int run_open_pipes(struct run *r, const struct jail_plan_order *order, int child[3], struct aisbx_error *e)
{
	const struct run_io *io = &r->spec->io;
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "open /dev/null");
	for (int i = 0; i < 3; i++) {
		int fds[2], err;

		child[i] = null_fd;
		if (io->tty || (i == IN && io->stdin_fd < 0 && !io->keep_input)) {
			child[i] = fcntl(null_fd, F_DUPFD_CLOEXEC, 3);
			continue;
		}
		if (io->direct && i < ERR) {
			child[i] = fcntl(i == IN ? io->stdin_fd : io->out_fds[0], F_DUPFD_CLOEXEC, 3);
			continue;
		}
		err = sys_pipe(fds);
		if (err < 0) {
			close(null_fd);
			child[i] = -1;
			return aisbx_fail(e, AISBX_AREA_RUN, -err, "create a pipe");
		}
		/* Else a shifted root could not open /dev/stdout: to it the pipe would be somebody else's. */
		if (order->flags & JAIL_PLAN_SHIFT &&
		    fchown(fds[0], order->uid_host + order->uid, order->gid_host + order->gid) < 0)
			log_debug("give a pipe to the box: %s", strerror(errno));
		child[i] = fds[i == IN ? 0 : 1];
		if (i == IN && io->stdin_fd < 0) {
			r->feed = fds[1];
		} else if (i == IN) {
			stream_init(&r->streams[IN], fcntl(io->stdin_fd, F_DUPFD_CLOEXEC, 3), fds[1], NULL,
				    UINT64_MAX);
			r->streams[IN].close_to = true;
			if (lseek(io->stdin_fd, 0, SEEK_CUR) >= 0)
				r->input = fcntl(fds[0], F_DUPFD_CLOEXEC, 3);
		} else {
			run_connect_output(r, i, fds[0]);
		}
	}
	close(null_fd);
	return 0;
}

/* A runtime needs more than some commands may have; when it is gone the limits are set again. */
static void make_room(uint64_t limits[LIMIT_COUNT])
{
	static const uint64_t least[LIMIT_COUNT] = {
		[LIMIT_MEMORY] = 256u << 20, [LIMIT_PROCESSES] = 256, [LIMIT_CPU] = 1000
	};

	for (enum limit l = 0; l < LIMIT_COUNT; l++)
		if (limits[l] && limits[l] < least[l])
			limits[l] = least[l];
}

/* The jail is being loaded meanwhile. It waits for this word, so groups are ready before the box is born. */
static int give_order(struct run *r, const struct jail_plan_order *order, struct aisbx_error *e)
{
	struct jail_message m = { .word = JAIL_ORDER, .order = *order };
	int doors[CGROUP_TREES], err;
	uint64_t limits[LIMIT_COUNT];
	bool by_clone;
	size_t n;

	memcpy(limits, r->spec->limits.held, sizeof(limits));
	if (r->spec->jail.runtime)
		make_room(limits);
	err = cgroup_make(&r->watch.group, limits, e);
	if (err < 0)
		return err;
	n = cgroup_entries(&r->watch.group, doors, &by_clone);
	m.value = by_clone;
	err = sys_send(r->control, &m, sizeof(m), doors, n);
	/* One that is gone already has said why, and the loop will hear it. */
	return err < 0 && err != -EPIPE && err != -ECONNRESET
		       ? aisbx_fail(e, AISBX_AREA_RUN, -err, "write the request for the jail")
		       : 0;
}

static int start(struct run *r, const struct jail_plan_order *order, struct aisbx_error *e)
{
	static const char *const argv[] = { "aisbx-jail", NULL };
	const char *env[2] = { NULL, NULL };
	int child[3] = { -1, -1, -1 }, pair[2], err;
	struct spawn s = { .exec_fd = r->spec->jail.fd, .argv = argv, .env = env, .n_fds = 4 };

#ifdef AISBX_FAULT_BUILD
	scoped(drop_mem) char *fault = NULL;

	if (getenv("AISBX_FAULT") && asprintf(&fault, "AISBX_FAULT=%s", getenv("AISBX_FAULT")) > 0)
		env[0] = fault;
#endif
	err = sys_socketpair(SOCK_SEQPACKET, pair);
	if (err < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -err, "create the control socket");
	r->control = pair[0];
	err = run_open_pipes(r, order, child, e);
	if (err == 0) {
		s.fds[0] = child[0];
		s.fds[1] = child[1];
		s.fds[2] = child[2];
		s.fds[JAIL_CONTROL_FD] = pair[1];
		err = spawn_start(&s, &r->jail, e);
	}
	for (int i = 0; i < 3; i++)
		drop_fd(&child[i]);
	close(pair[1]);
	return err < 0 ? err : give_order(r, order, e);
}

void run_start_clock(struct run *r)
{
	const uint64_t *limits = r->spec->limits.held;

	r->started_us = time_us();
	r->deadline_ms = limits[limit_of_time(limits)] ? time_ms() + limits[limit_of_time(limits)] : 0;
}

void run_show(struct run *r)
{
	if (!r->spec->io.shown)
		return;
	r->live.listeners[LIVE_RUN] = r->spec->io.listener;
	r->live.about = r->spec->io.about;
	r->live.attend = run_control;
	r->live.attend_ctx = r;
}

int run_prepare(const struct run_spec *spec, struct run **ret_run, struct aisbx_error *e)
{
	const uint64_t *limits = spec->limits.held;
	struct run *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start a run");
	r->spec = spec;
	r->known_secrets = (struct known_secrets)KNOWN_SECRETS_INIT;
	r->namespaces[0] = r->namespaces[1] = -1;
	r->control = r->signals = r->notify = r->input = r->feed = r->tty = -1;
	run_start_clock(r);
	r->out.limit = LIMIT_COUNT;
	watch_init(&r->watch, limits, spec->limits.disk);
	for (int i = 0; i < STREAMS; i++)
		stream_init(&r->streams[i], -1, -1, NULL, 0);
	terminal_init(&r->terminal);
	network_init(&r->network);
	live_init(&r->live);
	run_show(r);
	err = services_init(&r->services, spec->jail.services, spec->jail.n_services, e);
	if (spec->io.log)
		r->services.log_dir = spec->io.log_dir;
	r->services.log_bytes = limits[LIMIT_OUTPUT];
	r->services.known_secrets = &r->known_secrets;
	r->live.known_secrets = &r->known_secrets;
	if (err == 0)
		err = known_secrets_add(&r->known_secrets, spec->secrets.items, spec->secrets.n, e);
	if (err == 0)
		err = block_signals(r, e);
	if (err < 0) {
		run_destroy(r);
		return err;
	}
	*ret_run = r;
	return 0;
}

int run_begin(const struct run_spec *spec, const struct jail_plan_order *order, struct run **ret_run,
	      struct aisbx_error *e)
{
	struct run *r;
	int err = run_prepare(spec, &r, e);

	if (err < 0)
		return err;
	r->live.listeners[LIVE_BOX] = spec->jail.walls && spec->io.live ? spec->io.live_fd : -1;
	r->live.walls = spec->jail.walls;
	r->live.walls_len = spec->jail.walls_len;
	r->live.closed = spec->jail.wasm != NULL;
	r->order = *order;
	err = start(r, order, e);
	if (err == 0 && run_has_network(r))
		err = network_spawn(&r->network, e); /* it loads while the walls are built */
	if (err == 0 && run_has_network(r))
		err = network_begin_tls(&r->network, &spec->net, e);
	if (err == 0 && run_has_network(r) && run_wants_agent(spec))
		err = agents_begin(&r->network.agents, order, e);
	if (err < 0) {
		run_abandon(r);
		return err;
	}
	*ret_run = r;
	return 0;
}
