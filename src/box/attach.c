/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output comes from the log, which anybody may read; input goes straight into the pipe or terminal of the
 * command. So the run's supervisor has nothing to do with who attaches, however many they are and however
 * they end.
 */
#include "box/attach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/screen.h"
#include "box/attach_keys.h"
#include "box/control.h"
#include "run/log.h"
#include "run/terminal.h"

/* Where the kernel has no watch left for us we look this often. */
#define LOOK_MS 100
/* What is typed and not read yet; more waits in the terminal. */
#define TYPED_MAX 65536
/* POLLOUT promises space for this much. */
#define PIECE 256

struct attach {
	const struct caller *by;
	const char *id;
	bool tty;  /* the command has a terminal */
	int input; /* owned; where what is typed goes; -1: nowhere */
	int in;    /* borrowed; what is typed; -1: nothing more comes */
	struct runlog_reader reader;
	int watch, pidfd, signals; /* owned */
	struct terminal terminal;
	struct attach_keys keys;
	char typed[TYPED_MAX];
	size_t at, len; /* of typed */
	bool left;      /* both keys were pressed, or a signal came */
	bool in_line;   /* the last line shown has not ended */
	sigset_t old_mask;
	bool masked;
};

static void attach_finish(struct attach *a)
{
	terminal_leave(&a->terminal);
	drop_fd(&a->input);
	runlog_finish(&a->reader);
	drop_fd(&a->watch);
	drop_fd(&a->pidfd);
	drop_fd(&a->signals);
	if (a->masked)
		sigprocmask(SIG_SETMASK, &a->old_mask, NULL);
}

void run_attached_finish(struct run_attached *a)
{
	json_decref(a->said);
}

static int show(struct attach *a, int stream, const char *data, size_t len, struct aisbx_error *e)
{
	int r = len ? io_write_all(a->by->out_fds[stream], data, len) : 0;

	if (len)
		a->in_line = data[len - 1] != '\n';
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "write the output of the run") : 0;
}

/* All there is now. */
static int drain(struct attach *a, struct aisbx_error *e)
{
	struct runlog_piece p;
	int r;

	while ((r = runlog_next(&a->reader, &p, e)) > 0) {
		r = show(a, p.stream == RUNLOG_STDERR, p.data, p.len, e);
		if (r < 0)
			return r;
	}
	return r;
}

/* The last lines that fit on the screen; of a terminal's output less could be the middle of a command to it.
 */
static int show_screenful(struct attach *a, struct aisbx_error *e)
{
	struct winsize size = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	struct runlog_piece p;
	size_t from, rows;
	int r;

	ioctl(a->by->out_fds[0], TIOCGWINSZ, &size);
	rows = size.ws_row > 2 ? size.ws_row - 2u : 22;
	r = runlog_to_tail(&a->reader, rows * (size.ws_col ? size.ws_col : 80), e);
	while (r == 0 && (r = runlog_next(&a->reader, &p, e)) > 0) {
		buf_add(&text, p.data, p.len);
		r = 0;
	}
	if (r < 0 || !buf_str(&text))
		return r < 0 ? r : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the log");
	for (from = text.len; from > 0; from--)
		if (text.data[from - 1] == '\n' && from < text.len && !rows--)
			break;
	return show(a, 0, text.data + from, text.len - from, e);
}

/* One question per connection; a run that ended is no error here: the loop sees that. */
static void ask_signal(const struct attach *a, int sig)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int fd = -1;

	if (live_run_connect(a->id, &fd, &ignored) == 0)
		run_ask_signal(fd, sig, &ignored);
}

static void ask_input(struct attach *a, bool close_it)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int fd = -1;

	if (live_run_connect(a->id, &fd, &ignored) < 0 ||
	    run_ask_input(fd, close_it, &a->input, &ignored) < 0)
		a->input = -1;
}

