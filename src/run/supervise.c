/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's loop: control socket, streams, signals, violations and the deadline in one poll. */
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "base/time.h"
#include "jail/plan.h"
#include "jail/wire.h"
#include "run/stream.h"
#include "run/terminal.h"
#include "run/trip.h"
#include "sys/sys.h"

enum { IN, OUT, ERR, STREAMS };

struct run {
	const struct run_request *req;
	struct run_outcome out;
	struct stream streams[STREAMS];
	struct terminal terminal;
	int control, signals, notify;
	int input; /* read end of the command's input, where what it leaves there can be given back */
	int decoys[PLAN_MAX_WATCHED];
	unsigned int n_decoys;
	pid_t jail, init; /* 0: not there or reaped */
	bool ready;	  /* the walls are up */
	bool ended;	  /* the outcome is known */
	uint64_t started_us, deadline_ms;
	char step[16];
	struct aisbx_error error;
	sigset_t old_mask;
	struct sigaction old_pipe;
};

void run_outcome_finish(struct run_outcome *o)
{
	buf_finish(&o->output[0]);
	buf_finish(&o->output[1]);
}

static void kill_box(struct run *r)
{
	if (r->init)
		kill(r->init, SIGKILL); /* our child, not reaped: the pid is still its own */
}

static void end(struct run *r, enum run_end how, int status)
{
	if (r->ended)
		return;
	r->ended = true;
	r->out.end = how;
	r->out.status = status;
}

static int say(const struct run *r, enum jail_word word, int value)
{
	struct jail_message m = { .word = word, .value = value };

	return sys_send(r->control, &m, sizeof(m), NULL, 0);
}

static void box_ready(struct run *r, const struct jail_message *m, int *fds)
{
	int next = 0, err;

	r->ready = true;
	r->out.walls = m->walls;
	r->out.caps = m->caps;
	if (m->fds & JAIL_FD_NOTIFY)
		r->notify = take_fd(&fds[next++]);
	if (m->fds & JAIL_FD_TTY) {
		int master = take_fd(&fds[next++]);
		int copy = fcntl(master, F_DUPFD_CLOEXEC, 3);

		terminal_attach(&r->terminal, r->req->stdin_fd, master);
		stream_init(&r->streams[IN], fcntl(r->req->stdin_fd, F_DUPFD_CLOEXEC, 3), master, NULL, UINT64_MAX);
		stream_init(&r->streams[OUT], copy, r->req->out_fds[0], &r->out.output[0], r->req->output_bytes);
	}
	for (; r->n_decoys < m->decoys && r->n_decoys < PLAN_MAX_WATCHED; r->n_decoys++) {
		r->decoys[r->n_decoys] = take_fd(&fds[next++]);
		trip_guard_decoy(r->decoys[r->n_decoys]);
	}
	err = say(r, JAIL_GO, 0);
	if (err < 0 && err != -EPIPE && err != -ECONNRESET) { /* it would wait for ever, and we for it */
		aisbx_fail(&r->error, AISBX_AREA_RUN, -err, "let the command start");
		snprintf(r->step, sizeof(r->step), "go");
		kill_box(r);
	}
}

static void on_control(struct run *r)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(r->control, &m, sizeof(m), fds, MSG_DONTWAIT);

	/* A jail that dies with our words unread resets the connection; its own last words come after that. */
	if (n == -EAGAIN || n == -ECONNRESET)
		return;
	if (n != sizeof(m)) { /* both ends of the jail are gone, or it speaks nonsense */
		close_fd(&r->control);
		return;
	}
	switch ((enum jail_word)m.word) {
	case JAIL_BORN:
		r->init = m.value;
		if (r->ended) /* its end was decided before it was born */
			kill_box(r);
		break;
	case JAIL_FAILED:
		memcpy(r->step, m.step, sizeof(r->step));
		r->step[sizeof(r->step) - 1] = '\0';
		r->error = m.error;
		r->error.text[sizeof(r->error.text) - 1] = '\0';
		kill_box(r);
		break;
	case JAIL_READY:
		box_ready(r, &m, fds);
		break;
	case JAIL_EXEC_FAILED:
		end(r, RUN_EXEC_FAILED, m.value);
		break;
	case JAIL_STOPPED:
		terminal_suspend(&r->terminal);
		raise(SIGSTOP);
		terminal_resume(&r->terminal);
		say(r, JAIL_SIGNAL, SIGCONT);
		break;
	case JAIL_EXITED:
		r->out.disk = m.disk;
		end(r, RUN_EXITED, m.value);
		break;
	case JAIL_ORDER:
	case JAIL_PLAN:
	case JAIL_GO:
	case JAIL_SIGNAL:
	case JAIL_SIGNAL_ALL:
		break; /* our own words */
	}
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
}

