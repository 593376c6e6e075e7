/* SPDX-License-Identifier: Apache-2.0 */
/* Raw mode, window size, and restoring the terminal, by another process if this one is killed. */
#include "run/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

bool terminal_is_anothers(int fd)
{
	pid_t front = fd < 0 || !isatty(fd) ? -1 : tcgetpgrp(fd);

	return front >= 0 && front != getpgrp();
}

void terminal_init(struct terminal *t)
{
	*t = (struct terminal){ .person = -1, .box = -1, .will = -1 };
}

/* Still as we left it. Else somebody has it who knows what to do with it: a shell at its prompt. */
static bool is_left_raw(int fd, const struct termios *saved)
{
	struct termios raw = *saved, now;

	cfmakeraw(&raw);
	return tcgetattr(fd, &now) == 0 && now.c_iflag == raw.c_iflag && now.c_oflag == raw.c_oflag &&
	       now.c_lflag == raw.c_lflag;
}

/* In a session of its own: no signal for our group reaches it, and it may set a terminal that is not its own
 * at any time. */
__attribute__((noreturn)) static void inherit(const struct terminal *t, int will)
{
	enum { TERMINAL, WILL, FIRST_OTHER };
	int person = fcntl(t->person, F_DUPFD, FIRST_OTHER); /* either may be where the other belongs */
	sigset_t all;
	ssize_t n;
	char word;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "aisbx-terminal");
	will = fcntl(will, F_DUPFD, FIRST_OTHER);
	if (dup2(person, TERMINAL) < 0 || dup2(will, WILL) < 0 || sys_close_range(FIRST_OTHER, ~0U) < 0)
		_exit(1);
	do
		n = read(WILL, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0 && is_left_raw(TERMINAL, &t->saved))
		tcsetattr(TERMINAL, TCSANOW, &t->saved);
	_exit(0);
}

/* Killed by SIGKILL nobody can tidy up. Without this one the terminal stays raw then, so that is all that is
 * lost when it cannot be started. */
static void name_heir(struct terminal *t)
{
	int ends[2];

	if (sys_pipe(ends) < 0)
		return;
	t->heir = sys_fork(0); /* plain waits do not see it */
	if (t->heir == 0)
		inherit(t, ends[0]);
	close(ends[0]);
	t->will = ends[1];
	if (t->heir < 0) {
		t->heir = 0;
		close_fd(&t->will);
	}
}

static void dismiss_heir(struct terminal *t)
{
	if (!t->heir)
		return;
	if (write(t->will, "", 1) < 0)
		kill(t->heir, SIGKILL); /* it is gone, or never gets the word */
	close_fd(&t->will);
	while (waitpid(t->heir, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	t->heir = 0;
}

static void make_raw(struct terminal *t)
{
	struct termios raw = t->saved;

	if (t->lines) {
		raw.c_iflag &= ~(tcflag_t)IXON;
		raw.c_lflag |= IEXTEN; /* else there is no second one */
		raw.c_cc[VEOL] = TERMINAL_KEY_1;
		raw.c_cc[VEOL2] = TERMINAL_KEY_2;
	} else {
		cfmakeraw(&raw);
	}
	if (tcsetattr(t->person, TCSADRAIN, &raw) == 0)
		t->raw = true;
}

/*
 * Its settings, as a command has them. In the background they are those of a shell that reads a line: as
 * whoever wants to set a terminal there, we are stopped until we have it.
 */
static bool read_settings(struct terminal *t, int person)
{
	if (person < 0 || !isatty(person))
		return false;
	if (terminal_is_anothers(person))
		kill(0, SIGTTOU);
	return tcgetattr(person, &t->saved) == 0;
}

void terminal_attach(struct terminal *t, int person, int box)
{
	const struct winsize usual = { .ws_row = 24, .ws_col = 80 };

	t->box = box;
	if (!read_settings(t, person)) {
		ioctl(box, TIOCSWINSZ, &usual);
		return;
	}
	t->person = person;
	tcsetattr(box, TCSANOW, &t->saved);
	terminal_resize(t);
	name_heir(t);
	make_raw(t);
}

void terminal_visit(struct terminal *t, int person, int box, bool lines)
{
	struct winsize size;

	if (!read_settings(t, person))
		return;
	t->person = person;
	t->box = box;
	t->lines = lines;
	if (box >= 0 && ioctl(person, TIOCGWINSZ, &size) == 0 && size.ws_row > 1) {
		size.ws_row--; /* another size first: then a program that has the same draws its screen, too
				*/
		ioctl(box, TIOCSWINSZ, &size);
	}
	terminal_resize(t);
	if (!lines)
		name_heir(t);
	make_raw(t);
}

void terminal_leave(struct terminal *t)
{
	terminal_suspend(t);
	dismiss_heir(t);
	t->box = -1;
}

void terminal_resize(const struct terminal *t)
{
	struct winsize size;

	if (t->person >= 0 && t->box >= 0 && ioctl(t->person, TIOCGWINSZ, &size) == 0)
		ioctl(t->box, TIOCSWINSZ, &size);
}

void terminal_suspend(struct terminal *t)
{
	if (t->raw)
		tcsetattr(t->person, TCSADRAIN, &t->saved);
	t->raw = false;
}

void terminal_resume(struct terminal *t)
{
	if (t->person < 0)
		return;
	make_raw(t);
	terminal_resize(t);
}

void terminal_restore(struct terminal *t)
{
	terminal_suspend(t);
	dismiss_heir(t);
	close_fd(&t->box);
}
