/* SPDX-License-Identifier: Apache-2.0 */
/* One act on a file of a box: asked for, done, its errors in words; what is read comes without secrets. */
#ifndef BOX_FILE_ACT_H
#define BOX_FILE_ACT_H

#include "base/buf.h"
#include "box/caller.h"
#include "box/files.h"
#include "secret/fingerprints.h"

/* A path as somebody gave it: relative to the project unless it begins with '/'. */
struct box_path {
	const char *text; /* borrowed; NULL: the project */
	size_t len;       /* of all that was given: a NUL in it is an error */
};

/* One action in progress. */
struct box_act {
	struct run_spec req;
	struct box_file_ask ask;
	struct box_file_reply reply;
	char *path, *other;                /* owned; paths in the box */
	struct fingerprints *fingerprints; /* owned; NULL: no secret was ever given to a box */
	struct fingerprint_scan *scan;     /* owned */
};

void box_act_finish(struct box_act *a);

/* Prepares ACT on PATH of BOX, whose name the act borrows. */
int box_act_begin(const struct caller *by, const char *box, const struct box_path *path, enum file_act act,
		  struct box_act *a, struct aisbx_error *e);
/* PATH as it is in the box: on the heap. */
int box_act_path(const struct box_act *a, const struct box_path *path, char **ret, struct aisbx_error *e);
/* Executes it. A failed action is an error. */
int box_act_do(struct box_act *a, struct aisbx_error *e);
/* The error of an answer, as text. */
int box_act_explain(const struct box_act *a, const struct file_answer *answer, struct aisbx_error *e);
/* What finds the secrets of boxes in what is read; `margin` of the question is set if there are any. */
int box_act_fingerprints(struct box_act *a, struct aisbx_error *e);
const char *box_file_type(uint32_t type);

/* Octal, as people write modes: "644", "0755"; NULL: none is asked for. */
int box_act_mode(const char *text, struct file_request *head, struct aisbx_error *e);

/* file_read.c: which piece of a file is meant. */
struct box_window {
	bool has_lines; /* FROM and COUNT are meant, not OFFSET */
	bool has_offset;
	uint64_t from, count; /* lines; from 1 */
	uint64_t offset;      /* bytes */
	uint64_t limit;       /* bytes at most */
};

#define BOX_WINDOW_INIT                                                   \
	{                                                                 \
		.from = 1, .count = UINT64_MAX, .limit = BOX_WINDOW_BYTES \
	}
#define BOX_WINDOW_BYTES (1u << 20)

int box_window_settle(const struct box_window *w, struct file_request *head, struct aisbx_error *e);

/* What was read of it. */
struct box_content {
	struct buf data;      /* owned; without secrets */
	bool redacted;        /* there was one */
	bool more;            /* the file goes on: */
	uint64_t next_offset; /* there */
	uint64_t next_line;   /* by lines; 0: it does not begin there */
};

void box_content_finish(struct box_content *c);
/* Of an answer to FILE_READ. WHOLE: no character is cut at its end. */
int box_act_content(struct box_act *a, bool whole, struct box_content *ret, struct aisbx_error *e);
/*
 * Appends [FROM, TO) of the LEN bytes at DATA to OUT, without secrets; what lies around it is there to find
 * those that begin or end outside. RET_END: behind TO, if one goes on there.
 */
int box_act_scrub(struct box_act *a, const char *data, size_t len, size_t from, size_t to, struct buf *out,
		  size_t *ret_end, bool *ret_redacted, struct aisbx_error *e);
/* `file read`. */
int box_file_read(const struct caller *by, const char *box, const struct box_path *path,
		  const struct box_window *w, struct box_act *a, struct aisbx_error *e);

/* file_write.c: what a file is to hold. Texts are borrowed. */
struct box_write {
	bool edit;       /* the text OLD, which it must have once, becomes NEW */
	bool append;     /* NEW goes behind what is there */
	bool from_input; /* what the caller's input has instead of NEW, of any size */
	uint64_t input;  /* if HAS_SIZE: so many bytes of it; with fewer nothing is written */
	bool has_size;
	const struct buf *old, *new;
	const char *if_sum; /* NULL, a sha256 in hexadecimal, or "absent": only then */
	const char *mode;   /* NULL, or octal */
};

int box_file_write(const struct caller *by, const char *box, const struct box_path *path,
		   const struct box_write *w, struct box_act *a, struct aisbx_error *e);

/*
 * file_beside.c: whole files, of any size up to FILE_MAX_PACK, by way of a file without a name in the state
 * directory. The box is used only as long as that takes: not while somebody slow sends or reads.
 */
struct box_fetched {
	uint64_t sent; /* bytes that were written */
	bool redacted; /* there was a secret in it */
};

/* `file read` with raw: the whole file, without secrets, to OUT. */
int box_file_fetch(const struct caller *by, const char *box, const struct box_path *path, int out,
		   struct box_act *a, struct box_fetched *ret, struct aisbx_error *e);
/* Does A, which is a FILE_WRITE, with what IN has. */
int box_act_store(struct box_act *a, int in, const struct box_write *w, struct aisbx_error *e);

/* file_watch.c */
struct box_change {
	const char *type; /* ready (once, when it has begun), create, modify, remove, rename or chmod */
	const char *path; /* below the directory; with ready: the directory */
	const char *from; /* with rename: what it was called; else NULL */
	const char *kind; /* NULL with ready */
};

struct box_watch_request {
	const char *box;      /* borrowed */
	struct box_path path; /* of the directory */
	bool recursive;
	uint64_t timeout_ms; /* 0: for ever */
	/* Takes each; SCAN finds secrets in the names, NULL: there are none. */
	void (*tell)(void *ctx, const struct box_change *change, struct fingerprint_scan *scan);
	void *ctx; /* borrowed */
};

struct box_watched {
	char *path; /* owned; the directory as it is in the box */
	uint64_t events;
};

void box_watched_finish(struct box_watched *w);
/* Tells changes until the time is over, or the caller ends. */
int box_watch(const struct caller *by, const struct box_watch_request *req, struct box_watched *ret,
	      struct aisbx_error *e);

#endif