static void reap(struct run *r)
{
	struct rusage usage;
	int status;

	if (r->jail && wait4(r->jail, &status, WNOHANG, NULL) == r->jail)
		r->jail = 0;
	if (r->init && wait4(r->init, &status, WNOHANG, &usage) == r->init) {
		r->init = 0;
		r->out.cpu_us = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
				(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
		r->out.mem_peak = (uint64_t)usage.ru_maxrss * 1024u;
	}
}

/* Job control without a terminal of the box's own: stop everybody inside, then ourselves. */
static void suspend(const struct run *r)
{
	say(r, JAIL_SIGNAL_ALL, SIGSTOP);
	raise(SIGSTOP);
	say(r, JAIL_SIGNAL_ALL, SIGCONT);
}

static void on_signal(struct run *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		int sig = (int)info.ssi_signo;

		if (sig == SIGCHLD)
			continue;
		if (sig == TRIP_SIGNAL) {
			trip_decoy_opened(r->decoys, r->n_decoys, info.ssi_fd, &r->out);
			continue;
		}
		if (sig == SIGWINCH) {
			terminal_resize(&r->terminal);
		} else if (sig == SIGTSTP) {
			suspend(r);
		} else if (r->out.interrupted_by && r->ready) {
			end(r, RUN_INTERRUPTED, sig); /* asked twice: no more patience */
			kill_box(r);
		} else {
			r->out.interrupted_by = sig;
			if (r->ready) {
				say(r, JAIL_SIGNAL, sig);
			} else {
				end(r, RUN_INTERRUPTED, sig);
				kill_box(r);
			}
		}
	}
}

static int block_signals(struct run *r, struct aisbx_error *e)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCHLD };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		sigaddset(&set, ours[i]);
	sigaddset(&set, TRIP_SIGNAL);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	sigaction(SIGPIPE, &ignore, &r->old_pipe);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signals < 0 ? aisbx_fail(e, AISBX_AREA_RUN, errno, "watch for signals") : 0;
}

/* Pipes for the three standard streams; the jail's ends are returned in CHILD. */
static int open_pipes(struct run *r, const struct plan_order *order, int child[3], struct aisbx_error *e)
{
	const struct run_request *req = r->req;
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "open /dev/null");
	for (int i = 0; i < 3; i++) {
		int fds[2], err;

		child[i] = null_fd;
		if (req->tty || (i == IN && req->stdin_fd < 0)) {
			child[i] = fcntl(null_fd, F_DUPFD_CLOEXEC, 3);
			continue;
		}
		err = sys_pipe(fds);
		if (err < 0) {
			close(null_fd);
			child[i] = -1;
			return aisbx_fail(e, AISBX_AREA_RUN, -err, "create a pipe");
		}
		/* Else a shifted root could not open /dev/stdout: to it the pipe would be somebody else's. */
		if (order->flags & PLAN_SHIFT && fchown(fds[0], order->uid_host + order->uid, order->gid_host + order->gid) < 0)
			log_debug("give a pipe to the box: %s", strerror(errno));
		child[i] = fds[i == IN ? 0 : 1];
		if (i == IN) {
			stream_init(&r->streams[IN], fcntl(req->stdin_fd, F_DUPFD_CLOEXEC, 3), fds[1], NULL, UINT64_MAX);
			r->streams[IN].close_to = true;
			if (lseek(req->stdin_fd, 0, SEEK_CUR) >= 0)
				r->input = fcntl(fds[0], F_DUPFD_CLOEXEC, 3);
		} else {
			stream_init(&r->streams[i], fds[0], req->out_fds[i - 1], &r->out.output[i - 1],
				    req->output_bytes);
		}
	}
	close(null_fd);
	return 0;
}

