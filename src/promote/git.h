/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way home of commits. Nothing of a git directory goes from a box to the real project as a file. What
 * goes is objects, packed in the box, checked by git in another box and written as one pack, and branches,
 * each moved only if it stands where it stood. Configuration, hooks, alternates, replacements: never.
 */
#ifndef PROMOTE_GIT_H
#define PROMOTE_GIT_H

#include "box/box.h"
#include "promote/git_run.h"
#include "layer/base.h"
#include "layer/journal.h"
#include "layer/merge.h"
#include "layer/view.h"

enum git_how {
	GIT_FORWARD, /* the branch goes on from where the host has it */
	GIT_CREATED, /* there was none of that name */
	GIT_ASIDE,   /* the host's went another way, so it got a branch of its own */
};

const char *git_how_name(enum git_how how);

struct git_move {
	char *ref;                             /* owned; of the host */
	char *from;                            /* owned; of the box */
	char old[GIT_ID_MAX], now[GIT_ID_MAX]; /* old "": there is none */
	enum git_how how;
	uint64_t commits; /* that the host did not have */
};

/* What happens to one work tree of the host. */
struct git_change {
	char *tree;         /* owned; below the project; "": the project itself */
	char *dir, *common; /* owned; absolute, of the host; NULL: there is no repository yet, a clean one is
			       made */
	struct git_move *moves; /* owned */
	size_t n;
	char *head_old, *head_now; /* owned; NULL, or the branch the tree was on and the one it is on then */
	char index_old[GIT_ID_MAX], index_now[GIT_ID_MAX]; /* "" or the commits between which the index
							      follows; old "-": from nothing */
	unsigned int number;                               /* of its directory on the desk */
};

struct box_git {
	struct git_change *changes; /* owned */
	size_t n;
	struct strlist stays; /* owned; sentences: what stayed in the box */
	struct strlist trees; /* owned; work trees of the box that are not made outside: their files stay with
				 them */
	char *switched;       /* owned; NULL, or a sentence: the host is on another branch than it was */
	char *apart; /* owned; NULL, or of --merge and --rebase: the host's commit to join, of the project
			itself */
	size_t n_moves;
};

void box_git_finish(struct box_git *g);

struct box_git_ask {
	struct box_shelf *shelf;
	const struct store_box *box; /* locked */
	const char *snapshot;
	const char *target;            /* the project */
	const struct strlist *gits;    /* what the comparison left to git */
	const struct merge_plan *plan; /* what happens to files */
	struct eye *eye;               /* the box */
	const struct base_map *bases;  /* what the host had */
	const char *desk;              /* a directory of ours, empty but for `git-N` */
	const char *branch; /* NULL, or the one branch to bring, of the project itself; it must be ahead */
	bool contents;      /* leave all that is new in the repository N, as text, in DESK/git-N/contents */
	bool refs;          /* other branches and tags, too */
};

/* Decides, and puts what is needed for it on the desk. Nothing of the host is touched. */
int box_git_plan(const struct box_git_ask *ask, struct box_git *ret, struct aisbx_error *e);

/* Conflicts of files in PLAN that are none, since the box's commits go on from the host's and both have their
 * files as they committed them. */
int box_git_settle_known(const struct box_git_ask *ask, const struct box_git *g, struct merge_plan *plan,
			 struct aisbx_error *e);

/* Writes the plan into the journal, with what it needs of DESK, before that is committed. */
int box_git_record(const struct box_git *g, const char *desk, struct journal *j, struct aisbx_error *e);

/*
 * Moves what the journal says, where it was not moved yet. -ESTALE: a branch is not where it stood. After an
 * error none is moved; *RET_MIXED: but for those that could not be moved back, so that it must be tried
 * again. AFTER: what could not be done but does not matter as much, in words.
 */
int box_git_forward(struct box_shelf *s, struct journal *j, bool *ret_mixed, struct aisbx_error *after,
		    struct aisbx_error *e);
/* The same of one that was done once: what somebody moved since is theirs. */
int box_git_again(struct box_shelf *s, struct journal *j, struct aisbx_error *e);
/* Moves it back where it still is as it was left. AFTER may be NULL. */
int box_git_back(struct box_shelf *s, struct journal *j, struct aisbx_error *after, struct aisbx_error *e);
/* What would not go back, because somebody moved it since: adds sentences. */
int box_git_changed(struct box_shelf *s, struct journal *j, struct strlist *ret, struct aisbx_error *e);
/* Paths below the target that are there beside what the journal put there. */
int box_git_paths(const struct journal *j, struct strlist *ret, struct aisbx_error *e);

#endif
