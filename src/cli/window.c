/* SPDX-License-Identifier: Apache-2.0 */
/* The size of the terminal, and long differences by the person's pager. */
#include "cli/window.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/scope.h"
#include "cli/cli.h"
#include "cli/color.h"
#include "cli/fold.h"

bool window_of(FILE *out, int *ret_width, int *ret_height)
{
	const char *term = getenv("TERM");
	struct winsize w = { 0 };

	if (!isatty(fold_fd(out)) || !term || !strcmp(term, "dumb"))
		return false;
	ioctl(fold_fd(out), TIOCGWINSZ, &w);
	*ret_width = w.ws_col ? w.ws_col : 80;
	*ret_height = w.ws_row ? w.ws_row : 24;
	return true;
}

/* Whoever wrote these files may want to move the cursor, hide a line or turn text around. */
void window_print_patch(FILE *out, const char *patch, size_t len, bool colour)
{
	scoped(buf_finish) struct buf b = { 0 };
	char *line, *end;

	buf_add_utf8(&b, patch, len);
	if (!buf_str(&b))
		return;
	for (size_t i = 0; i < b.len; i++)
		if (!b.data[i])
			b.data[i] = 1; /* is shown as other control characters */
	for (line = b.data; *line; line = end) {
		const char *code = colour ? color_of_patch(line) : "";

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		fputs(code, out);
		cli_print_safe(out, line);
		fprintf(out, "%s\n", *code ? PLAIN : "");
	}
}

/* The command that shows long text, for a shell; NULL: none. */
static const char *pager(void)
{
	const char *wanted = getenv("PAGER"), *path = getenv("PATH");

	if (wanted)
		return *wanted && strcmp(wanted, "cat") != 0 ? wanted : NULL;
	for (const char *at = path ? path : ""; *at; at += strcspn(at, ":"), at += *at == ':') {
		char file[4096];

		snprintf(file, sizeof(file), "%.*s/less", (int)strcspn(at, ":"), at);
		if (access(file, X_OK) == 0)
			return "less -R";
	}
	return NULL;
}

static bool is_longer(const char *text, size_t len, int width, int height)
{
	int lines = 0, column = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n' || ++column > width) {
			lines++;
			column = 0;
		}
	}
	return lines >= height - 2;
}

/* Somebody who leaves it early, or interrupts it, goes on here. */
static bool show_paged(const char *command, const char *patch, size_t len, bool colour)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old_pipe, old_int;
	FILE *to;

	setenv("LESS", "FRX", 0); /* colours stay, short text is not held up */
	sigaction(SIGPIPE, &ignore, &old_pipe);
	to = popen(command, "w");
	sigaction(SIGINT, &ignore, &old_int);
	if (to) {
		window_print_patch(to, patch, len, colour);
		pclose(to);
	}
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGPIPE, &old_pipe, NULL);
	return to != NULL;
}

void window_show_patch(const char *patch, size_t len)
{
	int width, height;
	const char *command = NULL;

	fflush(stdout);
	if (isatty(STDIN_FILENO) && window_of(stdout, &width, &height) &&
	    is_longer(patch, len, width, height))
		command = pager();
	if (!command || !show_paged(command, patch, len, cli_colour(stdout)))
		window_print_patch(stdout, patch, len, cli_colour(stdout));
	fflush(stdout);
}
