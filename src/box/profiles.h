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
 * refused.
 */
int box_profile_load(const char *ref, const char *cwd, struct box_profile *ret, struct aisbx_error *e);
void box_profile_finish(struct box_profile *p);

/* Every name: the shipped ones, then the others in alphabetical order. */
void box_profile_names(struct strlist *ret_names);

#endif
