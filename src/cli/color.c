/* SPDX-License-Identifier: Apache-2.0 */
/* Where colours are used, and which. */
#include "cli/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/fold.h"

bool cli_colour(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fold_fd(out)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

const char *paint_on(FILE *out, const char *code)
{
	return cli_colour(out) ? code : "";
}

const char *paint(const char *code)
{
	return paint_on(stdout, code);
}

const char *color_of_patch(const char *line)
{
	return *line == '+' ? GREEN : *line == '-' ? RED : !strncmp(line, "@@", 2) ? CYAN : "";
}
