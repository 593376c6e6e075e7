/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipes: files that say how a template is built. Steps run inside a box, with no more network than the
 * recipe names, and what they fetch is locked by hashes in a second file, the lock. Pure; no system calls.
 */
#ifndef PROJECT_RECIPE_H
#define PROJECT_RECIPE_H

#include "aisbx/error.h"
#include "base/str.h"
#include "policy/yaml_shape.h"

/* Bytes of a lock. */
#define RECIPE_LOCK_MAX (8u << 20)

/* The form of a lock, which says what in it is a hash. */
enum recipe_lock_kind {
	RECIPE_LOCK_NONE, /* the recipe fetches nothing */
	RECIPE_LOCK_PIP,  /* requirements with --hash */
	RECIPE_LOCK_NPM,  /* package-lock.json */
	RECIPE_LOCK_CARGO,
	RECIPE_LOCK_GO,     /* go.sum */
	RECIPE_LOCK_SHA256, /* as sha256sum(1) has it */
};

extern const char *const recipe_lock_kinds[]; /* names, from RECIPE_LOCK_PIP on; ends with NULL */

struct recipe {
	char *name;            /* owned, as all; of the template */
	char *about;           /* NULL: nothing is said */
	char *from;            /* NULL: this machine; else as for `create --from` */
	char *profile;         /* NULL: dev */
	bool caches;           /* its boxes see the caches of the home */
	struct strlist net;    /* presets and rules; none: no network */
	struct strlist files;  /* names of files that the steps find in their directory */
	struct strlist texts;  /* the content of each */
	struct strlist steps;  /* shell commands, with the network */
	struct strlist checks; /* shell commands without it, which have to succeed */
	enum recipe_lock_kind kind;
	char *lock_file;    /* what the steps find the lock as; NULL: there is none */
	char *lock_command; /* makes it */
};

void recipe_finish(struct recipe *r);
/* FILE: its name in errors. */
int recipe_parse(const char *text, size_t len, const char *file, struct recipe *ret, struct aisbx_error *e);

extern const struct doc_shape recipe_shape;

/*
 * Whether TEXT is a lock of that kind: everything in it has a hash, and it says nothing else that a tool
 * would obey. FILE is for the error. A box may have written it.
 */
int recipe_lock_check(enum recipe_lock_kind kind, const char *text, size_t len, const char *file,
		      struct aisbx_error *e);

#endif
