/* SPDX-License-Identifier: Apache-2.0 */
/* Variables by which a shell says which environment or toolchain is active: each names a directory. */
#ifndef POLICY_TOOL_ENV_H
#define POLICY_TOOL_ENV_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the variable NAME of LEN bytes names the directory of an active environment or toolchain. */
bool tool_env_name(const char *name, size_t len);

/*
 * The directory with the programs that a virtual environment of Python is made from: `home` in CONFIG, the
 * text of its pyvenv.cfg. Its end is at *RET_LEN; NULL: there is none.
 */
const char *tool_env_base(const char *config, size_t *ret_len);

#endif
