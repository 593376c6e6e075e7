/* SPDX-License-Identifier: Apache-2.0 */
/* How a person describes a secret for a box: its name there, the source of its value, how the box gets it. */
#ifndef SECRET_SECRET_SPEC_H
#define SECRET_SECRET_SPEC_H

#include <stdbool.h>

#include "aisbx/error.h"

#define SECRET_SPEC_NAME 64

enum secret_source {
	SECRET_FROM_ENV,
	SECRET_FROM_FILE,
	SECRET_FROM_COMMAND,
};

struct secret_spec {
	char name[SECRET_SPEC_NAME + 1];
	enum secret_source source;
	char *from; /* owned; a variable, a path, or a command for the shell */
	bool as_file, as_env;
};

void secret_spec_finish(struct secret_spec *s);
/*
 * "NAME=env:VARIABLE", "NAME=file:PATH" or "NAME=cmd:COMMAND"; optionally followed by ",as=file", ",as=env"
 * or ",as=both".
 */
int secret_spec_parse(const char *text, struct secret_spec *ret, struct aisbx_error *e);

#endif