static void take_typed(struct attach *a)
{
	char some[4096], keys[sizeof(some) + 1];
	size_t n;
	ssize_t got = read(a->in, some,
			   sizeof(some) < TYPED_MAX - a->len - 1 ? sizeof(some) : TYPED_MAX - a->len - 1);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		a->in = -1;
		if (!a->tty && a->terminal.person >= 0 && a->input >= 0) { /* Ctrl-D: its input ends */
			close_fd(&a->input);
			ask_input(a, true);
		}
		return;
	}
	a->left = attach_keys_feed(&a->keys, some, (size_t)got, keys, &n);
	if (a->input < 0)
		return;
	memcpy(a->typed + a->len, keys, n);
	a->len += n;
}

static void pass_typed(struct attach *a)
{
	size_t n = a->len - a->at < PIECE ? a->len - a->at : PIECE;
	ssize_t done = write(a->input, a->typed + a->at, n);

	if (done < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (done < 0)
		close_fd(&a->input); /* it reads no more */
	a->at += done > 0 ? (size_t)done : 0;
	if (a->at == a->len || a->input < 0)
		a->at = a->len = 0;
}

static void on_signal(struct attach *a)
{
	struct signalfd_siginfo info;

	while (read(a->signals, &info, sizeof(info)) == sizeof(info)) {
		int sig = (int)info.ssi_signo;

		if (sig == SIGWINCH) {
			terminal_resize(&a->terminal);
		} else if (sig == SIGTSTP) {
			terminal_suspend(&a->terminal);
			raise(SIGSTOP);
			terminal_resume(&a->terminal);
		} else if (!a->tty && (sig == SIGINT || sig == SIGQUIT)) {
			ask_signal(a, sig); /* a key, for the command */
		} else {
			a->left = true;
		}
	}
}

static int watch_signals(struct attach *a, struct aisbx_error *e)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGPIPE };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		sigaddset(&set, ours[i]);
	sigprocmask(SIG_BLOCK, &set, &a->old_mask);
	a->masked = true;
	sigdelset(&set, SIGPIPE);
	a->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return a->signals < 0 ? aisbx_fail(e, AISBX_AREA_RUN, errno, "watch for signals") : 0;
}

/* The process to wait for; -ENOENT, with E unchanged: the run has ended. */
static int find_supervisor(struct attach *a, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct run_status status;
	int r = live_run_connect(a->id, &fd, e);

	if (r < 0)
		return r;
	r = run_ask_watch(fd, &a->pidfd, &status, e);
	if (r < 0 && r != -ESTALE && r != -ETIMEDOUT)
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return 0;
}

static void wait_for_more(struct attach *a)
{
	struct pollfd p[] = {
		{ .fd = a->len < TYPED_MAX / 2 ? a->in : -1, .events = POLLIN },
		{ .fd = a->at < a->len ? a->input : -1, .events = POLLOUT },
		{ .fd = a->watch, .events = POLLIN },
		{ .fd = a->pidfd, .events = POLLIN },
		{ .fd = a->signals, .events = POLLIN },
	};
	char events[4096];

	if (poll(p, sizeof(p) / sizeof(*p), a->watch < 0 || a->pidfd < 0 ? LOOK_MS : -1) < 0)
		return;
	if (p[4].revents)
		on_signal(a);
	if (p[0].revents)
		take_typed(a);
	if (p[1].revents && a->input >= 0)
		pass_typed(a);
	if (p[2].revents && read(a->watch, events, sizeof(events)) < 0)
		return;
	if (p[3].revents)
		close_fd(&a->pidfd);
}

/* What was typed before the keys is still for the command, if it has room for it. */
static void pass_rest(struct attach *a)
{
	struct pollfd p = { .fd = a->input, .events = POLLOUT };

	while (a->input >= 0 && a->at < a->len && poll(&p, 1, LOOK_MS) == 1 && (p.revents & POLLOUT))
		pass_typed(a);
}

