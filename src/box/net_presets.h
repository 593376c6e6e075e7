/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Presets follow the client's own configuration: where pip, npm, go, cargo, maven and apt of the person are
 * set up to get packages, so that a mirror needs no rule, and is known in the box.
 */
#ifndef BOX_NET_PRESETS_H
#define BOX_NET_PRESETS_H

#include "aisbx/error.h"
#include "base/str.h"
#include "box/caller.h"

/*
 * Adds a rule for each host that the configuration names to RET, in its one true form: "NAME:PORT private",
 * as mirrors often are. Not for hosts of the preset itself. PROJECT: its directory on the host, or NULL;
 * files in it do not count, because an agent can write them. What cannot be read, or is no host that a rule
 * can have (a file, an address of this machine), is passed over.
 */
int net_preset_hosts(const char *preset, const struct caller *by, const char *project, struct strlist *ret,
		     struct aisbx_error *e);
/*
 * Adds "NAME=VALUE" to RET for what the same configuration says and the box does not see: files of the home,
 * and the caller's variables (box/net_settings.h). Later ones replace earlier ones, as for the clients.
 */
int net_preset_settings(const char *preset, const struct caller *by, const char *project, struct strlist *ret,
			struct aisbx_error *e);

#endif
