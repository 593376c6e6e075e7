/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Artifacts: files and directories of a box that outlive it. Their content is stored by checksum in
 * STATE/artifacts, a row for each in the store. Only an explicit removal removes them.
 */
#ifndef ARTIFACT_ARTIFACT_H
#define ARTIFACT_ARTIFACT_H

#include "artifact/unpack.h"
#include "base/str.h"
#include "box/box.h"
#include "box/file_act.h"
#include "box/orphans.h"

/* Limits for one artifact, and for all together. */
#define ARTIFACT_BYTES  (1ll << 30)
#define ARTIFACTS_BYTES (16ll << 30)

/* One that is kept, and its store, open. */
struct artifact {
	struct box_state state;
	struct store_saved_artifact row; /* owned */
};

/* KEY: its id, or its name: then the newest of that name. */
int artifact_find(const char *key, struct artifact *ret, struct aisbx_error *e);
void artifact_finish(struct artifact *a);

struct artifact_list {
	struct store_saved_artifact *rows; /* owned */
	size_t n;
};

/* BOX: only those of this box, which may be gone; NULL: all. Newest first. */
int artifact_ls(const char *box, struct artifact_list *ret, struct aisbx_error *e);
void artifact_list_finish(struct artifact_list *l);

/* What is in a directory: TELL gets one after the other, at most MAX of them. RET_MORE: there are more. */
int artifact_entries(const struct artifact *a, size_t max,
		     void (*tell)(void *ctx, const struct unpack *entry), void *ctx, bool *ret_more,
		     struct aisbx_error *e);
int artifact_remove(struct artifact *a, struct aisbx_error *e);
/* Its content, or the pack of a directory. */
int artifact_open(const struct box_state *s, const struct store_saved_artifact *row, int *ret_fd,
		  struct aisbx_error *e);

/* artifact_save.c */
struct artifact_save_request {
	const char *box;               /* borrowed, as all of these */
	struct box_path path;          /* in it */
	const char *name;              /* NULL: as it is called in the box */
	const char *note;              /* NULL: none */
	size_t note_len;               /* of all that was given */
	const struct strlist *allowed; /* secrets that may be in it */
};

struct artifact_saved {
	struct store_saved_artifact row; /* borrows note and path */
	struct box_act act;              /* owned; how it was done */
	uint64_t left_out;               /* pipes, sockets and devices */
};

int artifact_save(const struct caller *by, const struct artifact_save_request *req,
		  struct artifact_saved *ret, struct aisbx_error *e);
void artifact_saved_finish(struct artifact_saved *s);

/* artifact_read.c: a piece of it, as if a box had answered to FILE_READ. PATH: of a directory, the file in
 * it; NULL: all of a file. */
int artifact_read(const struct artifact *a, const char *path, const struct box_window *w, struct box_act *ret,
		  struct aisbx_error *e);

/* artifact_get.c */
struct artifact_options {
	const char *to; /* destination; an absolute path */
	bool force;     /* replace an existing file or link */
	bool traps;     /* copy it even if it contains traps; otherwise nothing is copied then */
};

int artifact_get(const struct artifact *a, const struct artifact_options *options, struct aisbx_error *e);

/* Inside this room only. A file without a name for what the box hands over. */
int artifact_draft(const struct box_state *s, int *ret_fd, struct aisbx_error *e);
/*
 * Saves the content of DRAFT, a pack of LEN bytes: searches it for secrets (except those in ALLOWED, NULL:
 * none), fills in type, checksum, size, files and media of ROW, and adds the row.
 */
int artifact_keep(struct box_state *s, int draft, uint64_t len, const struct strlist *allowed,
		  struct store_saved_artifact *row, struct aisbx_error *e);

#endif
