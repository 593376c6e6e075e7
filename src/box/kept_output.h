/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kept output of runs: what a command wrote, without secrets, so that it can be read and searched after
 * the run. It lies in STATE/output/PROJECT/RUN, one file per run; the oldest of a project go first. A file is
 * a head and records as in run/log.h, packed or not.
 */
#ifndef BOX_KEPT_OUTPUT_H
#define BOX_KEPT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "run/log.h"
#include "run/spec.h"
#include "store/store.h"

/* Of one run at most this is kept, or a quarter of its project's room: the beginning and the end. */
#define KEPT_OUTPUT_RUN (8u << 20)
/* Of all projects together; what is more goes at the next gc, the oldest first. */
#define KEPT_OUTPUT_ALL (1LL << 30)
/* Of a project that is gone it is kept so long. */
#define KEPT_OUTPUT_DAYS 7

/* Records, one after the other. */
struct kept_records {
	struct buf bytes;
	size_t from; /* where the first begins */
	size_t last; /* where the last begins */
};

/* What is being collected of one run. All zero: nothing is. */
struct kept_output {
	uint64_t room; /* bytes on disk for its project; 0: nothing is kept */
	struct kept_records head, tail;
	uint64_t cut;          /* bytes between the two that are not kept */
	stream_listener *next; /* who listened before */
	void *next_ctx;        /* borrowed */
};

void kept_output_finish(struct kept_output *k);
/* From now on K collects what goes through IO; stays where it is until the end of the run. */
void kept_output_listen(struct kept_output *k, struct run_io *io);
void kept_output_add(struct kept_output *k, enum runlog_stream stream, uint64_t time_us, const char *data,
		     size_t len);
/* The same with what is in the log NAME of DIR. */
int kept_output_add_log(struct kept_output *k, int dir, const char *name, struct aisbx_error *e);
/* Removes secrets that any box of STATE_DIR was given. */
int kept_output_scrub(struct kept_output *k, const char *state_dir, struct aisbx_error *e);
/*
 * Writes it as that of RUN, in PROJECT (NULL: none). What is too much for the project then goes; that, and
 * packing, may go on after the call, in a process of its own.
 */
int kept_output_write(struct kept_output *k, const char *project, const char *run, struct aisbx_error *e);

/* A file of it, read: records without an end. */
struct kept_text {
	char *data; /* owned */
	size_t len;
	uint64_t cut; /* bytes that are missing in the middle; a text in the records says so, too */
};

void kept_text_finish(struct kept_text *t);
/* The output of RUN as a log, in memory. -ENOENT: there is none, and E is unchanged. */
int kept_output_open(const char *run, int *ret_fd, uint64_t *ret_cut, struct aisbx_error *e);

/* One file. */
struct kept_file {
	char run[STORE_ID_MAX];
	char project[17]; /* name of its directory */
	int64_t time_ns;  /* when the run ended */
	int64_t bytes;    /* on disk */
};

/* All there are, the newest first; freed by the caller. */
int kept_output_list(struct kept_file **ret, size_t *ret_n, struct aisbx_error *e);
/* -ENOENT: it has gone meanwhile; -EBADMSG: it is damaged. E is unchanged after both. */
int kept_output_read(const struct kept_file *f, struct kept_text *ret, struct aisbx_error *e);

/* A line of a run's output. */
struct kept_line {
	bool is_stderr;
	char *text; /* owned; UTF-8; of a long line the part around what was searched for */
};

/* The lines of a run's output that contain a text. */
struct kept_lines {
	struct kept_line *items; /* owned */
	size_t n;
	uint64_t more; /* further lines, not listed */
};

#define KEPT_LINES_MAX 20u

void kept_lines_finish(struct kept_lines *l);
/* Finds WHAT, which has no newline; false: no memory. RET->n is 0 if it is not there. */
bool kept_text_search(const struct kept_text *t, const char *what, struct kept_lines *ret);

/* Tidies up in the directory DIR of one project: packs what is not, and removes the oldest above ROOM. */
int kept_output_sweep(int dir, uint64_t room);
/* The same in a process of its own, which nobody waits for. */
void kept_output_sweep_apart(int dir, uint64_t room);
/* For gc: all of that, and what is left of killed runs and of projects that are gone. RET_N: removed. */
int kept_output_collect(size_t *ret_n, struct aisbx_error *e);

/* The first bytes of a file, in the byte order of the machine. */
struct kept_head {
	char magic[8];
	uint64_t len; /* of the records */
	uint64_t cut;
	uint32_t packed; /* 0, or 1: the rest is packed */
	uint32_t unused;
};

#define KEPT_MAGIC "aisbxo1"
/* Its directory, with names of runs; those that begin with a dot are no output. */
#define KEPT_DIR ".project" /* the path of the project */
#define KEPT_SIZE \
	".size" /* as many bytes as there are blocks of output: who adds output appends, so nobody waits */
#define KEPT_BLOCK 4096u

/* The directory of all; -ENOENT, unless MAKE: there is none, and E is unchanged. */
int kept_output_dir(bool make, int *ret_fd, struct aisbx_error *e);
/* Whether NAME can be that of a run's output. */
bool kept_output_is_run(const char *name);
/* As kept_output_read, of NAME in DIR; RET_HEAD may be NULL. */
int kept_output_load(int dir, const char *name, struct kept_text *ret, struct kept_head *ret_head);

#endif
