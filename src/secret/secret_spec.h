/* SPDX-License-Identifier: Apache-2.0 */
/* How a person describes a secret for a box: its name there, the source of its value, how the box gets it. */
#ifndef SECRET_SECRET_SPEC_H
#define SECRET_SECRET_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"

#define SECRET_SPEC_NAME 64
/* What is sent when only a host is named. */
#define SECRET_SPEC_HEADER "Authorization: Bearer {}"

enum secret_source {
	SECRET_FROM_ENV,
	SECRET_FROM_FILE,
	SECRET_FROM_COMMAND,
};

/* How an injected secret is put into a request; see net/tls_control.h. */
enum secret_way {
	SECRET_BY_HEADER,
	SECRET_BY_BASIC, /* as user or password of "Authorization: Basic" */
	SECRET_BY_AWS,   /* requests are signed anew; the value is KEY-ID:SECRET[:SESSION-TOKEN] */
};

/* Where a secret goes that the box never has. */
struct secret_inject {
	char *host; /* owned; as it was written; NULL: the box gets the secret itself */
	uint16_t port;
	enum secret_way way;
	char *header; /* owned; "Name: text {} text"; NULL of other ways */
};

struct secret_spec {
	char name[SECRET_SPEC_NAME + 1];
	enum secret_source source;
	char *from; /* owned; a variable, a path, or a command for the shell */
	bool as_file, as_env;
	struct secret_inject inject;
};

void secret_spec_finish(struct secret_spec *s);
/*
 * "NAME=env:VARIABLE", "NAME=file:PATH" or "NAME=cmd:COMMAND"; optionally followed by ",as=file", ",as=env"
 * or ",as=both", and as the last part by ",inject=HOST[:PORT]", which takes the rest of the text: behind a
 * space it can have "Header-Name: text {} text", "basic" or "aws-sigv4". Then the box has a placeholder, by
 * default as a variable. Whether HOST can be a host is not checked here (policy/profile.h does).
 */
int secret_spec_parse(const char *text, struct secret_spec *ret, struct aisbx_error *e);
/* "header", "basic" or "aws-sigv4". */
const char *secret_way_name(enum secret_way way);

#endif