/* Until the log says that it is complete, nobody is left to write it, or the person leaves. */
static int follow(struct attach *a, struct aisbx_error *e)
{
	int r = 0;

	while (r == 0 && !a->reader.ended && !a->left) {
		if (a->pidfd < 0) {
			r = find_supervisor(a, e);
			if (r < 0)
				return e->code ? r : drain(a, e);
		}
		r = drain(a, e);
		if (r == 0 && !a->reader.ended)
			wait_for_more(a);
	}
	return r;
}

static int open_log(struct attach *a, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = -1;
	char path[64];
	int r = box_run_open(a->id, &dir, e);

	if (r == -ENOENT && !e->code)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
				    "run '%s' was not detached: its output goes to who started it", a->id);
	if (r == 0)
		r = runlog_open(dir, BOX_RUN_LOG, &a->reader, e);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, BOX_RUN_LOG);
	a->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (a->watch >= 0 && inotify_add_watch(a->watch, path, IN_MODIFY) < 0)
		close_fd(&a->watch);
	return 0;
}

/* What it is: whether it has a terminal. */
static int look(struct attach *a, const char *key, struct run_attached *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	scoped(drop_mem) char *text = NULL;
	struct run_status status;
	json_t *about;
	const char *name;
	int r = live_run_reach(key, ret->id, &fd, e);

	if (r == 0)
		r = driver_usage(driver_default(), fd, &status, &text, e);
	if (r == -ESTALE)
		return live_run_ended(ret->id, e);
	if (r < 0)
		return r;
	about = json_loads(text, 0, NULL);
	a->tty = json_is_true(json_object_get(about, "tty"));
	name = json_string_value(json_object_get(about, "name"));
	snprintf(ret->name, sizeof(ret->name), "%s", name ? name : ret->id);
	json_decref(about);
	return 0;
}

static void tell_keys(const struct attach *a, const char *name)
{
	if (a->by->out_fds[1] > 0 && a->terminal.person >= 0)
		dprintf(a->by->out_fds[1], "aisbx: attached to %s%s; Ctrl-P Ctrl-Q leaves it running\r\n",
			name, a->input < 0 ? ", which takes no input" : "");
}

/* How the run ended. */
static int hear_end(struct run_attached *ret, struct aisbx_error *e)
{
	const struct run_wait_request req = { .run = ret->id };
	scoped(run_waited_finish) struct run_waited waited = { 0 };
	int r = run_wait(&req, &waited, e);

	if (r < 0)
		return r;
	ret->said = json_incref(waited.said);
	ret->exit_status = (int)json_integer_value(json_object_get(ret->said, "exit_status"));
	return 0;
}

int run_attach(const struct caller *by, const char *run, struct run_attached *ret, struct aisbx_error *e)
{
	scoped(attach_finish) struct attach a = { .by = by,
						  .id = ret->id,
						  .input = -1,
						  .in = by->stdin_fd,
						  .reader.fd = -1,
						  .watch = -1,
						  .pidfd = -1,
						  .signals = -1 };
	int r;

	terminal_init(&a.terminal);
	if (by->out_fds[0] < 0)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"attach shows output as it comes; use 'aisbx logs --follow --json' for JSON");
	r = look(&a, run, ret, e);
	if (r == 0)
		r = open_log(&a, e);
	if (r == 0)
		r = watch_signals(&a, e);
	if (r < 0)
		return r;
	ask_input(&a, false);
	terminal_visit(&a.terminal, by->stdin_fd, a.tty ? a.input : -1, !a.tty);
	tell_keys(&a, ret->name);
	r = show_screenful(&a, e);
	if (r == 0)
		r = follow(&a, e);
	if (a.left)
		pass_rest(&a);
	terminal_leave(&a.terminal);
	if (a.tty)
		screen_reclaim(by->stdin_fd, by->out_fds[1], a.in_line);
	else if (a.left && a.terminal.person >= 0 && by->out_fds[1] > 0)
		dprintf(by->out_fds[1], "\n"); /* the keys were echoed */
	ret->left = a.left && !a.reader.ended;
	return r == 0 && !ret->left ? hear_end(ret, e) : r;
}
