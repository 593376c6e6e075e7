/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory of the host one program of ours holds of what a box made, however much that is. Whoever
 * keeps something for each name of a box asks on the way, and gives up in time: nothing was changed then, and
 * a person is told.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

#define MEMORY_MAX ((size_t)64 << 20)
/* Lists of names get so much; the rest is for what is made of them. */
#define MEMORY_NAMES ((size_t)54 << 20)
/* And answers so much: what is more is counted and not listed. */
#define MEMORY_ANSWER ((size_t)60 << 20)

/* For a person, behind what was tried. */
#define MEMORY_WORDS "there are more names than fit into the 64 MiB of memory that are taken for one box"

/* 0, or -ENOBUFS: no more names. Looks every now and then only, so it costs next to nothing. */
int memory_check(void);
/* Whether it said so already: for who could not pass it on. */
bool memory_ran_out(void);
/* The words for it; returns -ENOBUFS. */
int memory_refuse(struct aisbx_error *e, int area);
/* Whether this program holds more than MOST. */
bool memory_is_over(size_t most);

#endif
