/* SPDX-License-Identifier: Apache-2.0 */
/* Colours: only on a terminal that supports them, and never with NO_COLOR or TERM=dumb. */
#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include <stdbool.h>
#include <stdio.h>

#define GREEN  "\033[32m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define CYAN   "\033[36m"
#define DIM    "\033[2m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

/* Whether to use colour on OUT: a terminal that supports it, and NO_COLOR is not set. */
bool cli_colour(FILE *out);
/* CODE if standard output supports colours, else "". */
const char *paint(const char *code);
/* The same for any stream. */
const char *paint_on(FILE *out, const char *code);
/* The colour of a line of a patch: "" for most. */
const char *color_of_patch(const char *line);

#endif
