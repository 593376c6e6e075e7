/* SPDX-License-Identifier: Apache-2.0 */
/* Access: a file of names and tokens that only its owner can read. */
#ifndef SERVER_HTTP_TOKEN_H
#define SERVER_HTTP_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "aisbx/error.h"
#include "server/http/rate.h"

#define TOKEN_NAME_MAX 64

struct token {
	char name[TOKEN_NAME_MAX];
	char *text;           /* owned */
	struct rate rate;     /* n 0: that of all */
	struct bucket bucket; /* outlives a change of the file */
};

struct tokens {
	char *path;          /* owned */
	struct token *items; /* owned */
	size_t n;
	struct stat read; /* the file they were read from */
};

int tokens_open(struct tokens *t, const char *path, struct aisbx_error *e);
/* A changed file is read again; if it cannot be read, or others can read it, nobody has access. */
int tokens_refresh(struct tokens *t, struct aisbx_error *e);
/* The token GIVEN, borrowed, or NULL. Takes the same time however much of it is right. */
struct token *tokens_find(const struct tokens *t, const char *given);
void tokens_finish(struct tokens *t);
/* The text of the token NAME, borrowed, or NULL. */
const char *tokens_text(const struct tokens *t, const char *name);

#endif
