/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting one entry into the configuration of an agent, and taking exactly it out again. Texts in, texts out:
 * every byte that is not of the entry stays. What cannot be understood for sure is refused, not guessed at.
 */
#ifndef AGENT_EDIT_H
#define AGENT_EDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* What an entry is called in every configuration. */
#define AGENT_ENTRY "aisbx"

enum agent_edit {
	EDIT_NONE,   /* it is as it should be */
	EDIT_CHANGE, /* the new text is to be written */
	EDIT_REMOVE, /* nothing else was ever in the file */
};

struct agent_entry {
	const char *key;     /* of JSON: the object that holds the servers */
	const char *name;    /* of JSON: what it is called in there; NULL: AGENT_ENTRY */
	const json_t *value; /* borrowed */
	bool force;          /* also in place of one that is not ours */
};

/* TEXT NULL: there is no file. RET is what the file should hold, with EDIT_CHANGE. */
int agent_json_put(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		   enum agent_edit *ret_edit, struct aisbx_error *e);
int agent_json_drop(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		    enum agent_edit *ret_edit, struct aisbx_error *e);
/* The same in TOML; `key` is the table that holds the servers. */
int agent_toml_put(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		   enum agent_edit *ret_edit, struct aisbx_error *e);
int agent_toml_drop(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		    enum agent_edit *ret_edit, struct aisbx_error *e);
/* install.c: whether agent_install wrote such a thing. */
bool agent_is_ours(const json_t *value);

/* The file of an agent. */
struct agent_file {
	int dir;        /* owned; -1: there is none yet */
	char *dir_path; /* owned; real */
	char *name;     /* owned */
	struct buf text;
	bool there;
	unsigned int mode, uid, gid;
	long long ino, size, mtime_s, mtime_ns;
};

#define AGENT_FILE_INIT   \
	{                 \
		.dir = -1 \
	}

/* PATH is absolute. A link is followed only if WITHIN, a directory, holds where it leads; NULL: no link is
 * followed. */
int agent_file_open(const char *path, const char *within, struct agent_file *ret, struct aisbx_error *e);
void agent_file_close(struct agent_file *f);
/* All of it or nothing; only if nobody else has changed it since it was opened. */
int agent_file_write(struct agent_file *f, const char *text, size_t len, struct aisbx_error *e);
int agent_file_remove(struct agent_file *f, struct aisbx_error *e);

#endif
