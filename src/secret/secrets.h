/* SPDX-License-Identifier: Apache-2.0 */
/* The secrets of a run: read on the host when it starts, kept in memory only. */
#ifndef SECRET_SECRETS_H
#define SECRET_SECRETS_H

#include "aisbx/error.h"
#include "base/str.h"
#include "secret/redact.h"

/* What the box gets as files in JAIL_PLAN_SECRETS, or as variables; taken out of all output. */
struct run_secrets {
	struct run_secret *items; /* owned, with what is in them */
	size_t n;
	struct redactor *redactor; /* owned; what finds them all; NULL: not made yet */
	struct strlist sources;    /* owned; variables that values came from: not passed on as they are */
	struct strlist specs; /* owned; as secret/secret_spec.h has them; a later one of the same name wins */
};

/* A value that came with the request: it counts instead of the variable of this name. A list ends with NAME
 * NULL. */
struct given_secret {
	const char *name; /* borrowed, as all here */
	const char *value;
	size_t len;
};

void box_secrets_finish(struct run_secrets *s);
/* Whether a box is given any: not only what its project has anyway. */
bool secrets_given(const struct run_secrets *s);
/* Whether a later one of SPECS has the name of the one at AT: then this one need not even be there. */
bool secret_is_overridden(const struct strlist *specs, size_t at);
/*
 * Reads what S->specs name; of two with one name the last counts. Paths are relative to CWD, variables are
 * those of GIVEN, which may be NULL, and of ENV. Of an injected one the item says that the box gets it in no
 * way (box/injected.h). From then on this process leaves no memory behind when it crashes.
 */
int box_secrets_read(struct run_secrets *s, const char *cwd, const char *const *env,
		     const struct given_secret *given, struct aisbx_error *e);

#endif
