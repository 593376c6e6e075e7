/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb "serve": one tenant's part of a directory store, for other machines to read, over HTTP with
 * ranges. It speaks as much of S3 as reading needs: an object by GET, and a list of names. Who asks shows a
 * word that only holders of the tenant's key can know; nothing can be changed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/store.h"
#include "fleet/content/verbs.h"
#include "sys/sys.h"

#define CONNECTIONS_MOST 256u
#define PATIENCE_S       30u
#define THREADS          2u
#define PAGE             1000u

struct server {
	const struct content_request *request; /* borrowed */
	int dir;                               /* owned; the tenant's */
	char prefix[80];                       /* "TENANT/" */
};

struct page {
	struct server *server;
	struct buf text;
	size_t n;
	bool is_more;
};

static enum MHD_Result answer(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r)
{
	enum MHD_Result done = r ? MHD_queue_response(c, status, r) : MHD_NO;

	if (r)
		MHD_destroy_response(r);
	return done;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *code)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "<Error><Code>%s</Code></Error>\n", code);

	return answer(c, status, MHD_create_response_from_buffer((size_t)n, text, MHD_RESPMEM_MUST_COPY));
}

/* In as long for each wrong word. */
static bool is_word(const char *given, const char *word)
{
	const char *bearer = "Bearer ";
	size_t len = strlen(word);
	unsigned int differ = 0;

	if (!given || strncmp(given, bearer, strlen(bearer)) != 0 || strlen(given) != strlen(bearer) + len)
		return false;
	given += strlen(bearer);
	for (size_t i = 0; i < len; i++)
		differ |= (unsigned char)(given[i] ^ word[i]);
	return differ == 0;
}

/* "bytes=FIRST-LAST" or "bytes=-N" of SIZE. False: it lies behind the end. */
static bool read_range(const char *text, uint64_t size, uint64_t *ret_from, uint64_t *ret_len,
		       bool *ret_is_part)
{
	unsigned long long from = 0, last = 0;

	*ret_from = 0;
	*ret_len = size;
	*ret_is_part = false;
	if (!text || strncmp(text, "bytes=", 6) != 0)
		return true;
	text += 6;
	if (*text == '-' && sscanf(text + 1, "%19llu", &last) == 1) {
		*ret_from = last < size ? size - last : 0;
		*ret_len = size - *ret_from;
	} else if (sscanf(text, "%19llu-%19llu", &from, &last) == 2 && from <= last) {
		if (from >= size)
			return false;
		*ret_from = from;
		*ret_len = last - from < size - from ? last - from + 1 : size - from;
	} else {
		return true;
	}
	*ret_is_part = true;
	return true;
}

static enum MHD_Result send_object(struct server *s, struct MHD_Connection *c, const char *name)
{
	const uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
	const char *range = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Range");
	int fd = sys_openat2(s->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0, resolve);
	struct MHD_Response *r;
	uint64_t from, len;
	struct stat st;
	bool is_part;

	if (fd < 0)
		return refuse(c, 404, "NoSuchKey");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return refuse(c, 404, "NoSuchKey");
	}
	if (!read_range(range, (uint64_t)st.st_size, &from, &len, &is_part)) {
		close(fd);
		return refuse(c, 416, "InvalidRange");
	}
	r = MHD_create_response_from_fd_at_offset64(len, fd, from);
	if (!r)
		close(fd);
	return answer(c, is_part ? 206 : 200, r);
}

static int add_name(void *ctx, const char *name, uint64_t size)
{
	struct page *p = ctx;

	if (p->n == PAGE) {
		p->is_more = true;
		return -ECANCELED;
	}
	p->n++;
	buf_addf(&p->text, "<Contents><Key>%s%s</Key><Size>%llu</Size></Contents>", p->server->prefix, name,
		 (unsigned long long)size);
	return 0;
}

/* VALUE without the tenant's prefix; NULL: it is not below it. */
static const char *below(const struct server *s, const char *value)
{
	size_t len = strlen(s->prefix);

	return value && !strncmp(value, s->prefix, len) && strlen(value) < len + CONTENT_OBJECT_NAME
		       ? value + len
		       : NULL;
}