static int start(struct run *r, const struct plan_order *order, struct aisbx_error *e)
{
	struct jail_message m = { .word = JAIL_ORDER, .order = *order };
	static const char *const argv[] = { "aisbx-jail", NULL };
	const char *env[2] = { NULL, NULL };
	int child[3] = { -1, -1, -1 }, pair[2], err;
	struct spawn s = { .exec_fd = r->req->jail_fd, .argv = argv, .env = env, .n_fds = 4 };

#ifdef AISBX_FAULT_BUILD
	scoped(drop_mem) char *fault = NULL;

	if (getenv("AISBX_FAULT") && asprintf(&fault, "AISBX_FAULT=%s", getenv("AISBX_FAULT")) > 0)
		env[0] = fault;
#endif
	err = sys_socketpair(SOCK_SEQPACKET, pair);
	if (err < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -err, "create the control socket");
	r->control = pair[0];
	err = open_pipes(r, order, child, e);
	if (err == 0) {
		s.fds[0] = child[0];
		s.fds[1] = child[1];
		s.fds[2] = child[2];
		s.fds[JAIL_CONTROL_FD] = pair[1];
		err = sys_send(r->control, &m, sizeof(m), NULL, 0);
		if (err < 0)
			aisbx_fail(e, AISBX_AREA_RUN, -err, "order the jail");
	}
	if (err == 0)
		err = spawn_start(&s, &r->jail, e);
	for (int i = 0; i < 3; i++)
		drop_fd(&child[i]);
	close(pair[1]);
	return err;
}

static bool outputs_done(const struct run *r)
{
	return stream_done(&r->streams[OUT]) && stream_done(&r->streams[ERR]);
}

static int wait_ms(const struct run *r)
{
	uint64_t now;

	if (!r->deadline_ms || r->ended)
		return -1;
	now = time_ms();
	return now >= r->deadline_ms ? 0 : (int)(r->deadline_ms - now < 1000000 ? r->deadline_ms - now : 1000000);
}

static void turn(struct run *r)
{
	struct pollfd p[3 + STREAMS] = {
		{ .fd = r->control, .events = POLLIN },
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->notify, .events = POLLIN },
	};

	for (int i = 0; i < STREAMS; i++)
		p[3 + i] = stream_poll(&r->streams[i]);
	if (poll(p, 3 + STREAMS, wait_ms(r)) < 0)
		return;
	if (p[2].revents & POLLIN)
		trip_answer(&r->notify, &r->out);
	else if (p[2].revents) /* nobody is left under the filter; the hang-up would wake us until the reaping */
		close_fd(&r->notify);
	for (int i = 0; i < STREAMS; i++)
		if (p[3 + i].revents)
			stream_move(&r->streams[i]);
	if (p[1].revents)
		on_signal(r);
	if (p[0].revents)
		on_control(r);
	if (r->deadline_ms && !r->ended && time_ms() >= r->deadline_ms) {
		end(r, RUN_DEADLINE, 0);
		kill_box(r);
	}
}

/* Input the command did not read goes back, so that `while read l; do aisbx run ...; done <file` works. */
static void return_input(const struct run *r)
{
	const struct stream *in = &r->streams[IN];
	int unread = 0;

	if (r->input < 0)
		return;
	ioctl(r->input, FIONREAD, &unread);
	unread += (int)(in->len - in->at);
	if (unread > 0)
		lseek(r->req->stdin_fd, -unread, SEEK_CUR);
}

static void stop_input(struct run *r)
{
	struct stream *in = &r->streams[IN];

	return_input(r);
	close_fd(&r->input);
	stream_finish(in);
	in->at = in->len = 0;
}

