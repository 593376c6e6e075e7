/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of HTTP/1 and the fields in them: what heads and trailers have in common. */
#ifndef NET_HTTP_LINE_H
#define NET_HTTP_LINE_H

#include "net/http_head.h"

/*
 * The line at DATA + *AT, without its CR LF; moves *AT behind them. HTTP_MORE: it is not complete; HTTP_BAD:
 * it has a bare CR or LF, or a NUL.
 */
enum http_verdict http_line_next(const char *data, size_t len, size_t *at, struct http_text *ret,
				 enum http_problem *ret_problem);
/* "Name: value", the value without the blanks around it. */
enum http_problem http_field_read(struct http_text line, struct http_text *ret_name,
				  struct http_text *ret_value);

bool http_text_is(struct http_text t, const char *word);
bool http_text_is_nocase(struct http_text t, const char *word);

bool http_is_token(char c); /* RFC 9110, 5.6.2 */
bool http_is_alnum(char c);
/* Everything that some server or library takes for a space or an end of line, beyond ASCII, too. */
bool http_is_space(char c);

#endif
