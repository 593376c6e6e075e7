/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates: prepared boxes under a name, from which new ones are made in the time of a fork. A template is a
 * row that points to a frozen layer, so it outlives the box it was made of. It has what that box changed of
 * system and home, and its settings; never secrets, and changes of the project only on request.
 */
#ifndef BOX_TEMPLATE_H
#define BOX_TEMPLATE_H

#include "box/box.h"

/* Of a template that was pulled: what its label said (image/template_label.h). Nothing of it is granted. */
struct template_pulled {
	char *reference; /* owned; where it came from; NULL: it was made here */
	char digest[STORE_DIGEST_MAX];
	char *profile, *recipe, *lock; /* owned; NULL: it said none */
	struct strlist net;            /* owned */
};

struct box_template {
	struct store_template row; /* owned */
	struct strlist net;        /* owned; what its boxes may reach, as for --net */
	bool shared;               /* sessions of agents may use it, too */
	bool no_caches, autosnap;  /* as of the box it was made of */
	bool with_project;         /* it has changes of row.project */
	int64_t expires_ms;        /* 0: never */
	struct template_pulled pulled;
	struct store_box since; /* with_project: time and place of these changes; nothing else of it counts */
};

void box_template_finish(struct box_template *t);
void box_template_list_finish(struct box_template *list, size_t n);

struct box_template_request {
	const char *from; /* BOX[@SNAPSHOT] */
	const char *name;
	bool with_project; /* also the changes of the project */
	bool shared;
	bool replace;              /* one of that name goes, in the same moment */
	uint64_t ttl_ms;           /* 0: for ever */
	const char *recipe, *lock; /* NULL, or what it was built from */
	const struct strlist *net; /* NULL: as the box has it */
};

/*
 * Of a box as it is, also a live one: takes a snapshot first. If the box changed its project, the other
 * changes are linked into a layer of their own, which takes time by their number.
 */
int box_template_save(const struct box_template_request *req, struct box_template *ret,
		      struct aisbx_error *e);
/*
 * KEY is NAME, or OWNER/NAME. The person finds all; who acts for an owner finds their own ones and shared
 * ones, by NAME only own ones and the person's. -ENOENT: there is none, or it is over.
 */
int box_template_find(struct box_state *s, const char *key, struct box_template *ret, struct aisbx_error *e);
/* Those that whom we act for can find, by name. */
int box_template_list(struct box_state *s, struct box_template **ret, size_t *ret_n, struct aisbx_error *e);
/*
 * Sends it to a registry, as an image that has its settings in a label; IMAGE as image_push (box/image_out.h)
 * has it. One with changes of a project is refused.
 */
struct image_import;
struct image_pushed;
int box_template_push(const char *key, const char *to, const struct image_import *how,
		      struct image_pushed *ret, struct aisbx_error *e);

struct box_template_pull {
	const char *name; /* NULL: as it was called where it comes from */
	bool shared, replace;
	const struct image_import *how; /* its source is the reference */
};

/*
 * Brings one from a registry. Its label is only asked, never obeyed, where it would widen something: its
 * network rules are told and not granted, and its profile counts only if it allows nothing that the usual one
 * does not. One that stands on a machine must have been made on a system like this one.
 */
int box_template_pull(const struct box_template_pull *req, struct box_template *ret, struct aisbx_error *e);
/* As box_told_as. */
void box_template_told_as(const struct box_template *t, char ret[BOX_KEY_MAX + 1]);
/* The name goes. Boxes that were made from it keep what they stand on. */
int box_template_remove(struct box_state *s, const char *key, struct aisbx_error *e);
/* Those whose time is over go. */
int box_template_expire(struct box_state *s, size_t *ret_n, struct aisbx_error *e);

#endif
