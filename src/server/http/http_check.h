/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the headers of a request: host names, origins, content types. Text only. */
#ifndef SERVER_HTTP_HTTP_CHECK_H
#define SERVER_HTTP_HTTP_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "aisbx/error.h"

/* "127.0.0.1:80", "[::1]:80", "localhost:80", or only a port, which is on loopback. */
int http_check_address(const char *text, struct sockaddr_storage *ret, socklen_t *ret_len,
		       struct aisbx_error *e);
bool http_check_is_loopback(const struct sockaddr_storage *a);
uint16_t http_check_port(const struct sockaddr_storage *a);
/* "127.0.0.1:80", "[::1]:80" */
void http_check_address_text(const struct sockaddr_storage *a, char *room, size_t cap);

/*
 * A name that a page anywhere may have pointed at this machine (DNS rebinding) is refused. Accepted are
 * "localhost" and the address, LOCAL, that the client reached, both with our port, and EXTRA: with a port
 * that one, without any.
 */
bool http_check_host(const char *host, const struct sockaddr_storage *local, const char *const *extra);
/* Of pages: those of this machine, and EXTRA. A client that is not a page sends none. */
bool http_check_origin(const char *origin, const char *const *extra);
/* "application/json", whatever parameters follow. */
bool http_check_is_json(const char *content_type);
/* A name of allowed characters, and a value without control characters. */
bool http_check_header(const char *name, const char *value);
/* One of the words of "GET, POST". */
bool http_check_has_word(const char *list, const char *word);
/* The trace id of a W3C traceparent, 32 digits; false: invalid. */
bool http_check_trace(const char *traceparent, char ret[33]);

#endif
