/* SPDX-License-Identifier: Apache-2.0 */
/* Looking up a variable in somebody's environment, which need not be our own. */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include <stddef.h>
#include <string.h>

/* The value of NAME in ENV, which ends with NULL or is NULL itself; borrowed. NULL: it is not there. */
static inline const char *env_find(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (!strncmp(*env, name, n) && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

/* The same of a directory: NULL, too, when the value is no absolute path. */
static inline const char *env_dir(const char *const *env, const char *name)
{
	const char *value = env_find(env, name);

	return value && value[0] == '/' ? value : NULL;
}

#endif
