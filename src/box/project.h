/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The aisbx.yaml that counts for a decision: the person's own, as it is on the host, in the directory that is
 * asked about and in all above it. A box's version of it never counts.
 */
#ifndef BOX_PROJECT_H
#define BOX_PROJECT_H

#include "project/project.h"

struct box_project_file {
	char *dir, *text; /* owned */
};

/* As they were read, the outermost first. */
struct box_project_files {
	struct box_project_file *items; /* owned */
	size_t n;
};

/* DIR: absolute. One that somebody else could have written is an error, as it is of a profile. */
int box_project_find(const char *dir, struct box_project_files *ret, struct aisbx_error *e);
/* What all of them say together. */
int box_project_read(const struct box_project_files *f, struct project *ret, struct aisbx_error *e);
/* Both. Without any file RET is empty, and that is no error. */
int box_project_load(const char *dir, struct project *ret, struct aisbx_error *e);
void box_project_files_finish(struct box_project_files *f);

/*
 * Where a command of the file in DIR (NULL: in none) runs that is about PROJECT, which lies there or below:
 * in DIR, or its CWD (NULL: itself). What is about another place runs in that. Heap or NULL.
 */
char *box_project_cwd(const char *project, const char *dir, const char *cwd);
/* PROJECT's part of PLACE, which stands for DIR: of "/a/b" with the file in "/a", "/x" is "/x/b". Heap or
 * NULL. */
char *box_project_part(const char *project, const char *dir, const char *place);

#endif
