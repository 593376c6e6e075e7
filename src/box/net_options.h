/* SPDX-License-Identifier: Apache-2.0 */
/* What --net says, once or several times: a mode, presets and rules; and the rules that a run gets of it all.
 */
#ifndef BOX_NET_OPTIONS_H
#define BOX_NET_OPTIONS_H

#include "base/str.h"
#include "box/caller.h"
#include "policy/profile.h"
#include "run/spec.h"

/* Bytes of all rules of a run: they are told to whoever joins the box, in one message. */
#define NET_RULES_BYTES 24576u

/*
 * Checks VALUES and changes *MODE as they say: a mode, or rules and presets, which mean allow unless the mode
 * is ask. Those are added to RET as they were written (RET NULL: only checked). An error tells what values
 * there are.
 */
int net_options_read(const struct strlist *values, enum net_mode *mode, struct strlist *ret,
		     struct aisbx_error *e);
/*
 * Fills SPEC's rules: those of its profile, and VALUES, which net_options_read gave; presets follow the
 * configuration of who calls. Without a mode that has rules there are none. SPEC's project and profile are
 * set.
 */
int net_options_fill(const struct caller *by, const struct strlist *values, struct run_spec *spec,
		     struct aisbx_error *e);

/*
 * Adds RULE, in its one true form, unless SPEC has rules for all its names and its port: those may allow less
 * of it, and that is what counts.
 */
int net_options_need(struct run_spec *spec, const char *rule, struct aisbx_error *e);

/*
 * Tells the command what the person's configuration of the presets in use says, where the box does not see
 * it: presets of the profile, of the box, and of VALUES, what --net says. The variables that SPEC sets are
 * there.
 */
int net_options_tell(const struct caller *by, const struct strlist *values, struct run_spec *spec,
		     struct aisbx_error *e);

/* What every run in a box gets: values as for --net, kept with it in the state directory DIR. */
int box_net_keep(const char *dir, const char *id, const struct strlist *values, struct aisbx_error *e);
/* Adds them to RET; none if it has none. */
int box_net_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e);
void box_net_drop(const char *dir, const char *id);

#endif