static enum MHD_Result send_list(struct server *s, struct MHD_Connection *c)
{
	const char *prefix = below(s, MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "prefix"));
	const char *after = below(s, MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "start-after"));
	struct page p = { .server = s };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct content_store *store = NULL;
	enum MHD_Result done;
	int r;

	if (!prefix || strstr(prefix, ".."))
		return refuse(c, 403, "AccessDenied");
	r = content_store_open(s->request->stores[0], s->request->tenant, &s->request->key, &store, &e);
	if (r == 0)
		r = content_list(store, prefix, after ? after : "", add_name, &p, &e);
	content_store_close(store);
	buf_addf(&p.text, "<IsTruncated>%s</IsTruncated>\n", p.is_more ? "true" : "false");
	if ((r < 0 && !p.is_more) || p.text.failed)
		done = refuse(c, 500, "InternalError");
	else
		done = answer(c, 200,
			      MHD_create_response_from_buffer(p.text.len, p.text.data,
							      MHD_RESPMEM_MUST_COPY));
	buf_finish(&p.text);
	return done;
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
			      const char *version, const char *data, size_t *len, void **state)
{
	const char *word = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Authorization"), *name;
	struct server *s = ctx;

	(void)version;
	(void)data;
	(void)state;
	if (strcmp(method, "GET") != 0 || *len)
		return refuse(c, 405, "MethodNotAllowed");
	if (!is_word(word, s->request->key.peer))
		return refuse(c, 403, "AccessDenied");
	if (!strcmp(url, "/"))
		return send_list(s, c);
	name = below(s, url + 1);
	return name && *name ? send_object(s, c, name) : refuse(c, 404, "NoSuchKey");
}

static int read_address(const char *text, struct sockaddr_in *ret, struct aisbx_error *e)
{
	const char *colon = strrchr(text, ':');
	char host[INET_ADDRSTRLEN];
	unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 65536;

	*ret = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	snprintf(host, sizeof(host), "%.*s", colon ? (int)(colon - text) : 0, text);
	if (port > 65535 || inet_pton(AF_INET, host, &ret->sin_addr) != 1)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--listen is ADDRESS:PORT, such as 10.0.0.1:24730, not '%.100s'", text);
	return 0;
}

static int open_dir(const struct content_request *q, struct server *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;

	if (strncmp(q->stores[0], "dir:/", 5) != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "only a directory can be served, by --from dir:/PATH");
	if (asprintf(&path, "%s/%s", q->stores[0] + 4, q->tenant) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "serve %.200s", q->stores[0]);
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->dir < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, errno, "serve '%.200s'", path) : 0;
}

/* Says where it listens, and waits until it is told to end. */
static void wait_for_end(struct MHD_Daemon *d, const struct sockaddr_in *a, const sigset_t *ends)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT);
	char host[INET_ADDRSTRLEN];
	int got;

	inet_ntop(AF_INET, &a->sin_addr, host, sizeof(host));
	printf("{\"listening\":\"%s:%u\"}\n", host, info ? info->port : 0u);
	fflush(stdout);
	sigwait(ends, &got);
}

int content_serve(struct content_request *q, json_t **ret, struct aisbx_error *e)
{
	struct server s = { .request = q, .dir = -1 };
	struct sockaddr_in address;
	struct MHD_Daemon *d;
	sigset_t ends;
	int r = read_address(q->listen, &address, e);

	snprintf(s.prefix, sizeof(s.prefix), "%s/", q->tenant);
	if (r == 0)
		r = open_dir(q, &s, e);
	if (r < 0)
		return r;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	d = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL, 0, NULL, NULL, handle, &s,
			     MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_THREAD_POOL_SIZE, THREADS,
			     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
			     PATIENCE_S, MHD_OPTION_END);
	if (!d) {
		close_fd(&s.dir);
		return aisbx_fail(e, AISBX_AREA_LAYER, errno ? errno : EADDRINUSE, "listen on '%.100s'",
				  q->listen);
	}
	wait_for_end(d, &address, &ends);
	MHD_stop_daemon(d);
	close_fd(&s.dir);
	*ret = json_object();
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "end");
}
