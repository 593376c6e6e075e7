/* SPDX-License-Identifier: Apache-2.0 */
/* The error at the end of a program's stderr, and the line of the program it came from. */
#ifndef BOX_EXCEPTION_H
#define BOX_EXCEPTION_H

#include <stdbool.h>

struct exception {
	char *name, *message; /* owned; NULL: it has none */
	unsigned long line;   /* 0: not known */
};

void exception_finish(struct exception *x);
/*
 * Out of TEXT, what an interpreter of LANG wrote about the program at PATH. False: there is nothing of that
 * shape. TEXT is the program's as much as the interpreter's: it informs.
 */
bool exception_read(const char *lang, const char *path, const char *text, struct exception *ret);

#endif
