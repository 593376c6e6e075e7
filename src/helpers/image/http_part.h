/* SPDX-License-Identifier: Apache-2.0 */
/* What http.c and http_easy.c have in common: a try, and its answer. */
#ifndef HELPERS_IMAGE_HTTP_PART_H
#define HELPERS_IMAGE_HTTP_PART_H

#include "helpers/image/http.h"

/* Makes C->easy for one try at C->url. */
int http_easy_make(struct http_call *c);
void http_easy_drop(struct http_call *c);

/* C's place is that of its origin, which may know who asks. */
bool http_at_origin(const struct http_call *c);

/* The head hook, if this answer's was not called yet. */
int http_head_once(struct http_call *c);

/* The proxy for P by the variables of the environment; NULL: none. Never one for loopback. */
const char *http_proxy_for(const struct place *p);

#endif
