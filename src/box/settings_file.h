/* SPDX-License-Identifier: Apache-2.0 */
/* Files of settings that the system and the person have: /etc/aisbx/NAME and ~/.config/aisbx/NAME. */
#ifndef BOX_SETTINGS_FILE_H
#define BOX_SETTINGS_FILE_H

#include <stddef.h>

#include "aisbx/error.h"
#include "base/buf.h"

typedef int settings_parse_fn(void *into, const char *text, size_t len, const char *file,
			      struct aisbx_error *e);

/* Of the system first, then of the person whose variables ENV has. What is not there says nothing. */
int settings_read(const char *const *env, const char *name, settings_parse_fn *parse, void *into,
		  struct aisbx_error *e);
/* One file that settings name. -ENOENT: it is not there, and E is unchanged. */
int settings_read_file(const char *path, struct buf *ret, struct aisbx_error *e);

#endif
