/* SPDX-License-Identifier: Apache-2.0 */
/* What a result has of one stream: beginning and end, if all of it is too long. */
#ifndef FLEET_CLIENT_KEPT_H
#define FLEET_CLIENT_KEPT_H

#include "base/buf.h"
#include <stdint.h>

struct kept {
	size_t room; /* bytes at most */
	uint64_t total;
	struct buf head;
	char *tail; /* owned; a ring, made when the head is full */
	size_t at, len;
};

void kept_add(struct kept *k, const char *data, size_t len);
void kept_finish(struct kept *k);
/* As UTF-8, with a line that says how much is missing; returns how many bytes those are. */
uint64_t kept_text(const struct kept *k, struct buf *ret);

#endif
