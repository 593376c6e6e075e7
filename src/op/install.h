/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting one entry into the configuration of an agent, and taking exactly it out again. Texts in, texts out:
 * every byte that is not of the entry stays. What cannot be understood for sure is refused, not guessed at.
 */
#ifndef OP_INSTALL_H
#define OP_INSTALL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* What an entry is called in every configuration. */
#define INSTALL_NAME "aisbx"
/* The variable from which agents take the token for HTTP: tokens are not written into files. */
#define INSTALL_TOKEN "AISBX_TOKEN"

enum install_edit {
	EDIT_NONE,   /* it is as it should be */
	EDIT_CHANGE, /* the new text is to be written */
	EDIT_REMOVE, /* nothing else was ever in the file */
};

struct install_entry {
	const char *key;     /* of JSON: the object that holds the servers */
	const char *name;    /* of JSON: what it is called in there; NULL: INSTALL_NAME */
	const json_t *value; /* borrowed */
	bool force;          /* also in place of one that is not ours */
};

/* TEXT NULL: there is no file. RET is what the file should hold, with EDIT_CHANGE. */
int install_json_put(const char *text, size_t len, const struct install_entry *entry, struct buf *ret,
		     enum install_edit *ret_edit, struct aisbx_error *e);
int install_json_drop(const char *text, size_t len, const struct install_entry *entry, struct buf *ret,
		      enum install_edit *ret_edit, struct aisbx_error *e);
/* The same in TOML; `key` is the table that holds the servers. */
int install_toml_put(const char *text, size_t len, const struct install_entry *entry, struct buf *ret,
		     enum install_edit *ret_edit, struct aisbx_error *e);
int install_toml_drop(const char *text, size_t len, const struct install_entry *entry, struct buf *ret,
		      enum install_edit *ret_edit, struct aisbx_error *e);
/* Whether install wrote such a thing. */
bool install_is_ours(const json_t *value);

/* The file of an agent. */
struct install_file {
	int dir;        /* owned; -1: there is none yet */
	char *dir_path; /* owned; real */
	char *name;     /* owned */
	struct buf text;
	bool there;
	unsigned int mode, uid, gid;
	long long ino, size, mtime_s, mtime_ns;
};

#define INSTALL_FILE_INIT \
	{                 \
		.dir = -1 \
	}

/* PATH is absolute. A link is followed only if WITHIN, a directory, holds where it leads; NULL: no link is
 * followed. */
int install_file_open(const char *path, const char *within, struct install_file *ret, struct aisbx_error *e);
void install_file_close(struct install_file *f);
/* All of it or nothing; only if nobody else has changed it since it was opened. */
int install_file_write(struct install_file *f, const char *text, size_t len, struct aisbx_error *e);
int install_file_remove(struct install_file *f, struct aisbx_error *e);

#endif
