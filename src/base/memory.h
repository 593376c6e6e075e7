/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory of the host a program of ours may use for data made by a box, however large that is. Code
 * that stores something for each name of a box checks this on the way and gives up in time: then nothing was
 * changed, and the person gets an error.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

#define MEMORY_MAX ((size_t)64 << 20)
/* The share for lists of names; the rest is for what is made of them. */
#define MEMORY_NAMES ((size_t)54 << 20)
/* The share for answers: further entries are counted, but not listed. */
#define MEMORY_ANSWER ((size_t)60 << 20)

/* For a person, appended to what was tried. */
#define MEMORY_WORDS "there are more names than fit into the 64 MiB of memory that one box may use"

/* 0, or -ENOBUFS: no more names. Measures only now and then, so it costs almost nothing. */
int memory_check(void);
/* Whether the limit was exceeded before: for callers that could not pass the error on. */
bool memory_ran_out(void);
/* Fills the error; returns -ENOBUFS. */
int memory_refuse(struct aisbx_error *e, int area);
/* Whether this program uses more than MOST. */
bool memory_is_over(size_t most);

#endif
