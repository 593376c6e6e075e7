/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run that its caller does not wait for. Its supervisor is a process in a session of its own that shares
 * nothing with the caller: no terminal, no descriptor, no directory; so neither blocks the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/run_names.h"
#include "box/running.h"
#include "run/ready_box.h"

/* Where the child's descriptors lie. */
enum { REPORT_FD = 3, LISTENER_FD, FIRST_FREE_FD };

/* How deep the start may have gone below where the waiting goes on; the kernel keeps far more free there. */
#define STACK_USED  131072
#define STACK_SPARE 8192

static void new_trace_id(char ret[33])
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		memset(bytes, 0, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
}

int running_begin(const struct caller *by, struct running *how, struct run_spec *spec, bool needed,
		  struct aisbx_error *e)
{
	struct aisbx_error why = AISBX_ERROR_INIT;
	int r;

	if (by->ready) /* the box knows it */
		snprintf(spec->run_id, sizeof(spec->run_id), "%s", by->ready->run_id);
	else
		box_new_id("r-", spec->run_id);
	if (by->trace_id)
		snprintf(how->trace_id, sizeof(how->trace_id), "%s", by->trace_id);
	else
		new_trace_id(how->trace_id);
	/* What is only made ahead is nobody's run yet. */
	r = by->ready && by->ready->make ? 0 : box_presence_enter(spec->run_id, &how->presence, &why);
	if (r < 0 && needed) {
		*e = why;
		return r;
	}
	how->by = by;
	how->caller = turn_caller();
	how->run_id = spec->run_id;
	return 0;
}

void running_finish(struct running *how)
{
	box_presence_leave(&how->presence);
	run_record_finish(&how->record);
}

/* What the parent hears: that the walls are up, or why not; then, where it WAITS for that, that the command
 * has started. */
struct parent {
	int fd; /* owned */
	bool waits, up;
};

static int say(const struct parent *p, const struct aisbx_error *what)
{
	ssize_t n;

	do
		n = write(p->fd, what, sizeof(*what));
	while (n < 0 && errno == EINTR);
	return n == sizeof(*what) ? 0 : -1;
}

/* The last that it hears: of a run that has not got so far what became of it. */
static void say_end(struct parent *p, const struct aisbx_error *what)
{
	if (p->fd >= 0 && !p->up)
		say(p, what);
	close_fd(&p->fd);
}

/* From here on it may sit idle for hours, with a thousand others: what the start took is not
 * needed any more. */
static void give_back_memory(void)
{
	char here;
	uintptr_t below = ((uintptr_t)&here - STACK_SPARE) & ~(uintptr_t)(STACK_SPARE - 1);

	malloc_trim(0);
	madvise((void *)(below - STACK_USED), STACK_USED,
		MADV_DONTNEED); /* of the stack what nobody stands on */
}

static int walls_are_up(void *ctx, struct aisbx_error *e)
{
	const struct aisbx_error well = AISBX_ERROR_INIT;
	struct parent *p = ctx;

	p->up = true;
	if (say(p, &well) < 0) /* a run whose id nobody knows is not wanted */
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, EPIPE,
				    "the process that started the run has ended");
	if (!p->waits)
		close_fd(&p->fd);
	give_back_memory();
	return 0;
}

static void has_started(void *ctx)
{
	const struct aisbx_error well = AISBX_ERROR_INIT;
	struct parent *p = ctx;

	if (p->fd >= 0)
		say(p, &well); /* who has gone meanwhile knows its id */
	close_fd(&p->fd);
}

static int move(int *fd, int to)
{
	int got = *fd == to ? to : dup2(*fd, to);

	if (got >= 0)
		fcntl(to, F_SETFD, FD_CLOEXEC);
	*fd = to;
	return got;
}

/* Who reads the caller's output to its end must not wait for us, nor a file system for our directory. */
static int leave_caller(int *report_fd, int *listener)
{
	int null_fd;

	signal(SIGPIPE, SIG_IGN);
	setsid();
	/* First out of the way: either may lie where the other belongs. */
	*report_fd = fcntl(*report_fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	*listener = fcntl(*listener, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	if (*report_fd < 0 || *listener < 0 || move(report_fd, REPORT_FD) < 0 ||
	    move(listener, LISTENER_FD) < 0)
		return -errno;
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd < 3; fd++)
		if (null_fd < 0 || dup2(null_fd, fd) < 0)
			return -errno;
	if (syscall(SYS_close_range, (unsigned int)FIRST_FREE_FD, ~0U, 0) < 0)
		return -errno;
	listen(LISTENER_FD, 64); /* again: who asks who listens is to hear of us, not of our parent */
	return chdir("/") < 0 ? -errno : 0;
}

/* It ended before its command was started, and not by a limit: whoever waits to hear that it was hears why it
 * was not. */
static int tell_early_end(const struct run_report *report, struct aisbx_error *e)
{
	const char *why = report->error;

	return why ? aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, ECHILD, "%s", why) : 0;
}

