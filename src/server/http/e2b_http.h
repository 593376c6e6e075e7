/* SPDX-License-Identifier: Apache-2.0 */
/* The interfaces of E2B over HTTP: directories, options, and the functions that server/e2b is given. */
#ifndef SERVER_HTTP_E2B_HTTP_H
#define SERVER_HTTP_E2B_HTTP_H

#include <jansson.h>

#include "server/e2b/e2b.h"
#include "server/http/http.h"

struct e2b_http;

/* ARGS: of `serve`, borrowed as long as it is open. */
int e2b_http_open(struct loop *l, const json_t *args, struct e2b_http **ret_http, struct aisbx_error *e);
enum http_admit e2b_http_admit(struct e2b_http *h, struct exchange *x, size_t *ret_max_body);
void e2b_http_request(struct e2b_http *h, struct exchange *x);
void e2b_http_stop(struct e2b_http *h, void (*stopped)(void *ctx), void *ctx);
/* After it has stopped, and after http_close(). */
void e2b_http_close(struct e2b_http *h);

#endif
