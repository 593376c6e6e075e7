/* SPDX-License-Identifier: Apache-2.0 */
/* A request or an answer without its body, whatever version of HTTP it came by. */
#ifndef NET_TLS_MESSAGE_H
#define NET_TLS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MAX_FIELDS 200u
#define MESSAGE_MAX_BYTES  65536u /* of names and values together */

struct field {
	char *name;  /* owned; in whatever case: compare with strcasecmp */
	char *value; /* owned; no NUL inside, no space around */
	bool hide;   /* HTTP/2: not to be put into a table that outlives the request */
};

struct message {
	char *method, *target, *authority; /* owned; of a request */
	unsigned int status;               /* of an answer */
	struct field fields[MESSAGE_MAX_FIELDS];
	size_t n_fields;
	size_t bytes;
};

/* Frees what is in it and empties it; secrets in it are overwritten. */
void message_finish(struct message *m);
/* Copies. False: too much, or no memory. Spaces around VALUE are left out. */
bool message_add(struct message *m, const char *name, size_t name_len, const char *value, size_t value_len);
bool message_set(char **text, const char *value, size_t len);
/* The value of the first field of that name, or NULL. */
const char *message_get(const struct message *m, const char *name);
void message_remove(struct message *m, const char *name);
void message_remove_at(struct message *m, size_t i);
/* Whether WORD is in the list that fields of that name are. */
bool message_has_word(const struct message *m, const char *name, const char *word);

#endif
