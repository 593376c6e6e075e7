/* SPDX-License-Identifier: Apache-2.0 */
/* Raw mode, window size, and putting everything back. */
#include "run/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/scope.h"

void terminal_init(struct terminal *t)
{
	*t = (struct terminal){ .person = -1, .box = -1 };
}

static void make_raw(struct terminal *t)
{
	struct termios raw = t->saved;

	cfmakeraw(&raw);
	if (tcsetattr(t->person, TCSADRAIN, &raw) == 0)
		t->raw = true;
}

void terminal_attach(struct terminal *t, int person, int box)
{
	t->box = box;
	if (!isatty(person) || tcgetattr(person, &t->saved) < 0)
		return;
	t->person = person;
	tcsetattr(box, TCSANOW, &t->saved);
	terminal_resize(t);
	make_raw(t);
}

void terminal_resize(const struct terminal *t)
{
	struct winsize size;

	if (t->person >= 0 && ioctl(t->person, TIOCGWINSZ, &size) == 0)
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
	close_fd(&t->box);
}