static void loop(struct run *r)
{
	/* Until the jail's two processes are reaped and its output is read to the end. */
	while (r->jail || r->init || r->control >= 0 || !outputs_done(r)) {
		turn(r);
		reap(r);
		if (r->ended && !r->init && !stream_done(&r->streams[IN])) /* nobody is left to read it */
			stop_input(r);
	}
	stop_input(r);
}

/* What the caller named is not there or not a place for it; no doctor helps. */
static bool is_about_a_path(int code)
{
	return code == -EROFS || code == -ELOOP || code == -ENOENT || code == -ENOTDIR;
}

static int conclude(struct run *r, struct aisbx_error *e)
{
	if (r->error.code && !r->ended) { /* an end of our own making explains what fails after it */
		*e = r->error;
		aisbx_context(e, "wall '%s'", r->step);
		return strstr(e->text, "'aisbx doctor'") || is_about_a_path(e->code)
			       ? e->code
			       : aisbx_hint(e, "'aisbx doctor' shows what is missing and how to get it");
	}
	if (!r->ended && !r->ready)
		return aisbx_refuse(e, AISBX_AREA_JAIL, EPROTO, "aisbx-jail ended before the walls were up");
	end(r, RUN_INTERRUPTED, SIGKILL); /* pid 1 of the box was killed from outside */
	r->out.started = r->ready;
	r->out.dropped[0] = r->streams[OUT].dropped;
	r->out.dropped[1] = r->streams[ERR].dropped;
	return 0;
}

static void run_destroy(struct run *r)
{
	terminal_restore(&r->terminal);
	for (int i = 0; i < STREAMS; i++)
		stream_finish(&r->streams[i]);
	for (unsigned int i = 0; i < r->n_decoys; i++)
		close_fd(&r->decoys[i]);
	close_fd(&r->control);
	close_fd(&r->notify);
	if (r->signals >= 0) {
		close_fd(&r->signals);
		sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
		sigaction(SIGPIPE, &r->old_pipe, NULL);
	}
	run_outcome_finish(&r->out);
	free(r);
}

int run_begin(const struct run_request *req, const struct plan_order *order, struct run **ret_run,
	      struct aisbx_error *e)
{
	struct run *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start a run");
	r->req = req;
	r->control = r->signals = r->notify = r->input = -1;
	r->started_us = time_us();
	if (req->timeout_ms)
		r->deadline_ms = time_ms() + req->timeout_ms;
	for (int i = 0; i < STREAMS; i++)
		stream_init(&r->streams[i], -1, -1, NULL, 0);
	terminal_init(&r->terminal);
	err = block_signals(r, e);
	if (err == 0)
		err = start(r, order, e);
	if (err < 0) {
		run_destroy(r);
		return err;
	}
	*ret_run = r;
	return 0;
}

void run_abandon(struct run *r)
{
	shutdown(r->control, SHUT_WR); /* the jail waits for a plan, and goes when none can come */
	loop(r);
	run_destroy(r);
}

int run_supervise(struct run *r, int plan_fd, struct run_outcome *ret_outcome, struct aisbx_error *e)
{
	struct jail_message m = { .word = JAIL_PLAN };
	int err;

	err = sys_send(r->control, &m, sizeof(m), &plan_fd, 1);
	if (err < 0 && err != -EPIPE && err != -ECONNRESET) { /* else: it is gone, and the loop will hear why */
		run_abandon(r);
		return aisbx_fail(e, AISBX_AREA_RUN, -err, "hand the plan to the jail");
	}
	loop(r);
	err = conclude(r, e);
	if (err == 0) {
		r->out.wall_us = time_us() - r->started_us;
		*ret_outcome = r->out;
		r->out = (struct run_outcome){ 0 };
		log_debug("run ended: end %d status %d after %llu us", (int)ret_outcome->end, ret_outcome->status,
			  (unsigned long long)ret_outcome->wall_us);
	}
	run_destroy(r);
	return err;
}
