/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The repositories of a project, and the commits of their branches and tags: as git, run in a box, reports
 * them.
 */
#ifndef PROMOTE_GIT_LIST_H
#define PROMOTE_GIT_LIST_H

#include "promote/git_run.h"

struct git_ref {
	char *name; /* owned; "refs/heads/main" */
	char id[GIT_ID_MAX];
};

/* One work tree with its repository; linked ones share theirs. */
struct git_repo {
	char *tree;   /* owned; below the project; "": the project itself */
	char *dir;    /* owned; absolute: where HEAD and the index are */
	char *common; /* owned; absolute: where branches and objects are; the same unless the tree is a linked
			 one */
	char *head;   /* owned; the branch it has checked out; NULL: none, detached */
	char at[GIT_ID_MAX];  /* the commit; "": none yet */
	struct git_ref *refs; /* owned; branches and tags, sorted by name */
	size_t n_refs;
	struct strlist busy; /* branches checked out in other work trees */
};

struct git_list {
	struct git_repo *repos; /* owned; sorted by tree */
	size_t n;
};

void git_list_finish(struct git_list *l);

/*
 * The output of the script, of which only well-formed parts are accepted. -EBADMSG: the script would not
 * print this.
 */
int git_list_parse(const char *said, const char *project, struct git_list *ret);

/*
 * G: prepared except for script and arguments. TREES: where to search; linked trees and submodules of these
 * are found as well.
 */
int git_list_read(struct git_run *g, const struct strlist *trees, struct git_list *ret,
		  struct aisbx_error *e);

/* NULL: none. */
const struct git_repo *git_list_find(const struct git_list *l, const char *tree);
/* Its id; NULL: there is no such branch or tag. */
const char *git_ref_find(const struct git_repo *r, const char *name);

/* 40 or 64 hexadecimal digits. */
bool git_is_id(const char *s);
/* The full name of a branch or tag that git accepts and that is not misleading: no option, no "HEAD". */
bool git_is_ref(const char *name);

#endif
