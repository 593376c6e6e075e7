/* SPDX-License-Identifier: Apache-2.0 */
/* The person's terminal: its size, and reading long text there. */
#ifndef CLI_WINDOW_H
#define CLI_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether OUT is a terminal on which lines can be drawn over, and its size. */
bool window_of(FILE *out, int *ret_width, int *ret_height);

/*
 * A patch, or a part of one, line by line in its colours. It is hostile text: nothing of it reaches OUT that
 * a terminal would obey.
 */
void window_print_patch(FILE *out, const char *patch, size_t len, bool colour);

/*
 * Shows a patch on standard output: if that and standard input are a terminal, and the patch is longer than
 * its window, by the person's pager ($PAGER, else less).
 */
void window_show_patch(const char *patch, size_t len);

#endif
