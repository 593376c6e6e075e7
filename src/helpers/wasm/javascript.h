/* SPDX-License-Identifier: Apache-2.0 */
/* Between the runtime of JavaScript in its VM and its host. Inside helpers/wasm only. */
#ifndef HELPERS_WASM_JAVASCRIPT_H
#define HELPERS_WASM_JAVASCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "helpers/wasm/start.h"

/* A VM and what it may use. */
struct javascript {
	const struct start *start; /* borrowed */
	struct started *p;         /* borrowed */
	int root;                  /* owned; where its files are; -1: it has none */
	bool has_ended;            /* by process.exit() */
	int status;
};

#define JAVASCRIPT_ARGS 4

/* What the runtime asks for; text is UTF-8, bytes may be anything. */
struct javascript_arg {
	const char *text; /* borrowed from COPY; with a NUL behind it; NULL: it is no text and no bytes */
	size_t len;
	double number;
	struct buf copy; /* owned */
};

/* What it gets: a number, a text, or bytes. */
struct javascript_answer {
	enum { ANSWER_NOTHING, ANSWER_NUMBER, ANSWER_TEXT, ANSWER_BYTES } kind;
	double number;
	struct buf data; /* owned */
};

/* The operations on files, by their name without "file."; false: there is none of that name. */
bool javascript_file(const struct javascript *js, const char *name, const struct javascript_arg *args,
		     struct javascript_answer *ret);

#endif
