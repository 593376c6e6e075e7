/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The actions of aisbx-file. Each fills the answer, and returns 0 or a negative errno; none trusts what it
 * finds in the box.
 */
#ifndef HELPERS_FILE_FILE_H
#define HELPERS_FILE_FILE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "helpers/file/wire.h"

struct ask {
	struct file_request head;
	const char *part[FILE_PARTS]; /* borrowed; NUL-terminated */
};

/* The error of the last call; negative, whatever the C library says. */
static inline int err(void)
{
	return errno > 0 ? -errno : -EIO;
}

/* main.c */
int why(struct file_answer *a, enum file_why w, int error);
enum file_type type_of(const struct stat *st);
void tell_stat(struct file_answer *a, const struct stat *st);

/* place.c */
/*
 * Opens what must be a regular file, and never blocks: not for a pipe's other end, not for a device. A
 * watched file needs a moment until its watcher releases it.
 */
int open_file(int dir, const char *name, struct file_answer *a, struct stat *ret_st);
/*
 * The directory of PATH, and its name there. FOLLOW: if it is a link, its target; MAKE: missing directories
 * are made. RET_NAME is on the heap.
 */
int open_parent(const char *path, bool follow, bool make, int *ret_dir, char **ret_name);
int sum_file(int fd, struct file_answer *a);

/* One file for each action. */
int act_read(const struct ask *q, struct file_answer *a, struct buf *ret);
int act_write(const struct ask *q, struct file_answer *a);
/* The whole file, with FILE_BESIDE; the number of bytes is `data_len` of the answer. */
int act_read_beside(const struct ask *q, struct file_answer *a, int out);
int act_list(const struct ask *q, struct file_answer *a, struct buf *ret);
int act_stat(const struct ask *q, struct file_answer *a, struct buf *ret);
int act_remove(const struct ask *q, struct file_answer *a);
int act_move(const struct ask *q, struct file_answer *a);
int act_make_dir(const struct ask *q, struct file_answer *a);
/* Write their data themselves. */
int act_watch(const struct ask *q, struct file_answer *a, int out);
int act_pack(const struct ask *q, struct file_answer *a, int out);

/* Names of a directory, sorted. */
struct name_list {
	char **list; /* owned */
	size_t n;
};
/* MOST: the limit, beyond which `more` is set. Takes DIR, which is closed. */
int name_list_read(int dir, size_t most, struct name_list *ret, bool *ret_more);
void name_list_finish(struct name_list *n);
int entry_add(struct buf *b, int dir, const char *name, const char *shown, const struct stat *st);

int tree_remove(int dir, const char *name, unsigned int depth);

#endif
