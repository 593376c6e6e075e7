/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a project that hold secrets of its own, such as ".env": which they are, and which of their values
 * look like secrets. Their text may be hostile; nothing here is more than a guess, and docs/secrets.md says
 * what it misses. Pure; no system calls.
 */
#ifndef POLICY_SECRET_FILE_H
#define POLICY_SECRET_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* How a file is read. */
enum secret_file {
	SECRET_FILE_NONE,
	SECRET_FILE_ENV,   /* NAME=value, "export", quotes, values of several lines */
	SECRET_FILE_INI,   /* name = value */
	SECRET_FILE_YAML,  /* name: value, at any depth; lists and blocks are not read */
	SECRET_FILE_JSON,  /* texts, at any depth */
	SECRET_FILE_NETRC, /* password WORD */
	SECRET_FILE_PHP,   /* define('NAME', 'value') */
	SECRET_FILE_PEM,   /* private keys */
	SECRET_FILE_WHOLE, /* all of it is one secret */
};

/* What the file NAME, without a directory, is by its name. */
enum secret_file secret_file_kind(const char *name);
/* Paths in a project that are looked for where not every name is; NULL-terminated. */
extern const char *const secret_file_paths[];
/* A directory whose content is not the project's own: packages, builds. */
bool secret_file_skips(const char *dir);

/* More is not read of a file, and no more values are taken. */
#define SECRET_FILE_BYTES  65536u
#define SECRET_FILE_VALUES 48u

struct secret_value {
	char *name;  /* owned; of the setting; printable, at most 40 bytes */
	char *value; /* owned; a NUL follows */
	size_t len;
};

struct secret_values {
	struct secret_value items[SECRET_FILE_VALUES];
	size_t n;
	size_t more; /* further ones for which there was no room */
	bool failed; /* no memory: some are missing */
};

void secret_values_finish(struct secret_values *v);
/* Adds the values of TEXT that look like secrets, each once. */
void secret_file_read(enum secret_file kind, const char *text, size_t len, struct secret_values *ret);

/*
 * Whether a value looks like a secret: long and irregular enough, and no word, number, path, address or
 * placeholder. NAME is that of its setting; with one such as API_KEY less is enough.
 */
bool secret_value_looks(const char *name, const char *value, size_t len);
/* The part of a value that is the secret: the password of a URL, the last part of a webhook's. */
const char *secret_value_part(const char *name, const char *value, size_t len, size_t *ret_len);

#endif
