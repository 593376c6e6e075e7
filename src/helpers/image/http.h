/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP calls to a registry, several at once in one thread. A call follows redirects, shows who asks where the
 * registry wants that, and is tried again after a break. The other side is hostile: everything has a cap.
 */
#ifndef HELPERS_IMAGE_HTTP_H
#define HELPERS_IMAGE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <curl/curl.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "helpers/image/auth_file.h"
#include "helpers/image/challenge.h"
#include "helpers/image/place.h"

#define HTTP_MAX_HEADERS   (64u << 10) /* bytes of an answer's headers */
#define HTTP_MAX_REDIRECTS 5
#define HTTP_MAX_TRIES     5          /* in a row without progress */
#define HTTP_PATIENCE_S    30         /* so long may less than HTTP_SLOW come */
#define HTTP_SLOW          1024       /* bytes a second */
#define HTTP_PAUSE_MS      250        /* before the second try; twice as long before each further one */
#define HTTP_PROGRESS      (1u << 20) /* bytes after which tries are counted anew */

/* A registry, or a mirror of it: the one place that is told who asks. */
struct origin {
	char *base; /* owned; "https://HOST[:PORT]" */
	struct place place;
	struct credentials who;
	char *scopes;        /* owned; "scope=...&scope=...", as a token server wants them */
	char *authorization; /* owned; secret; the header's value, NULL before the registry wants one */
	unsigned int logins; /* how often that was set */
	bool is_reached;     /* reach is known */
	enum reach reach;
};

void origin_finish(struct origin *o);

struct http_client;

/* O answered 401 with C: sets what it is shown from now on. */
typedef int http_login_fn(struct http_client *client, struct origin *o, const struct challenge *c,
			  struct aisbx_error *e);

struct http_client {
	CURLM *multi[2]; /* owned; calls, and token servers that are asked meanwhile */
	http_login_fn *login;
	const char *const *plain; /* borrowed; hosts that may be asked without TLS */
	size_t n_plain;
	const char *const *token_hosts; /* borrowed; hosts that may be given a password of the registry */
	size_t n_token_hosts;
	unsigned int patience_s; /* HTTP_PATIENCE_S */
	unsigned int pause_ms;   /* HTTP_PAUSE_MS */
	int depth;
	bool is_stopped; /* set by a hook: the calls that are left end with -ECANCELED */
};

int http_client_init(struct http_client *c, http_login_fn *login, struct aisbx_error *e);
void http_client_finish(struct http_client *c);

struct http_call;

/* What the owner of a call has to say; each may be NULL. Negative: the call ends with that and its error. */
struct http_hooks {
	/* Before each try: sets .from to what is there already, or .is_done if that is all. */
	int (*start)(struct http_call *call);
	/* The head of an answer 2xx is there, its body not yet. */
	int (*head)(struct http_call *call);
	/* A part of the body of an answer 2xx; without it the body goes into .text. */
	int (*take)(struct http_call *call, const char *data, size_t len);
	/* Bytes of .body were sent, .sent in all. */
	void (*gave)(struct http_call *call);
	/* The call has ended, well or not (.r): true, after it was filled anew, for one more in its place. */
	bool (*then)(struct http_call *call);
};

struct http_call {
	/* What is asked for. */
	struct origin *origin; /* borrowed */
	const char *method;    /* "GET", "HEAD", "POST", "PUT", "PATCH" */
	char *first_url;       /* owned; where each try begins */
	const char *accept;    /* borrowed; or NULL */
	const char *type;      /* borrowed; of the body that is sent, or NULL */
	uint64_t from;         /* asks for the body from here on */
	uint64_t most;         /* bytes of a body; more end the call */
	int timeout_s;         /* for all of a try; 0: only HTTP_SLOW counts */
	const char *body;      /* borrowed; what is sent, or NULL */
	int body_fd;           /* the same from a file, where body is NULL and body_len is not 0 */
	uint64_t body_at, body_len;
	char part[48];               /* "FIRST-LAST" of what is sent, if it is a part; or "" */
	bool is_once;                /* a try that failed is not repeated */
	bool is_strange;             /* never tells who asks: for a token server */
	const char *user, *password; /* borrowed; of a token server */
	const struct http_hooks *hooks;
	void *ctx;

	/* What came: of the last answer. */
	long status;
	char location[8192], type_is[128], digest[96], content_range[96], upload_range[64];
	int64_t length; /* of the body as it was announced; -1: it was not */
	struct challenge challenge;
	unsigned int retry_after_s;
	unsigned int delay_ms; /* set by then: before the next call in its place */
	struct buf text;
	uint64_t got; /* bytes of the body of this try */
	int r;        /* 0: there was an answer, whatever its status */
	struct aisbx_error e;

	/* http.c's own. */
	CURL *easy;
	struct curl_slist *headers;
	struct http_client *client;
	char *url;          /* owned; where it is now */
	struct place place; /* of url */
	size_t header_bytes;
	uint64_t sent, high;                   /* high: the furthest byte that came in any try */
	unsigned int redirects, tries, logins; /* logins: of the origin when this try began */
	bool answered_401, is_done, is_running, has_head, is_proxied;
	uint64_t due_ms;
	char reason[CURL_ERROR_SIZE];
};

/* A call to PATH ("/v2/...") of O. */
int http_call_init(struct http_call *c, struct origin *o, const char *method, const char *path,
		   struct aisbx_error *e);
void http_call_finish(struct http_call *c);

/* Carries out the N calls, AT_ONCE side by side. The result of each is in it. */
void http_run(struct http_client *client, struct http_call **calls, size_t n, size_t at_once);

/* One call: its error, or 0 and .status. */
int http_ask(struct http_client *client, struct http_call *call, struct aisbx_error *e);

/* The registry's answer was not what CALL needs: an error about WHAT from its status. */
int http_refuse_status(const struct http_call *call, const char *what, struct aisbx_error *e);

#endif
