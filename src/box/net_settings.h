/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What package managers in a box are told by variables: the person's own files about a mirror lie in the
 * home, which the box does not see. Pure; no system calls.
 */
#ifndef BOX_NET_SETTINGS_H
#define BOX_NET_SETTINGS_H

#include <stdbool.h>

#include "base/str.h"
#include "box/caller.h"
#include "run/spec.h"

/*
 * Adds "NAME=VALUE" to SETTINGS for KEY of a file that the clients of PRESET read (lower case, '-' for '_'),
 * if a variable stands for it; instead of an earlier one, or with MORE behind it. URLs lose their user and
 * password: credentials do not enter a box. Values that are of no use there are passed over: of this
 * machine's loopback or files, or with variables or a query in them.
 */
void net_setting_add(struct strlist *settings, const char *preset, const char *key, const char *value,
		     bool more);
/* The same for a variable of the caller, with its own name. */
void net_setting_add_variable(struct strlist *settings, const char *name, const char *value);
/* Whether the clients of PRESET read variable NAME. */
bool net_setting_is(const char *preset, const char *name);
/* Sets them for SPEC's command, but for those that its caller sets or that are passed on anyway. */
void net_settings_tell(const struct strlist *settings, const struct caller *by, struct run_spec *spec);

#endif
