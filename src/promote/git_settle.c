/* SPDX-License-Identifier: Apache-2.0 */
/* Decides about each branch, now that the relation of both sides is known. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "promote/git_transfer.h"

static struct git_change *add_change(struct git_transfer *d)
{
	struct git_change *grown = realloc(d->g->changes, (d->g->n + 1) * sizeof(*grown)), *c;

	if (!grown)
		return NULL;
	d->g->changes = grown;
	c = &grown[d->g->n];
	*c = (struct git_change){ .tree = strdup(d->box->tree), .number = d->number };
	if (d->host) {
		c->dir = strdup(d->host->dir);
		c->common = strdup(d->host->common);
	}
	d->g->n++;
	return c->tree && (!d->host || (c->dir && c->common)) ? c : NULL;
}

static int add_move(struct git_change *c, struct box_git *g, const struct git_wanted *w, enum git_how how)
{
	struct git_move *grown = realloc(c->moves, (c->n + 1) * sizeof(*grown)), *m;

	if (!grown)
		return -ENOMEM;
	c->moves = grown;
	m = &grown[c->n];
	*m = (struct git_move){
		.ref = strdup(w->ref), .from = strdup(w->from), .how = how, .commits = w->commits
	};
	if (w->old)
		snprintf(m->old, sizeof(m->old), "%s", w->old);
	snprintf(m->now, sizeof(m->now), "%s", w->now);
	c->n++;
	g->n_moves++;
	return m->ref && m->from ? 0 : -ENOMEM;
}

/* Another work tree of the same repository has got it. */
static bool is_given(const struct git_transfer *d, const char *ref)
{
	for (size_t i = 0; i < d->g->n; i++) {
		const struct git_change *c = &d->g->changes[i];

		for (size_t k = 0; c->common && !strcmp(c->common, d->host->common) && k < c->n; k++)
			if (!strcmp(c->moves[k].ref, ref))
				return true;
	}
	return false;
}

/* A branch of the box's own name, or where that is taken by something else the next that is free. */
static int move_aside(struct git_transfer *d, struct git_change *c, const struct git_wanted *aside)
{
	char name[sizeof(d->aside) + 16];
	struct git_wanted w = *aside;

	if (w.old && !strcmp(w.old, w.now))
		return 0; /* it is there already */
	w.ahead &= !is_given(d, w.ref);
	for (int i = 2; !w.ahead; i++) {
		const char *old;

		snprintf(name, sizeof(name), "%s-%d", d->aside, i);
		old = git_ref_find(d->host, name);
		if (old && !strcmp(old, w.now))
			return 0;
		w.ref = name;
		w.old = NULL;
		w.ahead = !old && !is_given(d, name);
	}
	return add_move(c, d->g, &w, GIT_ASIDE);
}

/* The host's work tree follows the box's: its index, and where the box went to another branch, its HEAD. */
static int follow(struct git_transfer *d, struct git_change *c, const struct git_wanted *w)
{
	bool same =
		d->host->head ? w->ref && !strcmp(d->host->head, w->ref) : w->ref && !strcmp(w->ref, "HEAD");

	if (!same && !(d->before && d->host->head && w->ref && !strcmp(d->before, d->host->head)))
		return 0; /* the host went elsewhere itself */
	if (!same) {
		c->head_old = strdup(d->host->head);
		c->head_now = strdup(w->ref);
		if (!c->head_old || !c->head_now)
			return -ENOMEM;
		d->g->n_moves++;
	}
	snprintf(c->index_old, sizeof(c->index_old), "%s", d->host->at[0] ? d->host->at : "-");
	snprintf(c->index_now, sizeof(c->index_now), "%s", w->now);
	return 0;
}

/* The branch W is of cannot be moved to where the box has it. */
static bool cannot_move(const struct git_transfer *d, const struct git_wanted *w)
{
	return !w->ref || w->apart || strlist_has(&d->host->busy, w->ref) ||
	       (!w->old && git_blocked_by(d->host, w->ref));
}

static int settle_head(struct git_transfer *d, struct git_change *c, const struct git_wanted *w,
		       const struct git_wanted *aside)
{
	int r;

	if (w->ref && !w->ahead && !w->apart)
		return 0; /* the host has all of it */
	if (cannot_move(d, w)) {
		if (w->apart && !*d->box->tree)
			d->g->apart = strdup(w->old);
		return aside && w->commits ? move_aside(d, c, aside)
					   : 0; /* without any the host has it all, somewhere */
	}
	r = w->old && !strcmp(w->old, w->now) ? 0 : add_move(c, d->g, w, w->old ? GIT_FORWARD : GIT_CREATED);
	return r < 0 ? r : follow(d, c, w);
}

static int settle_other(struct git_transfer *d, struct git_change *c, const struct git_wanted *w)
{
	const char *other = w->old ? NULL : git_blocked_by(d->host, w->ref);

	if (other) {
		git_say(d->g, "your repository has '%s', so '%s' cannot be made; the box's stayed in the box",
			git_short_name(other), git_short_name(w->ref));
		return 0;
	}
	if (w->ahead && !strlist_has(&d->host->busy, w->ref) &&
	    !(d->host->head && !strcmp(d->host->head, w->ref)))
		return add_move(c, d->g, w, w->old ? GIT_FORWARD : GIT_CREATED);
	if (w->apart || w->ahead)
		git_say(d->g, "branch '%s' %s; the box's version stayed in the box", git_short_name(w->ref),
			w->apart ? "has diverged in your repository" : "is checked out in another work tree");
	return 0;
}

static void note_switch(struct git_transfer *d)
{
	const char *is = d->host->head ? d->host->head : NULL;

	if (!d->before || !d->head || (is && !strcmp(is, d->before)) || (is && !strcmp(is, d->head)) ||
	    d->g->switched)
		return;
	if (asprintf(&d->g->switched,
		     "'%s%s%s' was on branch '%s' when the box was made and is on %s%s%s now: 'git switch "
		     "%s' first",
		     d->ask->target, *d->box->tree ? "/" : "", d->box->tree, git_short_name(d->before),
		     is ? "'" : "no branch", is ? git_short_name(is) : "", is ? "'" : "",
		     git_short_name(d->before)) < 0)
		d->g->switched = NULL;
}

int git_transfer_settle(struct git_transfer *d)
{
	const struct git_wanted *aside = NULL;
	struct git_change *c = add_change(d);
	size_t before = d->g->n_moves;
	int r = c ? 0 : -ENOMEM;

	for (size_t i = 0; i < d->wanted.n; i++)
		if (d->wanted.list[i].is_aside)
			aside = &d->wanted.list[i];
	for (size_t i = 0; r == 0 && i < d->wanted.n; i++) {
		const struct git_wanted *w = &d->wanted.list[i];

		if (w->is_aside)
			continue;
		if (!d->host)
			r = w->ref ? add_move(c, d->g, w, GIT_CREATED) : 0;
		else
			r = w->is_head ? settle_head(d, c, w, aside) : settle_other(d, c, w);
	}
	if (r == 0 && d->host && d->g->n_moves != before)
		note_switch(d);
	if (r == 0 && d->g->n_moves == before) { /* there is nothing to do */
		git_change_finish(c);
		d->g->n--;
	}
	return r;
}
