/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in files of a project, such as ".env": found where people put them, not by a walk through the
 * project. The box has them, since its programs need them; they are taken out of output, and stop a
 * promotion. Each is called PATH:NAME.
 */
#ifndef BOX_PROJECT_SECRETS_H
#define BOX_PROJECT_SECRETS_H

#include "base/str.h"
#include "run/spec.h"
#include "secret/secrets.h"
#include "store/store.h"

/* What was found, for people. */
struct project_secret_file {
	char *path;    /* owned; in the project */
	size_t values; /* so many of its values are taken for secrets */
};

struct project_secret_files {
	struct project_secret_file *items; /* owned */
	size_t n;
	size_t more; /* values for which there was no room: they are not looked for */
};

void project_secret_files_finish(struct project_secret_files *f);
/*
 * Adds the secrets of PROJECT to RET, and their files to FILES, if that is not NULL. CWD: a directory in it
 * whose files count, too; may be NULL. Files that cannot be read have none: a box cannot read them either.
 */
int project_secrets_find(const char *project, const char *cwd, struct run_secrets *ret,
			 struct project_secret_files *files, struct aisbx_error *e);
/* The same for a run, unless its profile or options say that they are none. */
int project_secrets_add(struct run_spec *spec, struct aisbx_error *e);
/* The same for what leaves box B. */
int project_secrets_of_box(const struct store_box *b, struct run_secrets *ret, struct aisbx_error *e);

#endif
