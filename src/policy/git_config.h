/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the text of a git configuration says. git itself is not run, because a configuration can tell it to
 * run programs; files that it includes are not followed.
 */
#ifndef POLICY_GIT_CONFIG_H
#define POLICY_GIT_CONFIG_H

#include <stdbool.h>

/*
 * The last value of KEY in sections SECTION ("user") or, with PART, [SECTION "PART"]. *RET is owned; where
 * TEXT has none it stays as it is. False: no memory.
 */
bool git_config_value(const char *text, const char *section, const char *part, const char *key, char **ret);

#endif
