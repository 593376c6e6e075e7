/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The aisbx.yaml that applies to a decision: the person's own, on the host, in the given directory and in all
 * above it. A box's version is never used.
 */
#ifndef BOX_PROJECT_H
#define BOX_PROJECT_H

#include "box/caller.h"
#include "project/project.h"

struct box_project_file {
	char *dir, *text; /* owned */
};

/* In the order in which they were read, the outermost first. */
struct box_project_files {
	struct box_project_file *items; /* owned */
	size_t n;
};

/* DIR: absolute. A file that somebody else could have written is an error, as for a profile. */
int box_project_find(const char *dir, struct box_project_files *ret, struct aisbx_error *e);
/* The settings of all of them together. A mistake in a part (project_part) that is not one of NEEDS is no
 * error. */
int box_project_read(const struct box_project_files *f, unsigned int needs, struct project *ret,
		     struct aisbx_error *e);
/* Both. Without any file RET is empty, and that is no error. */
int box_project_load(const char *dir, unsigned int needs, struct project *ret, struct aisbx_error *e);
void box_project_files_finish(struct box_project_files *f);

/*
 * Where a command of the file in DIR (NULL: no file) runs for PROJECT, which is DIR or below: in DIR, or its
 * CWD (NULL: itself). Heap or NULL.
 */
char *box_project_cwd(const char *project, const char *dir, const char *cwd);
/*
 * PROJECT's part of PLACE, which stands for DIR: with DIR "/a", PROJECT "/a/b" and PLACE "/x" it is "/x/b".
 * Heap or NULL.
 */
char *box_project_part(const char *project, const char *dir, const char *place);

/* project_check.c. The same as box_project_load of all parts; an error says how to find out more. */
int box_project_load_told(const char *dir, struct project *ret, struct aisbx_error *e);

struct box_project_checked {
	char *file;            /* owned; what was read */
	struct strlist errors; /* everything that is wrong: "FILE:LINE:COLUMN: TEXT" */
};

void box_project_checked_finish(struct box_project_checked *c);
/* PATH: a file, or a directory that has one in it or above it; relative to the caller's directory; NULL:
 * that. */
int box_project_check(const struct caller *by, const char *path, struct box_project_checked *ret,
		      struct aisbx_error *e);
/* All that holds in DIR (NULL: where the caller is). RET_OWN: the file names stages; else those are what
 * holds without. RET is finished by the caller, also after an error. */
int box_project_show(const struct caller *by, const char *dir, struct project *ret, bool *ret_own,
		     struct aisbx_error *e);

#endif
