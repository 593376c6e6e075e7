/* SPDX-License-Identifier: Apache-2.0 */
/* Long lines on a terminal end between words, and go on below where their text began. */
#ifndef CLI_FOLD_H
#define CLI_FOLD_H

#include <stdio.h>

/*
 * A stream that writes to the terminal FD and folds lines wider than it; NULL: FD is no terminal, or its
 * width is not known. Escape sequences of colours take no width; a line with another one, or with a carriage
 * return, is passed on as it is. A word whose end has not come yet is held back until fclose.
 */
FILE *fold_open(int fd);

/* Makes *STREAM, standard output or standard error, such a stream, if it is a terminal. */
void fold_begin(FILE **stream, int fd);
/* The descriptor that STREAM writes to, also if it is standard output or standard error and folded. */
int fold_fd(FILE *stream);
/* Writes what was held back. *STREAM is then what it was. */
void fold_end(FILE **stream, FILE *was);

#endif
