/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heads of HTTP/1 requests, read so strictly that no server reads them in another way. Pure: no system calls,
 * no allocation. Of servers' answers only the status is read.
 */
#ifndef NET_HTTP_HEAD_H
#define NET_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_MAX   65536
#define HTTP_MAX_FIELDS 256
#define HTTP_METHOD_MAX 32
#define HTTP_HOST_MAX   256 /* with its NUL */

enum http_verdict {
	HTTP_MORE, /* not complete; more than HTTP_HEAD_MAX bytes are HTTP_BAD */
	HTTP_OK,
	HTTP_BAD,
	/*
	 * Begins with bytes that no method has, or is a line of some other protocol. Where only HTTP is
	 * expected it is to be refused like HTTP_BAD: a server could be found that is even less strict than
	 * thought of here.
	 */
	HTTP_NOT_HTTP,
};

#define HTTP_PROBLEMS(X)                                                                \
	X(NONE, "nothing")                                                              \
	X(METHOD, "a method that is not in capital letters")                            \
	X(TARGET, "a target that is none, or has a space or a byte beyond ASCII in it") \
	X(VERSION, "a version other than HTTP/1.0 and HTTP/1.1")                        \
	X(LINE_END, "a line that does not end with CR LF, or a CR or NUL in it")        \
	X(FIELD, "a header whose name is none, or is followed by a space")              \
	X(VALUE, "a header with a control character")                                   \
	X(FOLDED, "a header that goes on in the next line")                             \
	X(NO_HOST, "no Host")                                                           \
	X(TWO_HOSTS, "more than one Host")                                              \
	X(HOST, "a Host that is neither a name nor an address")                         \
	X(HOST_DIFFERS, "a target with another host than Host")                         \
	X(LENGTH, "a Content-Length that is no number, or is there twice")              \
	X(CODING, "a Transfer-Encoding other than chunked")                             \
	X(LENGTH_AND_CODING, "Content-Length together with Transfer-Encoding")          \
	X(TOO_LONG, "a head of more than 64 KiB")                                       \
	X(TOO_MANY, "more than 256 headers")                                            \
	X(HTTP2, "HTTP/2 without TLS")                                                  \
	X(UPGRADE, "an upgrade that cannot be followed")                                \
	X(CONNECT, "the method CONNECT")                                                \
	X(CHUNK, "a chunk whose size is no number, or that is not as long")             \
	X(TRAILER, "a trailer that is none, or does not belong there")                  \
	X(NOT_HTTP, "nothing of HTTP in it")

enum http_problem {
#define X(name, text) HTTP_PROBLEM_##name,
	HTTP_PROBLEMS(X)
#undef X
		HTTP_PROBLEM_COUNT
};

enum http_form { HTTP_ORIGIN, HTTP_ABSOLUTE, HTTP_AUTHORITY, HTTP_ASTERISK };

struct http_text {
	const char *at; /* borrowed: of the data that were read */
	size_t len;
};

struct http_head {
	enum http_problem problem; /* of HTTP_BAD */
	size_t len;                /* with the empty line */
	unsigned int minor;        /* HTTP/1.minor */
	struct http_text method, target;
	struct http_text path; /* of target: from its '/' on; with the query; "" of CONNECT and '*' */
	enum http_form form;
	/*
	 * Host, or the target's: lower case, no dot at the end; an IPv6 address in its brackets. What looks
	 * like an IPv4 address is one in its usual form. Still to be judged with egress_name or
	 * egress_address_read.
	 */
	char host[HTTP_HOST_MAX];
	uint16_t port; /* 0: not said */
	bool no_host;  /* HTTP/1.0 without Host: host is "", or the target's */
	bool has_length, chunked;
	uint64_t content_length;
	/*
	 * The client will speak another protocol if the server agrees. Not said of HTTP/2 and TLS, which
	 * would name hosts anew: there the next bytes still have to be a request.
	 */
	bool upgrade;
	struct http_text upgrade_to;
	unsigned int fields;
};

/* Reads the head at the beginning of DATA. *ret is complete with HTTP_OK only. */
enum http_verdict http_head_read(const char *data, size_t len, struct http_head *ret);
/* What is wrong, to be put behind "the request has ". */
const char *http_problem_text(enum http_problem p);

/*
 * The status of a server's answer, by its first bytes: 101. 0: more bytes are needed (12 suffice); -1: it is
 * none.
 */
int http_status_read(const char *data, size_t len);

#endif
