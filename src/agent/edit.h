/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds one entry to the configuration of an agent, and removes exactly that entry again. Text in, text out:
 * every byte outside the entry stays. What cannot be parsed safely is refused, not guessed.
 */
#ifndef AGENT_EDIT_H
#define AGENT_EDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* The name of an entry in every configuration. */
#define AGENT_ENTRY "aisbx"

enum agent_edit {
	EDIT_NONE,   /* it is correct already */
	EDIT_CHANGE, /* the new text is to be written */
	EDIT_REMOVE, /* the file contained nothing else */
};

struct agent_entry {
	const char *key;     /* JSON: the object that contains the servers */
	const char *name;    /* JSON: its name there; NULL: AGENT_ENTRY */
	const json_t *value; /* borrowed */
	bool force;          /* replace one that is not ours */
};

/* TEXT NULL: there is no file. RET: the new content of the file, with EDIT_CHANGE. */
int agent_json_put(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		   enum agent_edit *ret_edit, struct aisbx_error *e);
int agent_json_drop(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		    enum agent_edit *ret_edit, struct aisbx_error *e);
/* The same for TOML; `key` is the table that contains the servers. */
int agent_toml_put(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		   enum agent_edit *ret_edit, struct aisbx_error *e);
int agent_toml_drop(const char *text, size_t len, const struct agent_entry *entry, struct buf *ret,
		    enum agent_edit *ret_edit, struct aisbx_error *e);
/* install.c: whether agent_install wrote this. */
bool agent_is_ours(const json_t *value);

/* The file of an agent. */
struct agent_file {
	int dir;        /* owned; -1: it does not exist yet */
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

/*
 * PATH is absolute. A link is followed only if its target is in the directory WITHIN; NULL: no link is
 * followed.
 */
int agent_file_open(const char *path, const char *within, struct agent_file *ret, struct aisbx_error *e);
void agent_file_close(struct agent_file *f);
/* All of it or nothing; only if it has not changed since it was opened. */
int agent_file_write(struct agent_file *f, const char *text, size_t len, struct aisbx_error *e);
int agent_file_remove(struct agent_file *f, struct aisbx_error *e);

#endif
