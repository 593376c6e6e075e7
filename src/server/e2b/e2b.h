/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interfaces of E2B's sandboxes for the clients that people have: control of sandboxes, files and
 * processes in one, cells of code. Each request becomes calls of operations. It knows no socket and no
 * library for HTTP: it is given an exchange, and functions to read it and to answer.
 */
#ifndef SERVER_E2B_E2B_H
#define SERVER_E2B_E2B_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "server/core/loop.h"

struct e2b;
struct exchange; /* a request and its answer, of the room that calls this one */

/* As in server/http/http.h, which has the comments. */
struct e2b_wire {
	const char *(*method)(const struct exchange *x);
	const char *(*path)(const struct exchange *x);
	const char *(*header)(const struct exchange *x, const char *name);
	const char *(*query)(const struct exchange *x, const char *name);
	const char *(*body)(const struct exchange *x, size_t *ret_len);
	const char *(*known_token)(const struct exchange *x, size_t n, const char **ret_name);
	const char *(*token)(const struct exchange *x);
	void (*set_token)(struct exchange *x, const char *name);
	void (*on_end)(struct exchange *x, void (*fn)(void *ctx), void *ctx);
	void (*add_header)(struct exchange *x, const char *name, const char *value);
	void (*reply)(struct exchange *x, unsigned int status, const char *type, const char *body,
		      size_t len);
	void (*begin)(struct exchange *x, const char *type);
	void (*send)(struct exchange *x, const char *data, size_t len);
	size_t (*waiting)(const struct exchange *x);
	void (*end)(struct exchange *x);
};

struct e2b_how {
	const struct e2b_wire *wire; /* borrowed */
	const char *state;           /* borrowed; directory for what is remembered of sandboxes */
	const char *home;            /* borrowed; the directory that sandboxes clone as their home */
	const char *const *env;      /* borrowed */
	const json_t *net;           /* borrowed; what sandboxes may reach, as in run; NULL: nothing */
	const char *profile;         /* borrowed; of sandboxes; NULL: the usual one */
	bool share;                  /* boxes are the person's, not a token's */
};

enum e2b_admit { E2B_NOT_MINE, E2B_MINE, E2B_REFUSED };

int e2b_open(struct loop *l, const struct e2b_how *how, struct e2b **ret_e2b, struct aisbx_error *e);
/* Whether the head of a request is for this, and who asks; one that may not is answered at once. */
enum e2b_admit e2b_admit(struct e2b *e, struct exchange *x, size_t *ret_max_body);
/* One that was admitted, with its body. */
void e2b_request(struct e2b *e, struct exchange *x);
/* Ends what runs; STOPPED is called when nothing is left. Sandboxes stay, until their time is over. */
void e2b_stop(struct e2b *e, void (*stopped)(void *ctx), void *ctx);
/* After it has stopped, and after all exchanges have ended. */
void e2b_close(struct e2b *e);

#endif
