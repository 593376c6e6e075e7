/* SPDX-License-Identifier: Apache-2.0 */
/* A profile with the files it was made from. */
#ifndef BOX_PROFILES_H
#define BOX_PROFILES_H

#include "policy/profile.h"

struct box_profile {
	char *ref; /* owned; how it is found again: its name, or the absolute path of its file */
	struct profile_layer *owned; /* owned; files that were read for it */
	size_t n_owned;
	const struct profile_layer
		*chain[PROFILE_MAX_CHAIN]; /* borrowed; itself first, then what each extends */
	size_t n_chain;
	struct profile_rules rules; /* borrows from the files */
};

/*
 * REF: a name, searched in $XDG_CONFIG_HOME/aisbx/profiles (~/.config/aisbx/profiles), /etc/aisbx/profiles
 * and the shipped ones; or, with a '/', the path of a file. A file that somebody else could have written is
 * refused. LANG: of the program that is run; NULL: what is only for one language does not hold.
 */
int box_profile_load(const char *ref, const char *cwd, const char *lang, struct box_profile *ret,
		     struct aisbx_error *e);
void box_profile_finish(struct box_profile *p);
/* An error if P has a seccomp file that no run would take. */
int box_profile_check_calls(const struct box_profile *p, struct aisbx_error *e);
/* Whether P allows nothing that OF does not: no wall is weaker, no limit higher, nothing more is shown. */
bool box_profile_is_within(const struct box_profile *p, const struct box_profile *of);

/* Every name: the shipped ones, then the others in alphabetical order. */
void box_profile_names(struct strlist *ret_names);

#endif