static int supervise(struct run_spec *spec, struct running *how, struct parent *p, struct aisbx_error *e)
{
	struct caller nobody = { .stdin_fd = -1, .out_fds = { -1, -1 }, .cwd = "/" };
	scoped(drop_mem) char *about = box_spec_about(spec, how->trace_id, true);
	scoped(drop_fd) int dir = -1;
	struct runlog log = { .fd = -1 };
	scoped(run_report_finish) struct run_report ended = { 0 };
	int r;

	r = about ? box_run_keep(spec->run_id, about, &dir, e)
		  : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "describe the run");
	if (r < 0)
		return r;
	r = runlog_create(dir, BOX_RUN_LOG, &log, e);
	spec->io.log_dir = dir;
	spec->io.about = about;
	spec->io.log = &log;
	spec->hooks.up = walls_are_up;
	spec->hooks.started = has_started;
	spec->hooks.up_ctx = spec->hooks.started_ctx = p;
	spec->io.stdin_fd = spec->io.out_fds[0] = spec->io.out_fds[1] = -1;
	if (r == 0)
		r = run_here(&nobody, spec, how, &ended, e);
	if (r == 0 && !p->up)
		r = tell_early_end(&ended, e);
	close_fd(&log.fd);
	if (r < 0) { /* no command was started, and the caller may be gone */
		box_run_forget(spec->run_id);
		run_name_drop(spec->run_name, spec->run_id);
	}
	return r;
}

static _Noreturn void be_supervisor(struct run_spec *spec, struct running *how, int report_fd)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = leave_caller(&report_fd, &how->presence.listener);
	struct parent p = { .fd = report_fd, .waits = how->by->begun != NULL };

	r = r < 0 ? aisbx_fail(&e, AISBX_AREA_RUN, -r, "detach from the caller")
		  : supervise(spec, how, &p, &e);
	if (r == 0)
		e = (struct aisbx_error)AISBX_ERROR_INIT;
	say_end(&p,
		&e); /* also of a run that a deadline ended before its walls were up: that is its result */
	running_finish(how);
	exit(r < 0 ? 125 : 0);
}

static bool hear_one(int fd, struct aisbx_error *ret)
{
	ssize_t n;

	do
		n = read(fd, ret, sizeof(*ret));
	while (n < 0 && errno == EINTR);
	return n == sizeof(*ret);
}

/* What the child has to say, and its end if that was an error. */
static int hear(int fd, pid_t child, struct aisbx_error *e)
{
	struct aisbx_error heard;
	bool whole = hear_one(fd, &heard);

	if (whole && heard.code == 0)
		return 0;
	waitpid(child, NULL, 0);
	if (!whole)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				    "the run's supervisor ended before the walls were built");
	*e = heard;
	return e->code;
}

int run_detached(struct run_spec *spec, bool keep_input, struct running *how, struct run_report *ret,
		 struct aisbx_error *e)
{
	scoped(drop_fd) int in = -1;
	struct aisbx_error heard;
	int fds[2], r;
	pid_t pid;

	spec->io.keep_input = keep_input || spec->io.tty; /* a terminal is for typing */
	if (pipe2(fds, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "create a pipe");
	in = fds[0];
	pid = fork();
	if (pid == 0)
		be_supervisor(spec, how, fds[1]);
	close(fds[1]);
	if (pid < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start a supervisor");
	how->presence.id[0] = '\0'; /* it is the child's from here on */
	close_fd(&how->presence.listener);
	r = hear(in, pid, e);
	if (r == 0 && how->by->begun && hear_one(in, &heard)) /* else it could not be started */
		how->by->begun(how->by->begun_ctx, spec->run_id, how->trace_id);
	if (r == 0)
		run_report_detached(ret, spec, how->trace_id);
	return r;
}
