/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions on the files of a box, done inside it by aisbx-file: behind its walls and as its user, so that no
 * path or link leads to a place that a command of the box could not reach. The answer is not trusted.
 */
#ifndef BOX_FILES_H
#define BOX_FILES_H

#include "box/box.h"
#include "helpers/file/wire.h"

/* A request; magic, lengths and sizes of the header are filled in. */
struct box_file_ask {
	struct file_request head;
	const char *part[FILE_PARTS]; /* borrowed; NULL: "" */
};

struct box_file_reply {
	struct file_answer head; /* its numbers were checked against the data */
	char *data;              /* owned */
	struct driver_result run;
};

void box_file_reply_finish(struct box_file_reply *r);

/* What runs it: the command of a request for it. */
#define BOX_FILE_PROGRAM "/proc/self/fd/0"

/*
 * REQ: as for a run of BOX_FILE_PROGRAM in a box. An error: there was no answer; an answer, even one that
 * reports a failure, is in RET.
 */
int box_file_do(struct run_spec *req, const struct box_file_ask *ask, struct box_file_reply *ret,
		struct aisbx_error *e);
/* The same, but the answer goes to OUT_FD, a file or pipe; the caller reads it there. */
int box_file_send(struct run_spec *req, const struct box_file_ask *ask, int out_fd, struct driver_result *ret,
		  struct aisbx_error *e);

/*
 * FILE_WATCH in a live box, which it does not keep live: lists go to OUT_FD until the box or this process
 * ends. -ENOENT: it is not live, and E is unchanged.
 */
int box_file_watch(struct run_spec *req, const struct box_file_ask *ask, int out_fd, struct aisbx_error *e);
/* Whether the answer A, with LEFT bytes still to come, is valid. */
bool box_file_checks(const struct file_answer *a, uint64_t left);

/*
 * The next entry of a list of LEN bytes, from *AT on; false: no more. NAME and TARGET are borrowed, not
 * NUL-terminated.
 */
bool box_file_entry(const char *data, size_t len, size_t *at, struct file_entry *ret, const char **ret_name,
		    const char **ret_target);

#endif
