/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acts on the files of a box, done inside it by aisbx-file: behind its walls and as its user, so that no path
 * and no link leads anywhere a command of the box could not go. What comes back is a box's word.
 */
#ifndef BOX_FILES_H
#define BOX_FILES_H

#include "box/box.h"
#include "helpers/file/wire.h"

/* A question; magic, lengths and room of the head are filled in. */
struct box_file_ask {
	struct file_request head;
	const char *part[FILE_PARTS]; /* borrowed; NULL: "" */
};

struct box_file_reply {
	struct file_answer head; /* its numbers are within what the data can hold */
	char *data;              /* owned */
	struct driver_result run;
};

void box_file_reply_finish(struct box_file_reply *r);

/* What runs it: the command of a request for it. */
#define BOX_FILE_PROGRAM "/proc/self/fd/0"

/*
 * REQ: as for a run of BOX_FILE_PROGRAM in a box. An error: it was not even asked, or did not come to an
 * answer; what it answered, also that it could not, is in RET.
 */
int box_file_do(struct run_spec *req, const struct box_file_ask *ask, struct box_file_reply *ret,
		struct aisbx_error *e);
/* The same where the answer goes to OUT_FD, a file or pipe; who has that reads it. */
int box_file_send(struct run_spec *req, const struct box_file_ask *ask, int out_fd, struct driver_result *ret,
		  struct aisbx_error *e);

/*
 * FILE_WATCH in a live box, which does not stay for its sake: lists go to OUT_FD until the box or this
 * process ends. -ENOENT: it does not live, and E is as it was.
 */
int box_file_watch(struct run_spec *req, const struct box_file_ask *ask, int out_fd, struct aisbx_error *e);
/* Whether the answer A, of which LEFT bytes more can be had, makes sense. */
bool box_file_checks(const struct file_answer *a, uint64_t left);

/*
 * The next entry of a list of LEN bytes, from *AT on; false: there is none. NAME and TARGET are borrowed, not
 * terminated.
 */
bool box_file_entry(const char *data, size_t len, size_t *at, struct file_entry *ret, const char **ret_name,
		    const char **ret_target);

#endif
