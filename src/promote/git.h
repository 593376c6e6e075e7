/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How commits are promoted. No file of a git directory is copied from a box to the real project. Objects are
 * packed in the box, checked by git in another box and written as one pack; branches are moved only if they
 * have not moved meanwhile. Configuration, hooks, alternates and replacements are never promoted.
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
	GIT_FORWARD, /* fast-forward of the host's branch */
	GIT_CREATED, /* there was no branch of that name */
	GIT_ASIDE,   /* the host's branch has diverged, so the commits got a branch of their own */
};

const char *git_how_name(enum git_how how);

struct git_move {
	char *ref;                             /* owned; of the host */
	char *from;                            /* owned; of the box */
	char old[GIT_ID_MAX], now[GIT_ID_MAX]; /* old "": none */
	enum git_how how;
	uint64_t commits; /* that the host did not have */
};

/* The change of one work tree of the host. */
struct git_change {
	char *tree; /* owned; below the project; "": the project itself */
	/* owned; absolute, on the host; NULL: there is no repository yet, a clean one is made */
	char *dir, *common;
	struct git_move *moves; /* owned */
	size_t n;
	char *head_old, *head_now; /* owned; NULL, or the branch of the tree before and after */
	/* "" or the commits between which the index is updated; old "-": none */
	char index_old[GIT_ID_MAX], index_now[GIT_ID_MAX];
	unsigned int number; /* of its temporary directory */
};

struct box_git {
	struct git_change *changes; /* owned */
	size_t n;
	struct strlist stays; /* owned; messages: what stayed in the box */
	/* owned; work trees of the box that are not made outside: their files stay, too */
	struct strlist trees;
	char *switched; /* owned; NULL, or a message: the host is on another branch than before */
	/* owned; NULL, or for --merge and --rebase: the host's commit to merge, of the project itself */
	char *apart;
	size_t n_moves;
};

void box_git_finish(struct box_git *g);

struct box_git_ask {
	struct box_state *state;
	const struct store_box *box; /* locked */
	const char *snapshot;
	const char *target;            /* the project */
	const struct strlist *gits;    /* what the comparison left to git */
	const struct merge_plan *plan; /* what happens to files */
	struct open_view *open_view;   /* the box */
	const struct base_map *bases;  /* what the host had */
	const char *scratch_dir;       /* a directory of ours, empty except for `git-N` */
	/* NULL, or the one branch to promote, of the project itself; it must be ahead */
	const char *branch;
	/* write everything that is new in the repository N, as text, to DESK/git-N/contents */
	bool contents;
	bool refs; /* other branches and tags, too */
};

/* Decides, and prepares what is needed for it in a temporary directory. Nothing on the host is changed. */
int box_git_plan(const struct box_git_ask *ask, struct box_git *ret, struct aisbx_error *e);

/*
 * Resolves conflicts of files in PLAN that are none, because the box's commits descend from the host's and
 * both have their files as committed.
 */
int box_git_settle_resolved(const struct box_git_ask *ask, const struct box_git *g, struct merge_plan *plan,
			    struct aisbx_error *e);

/* Writes the plan into the journal, with what it needs of DESK, before that is committed. */
int box_git_record(const struct box_git *g, const char *scratch_dir, struct journal *j,
		   struct aisbx_error *e);

/*
 * Moves the branches as in the journal, unless already moved. -ESTALE: a branch has moved meanwhile. After an
 * error none is moved; *RET_MIXED: except for those that could not be moved back, so that it must be
 * repeated. AFTER: less important failures, as text.
 */
int box_git_forward(struct box_state *s, struct journal *j, bool *ret_mixed, struct aisbx_error *after,
		    struct aisbx_error *e);
/* The same for a promotion that was done before: branches that somebody moved since are left alone. */
int box_git_again(struct box_state *s, struct journal *j, struct aisbx_error *e);
/* Moves them back if they have not moved since. AFTER may be NULL. */
int box_git_back(struct box_state *s, struct journal *j, struct aisbx_error *after, struct aisbx_error *e);
/* What cannot be moved back because somebody moved it since: adds messages. */
int box_git_changed(struct box_state *s, struct journal *j, struct strlist *ret, struct aisbx_error *e);
/* Paths below the target that exist in addition to what the journal put there. */
int box_git_paths(const struct journal *j, struct strlist *ret, struct aisbx_error *e);

#endif
