/* SPDX-License-Identifier: Apache-2.0 */
/* One request of HTTP/2 and its answer, on their way between two sessions. */
#include "net/tls/h2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "net/tls/sigv4.h"

static struct h2 *sessions(const struct h2_stream *s)
{
	return s->conn->data;
}

static void free_message(struct message **m)
{
	if (*m)
		message_finish(*m);
	free(*m);
	*m = NULL;
}

static void finish_flow(struct h2_flow *f)
{
	buf_finish(&f->data);
	free_message(&f->trailers);
}

struct h2_stream *h2_stream_create(struct conn *c, int32_t client_id)
{
	struct h2 *h = c->data;
	struct h2_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->conn = c;
	s->client_id = client_id;
	s->host_id = -1;
	s->next = h->streams;
	s->at = &h->streams;
	if (s->next)
		s->next->at = &s->next;
	h->streams = s;
	h->n_streams++;
	return s;
}

/* Bytes that were held for this stream are no longer. */
static void pay(nghttp2_session *session, int32_t id, struct h2_flow *f, size_t n)
{
	n = n < f->owed ? n : f->owed;
	f->owed -= n;
	if (session && n)
		nghttp2_session_consume(session, id, n);
}

void h2_stream_destroy(struct h2_stream *s)
{
	struct h2 *h = sessions(s);

	pay(h->client, s->client_id, &s->up, s->up.owed);
	if (s->host_id > 0)
		pay(h->host, s->host_id, &s->down, s->down.owed);
	*s->at = s->next;
	if (s->next)
		s->next->at = s->at;
	h->n_streams--;
	free_message(&s->coming);
	free_message(&s->coming_back);
	free_message(&s->request);
	body_scan_finish(&s->scan);
	swap_finish(&s->swap);
	finish_flow(&s->up);
	finish_flow(&s->down);
	place_drop(&s->place);
	free(s);
}

void h2_stream_release(struct h2_stream *s)
{
	if (s->client_closed && (s->host_id < 0 || s->host_closed))
		h2_stream_destroy(s);
}

/* Fields for the library, PSEUDO first, as pairs; freed by the caller. */
static nghttp2_nv *make_fields(const struct message *m, const char *const *pseudo, size_t *ret_n)
{
	nghttp2_nv *nv = calloc((m ? m->n_fields : 0) + 6, sizeof(*nv));
	size_t n = 0;

	for (; nv && pseudo && *pseudo; pseudo += 2, n++)
		nv[n] = (nghttp2_nv){ (uint8_t *)pseudo[0], (uint8_t *)pseudo[1], strlen(pseudo[0]),
				      strlen(pseudo[1]), NGHTTP2_NV_FLAG_NONE };
	for (size_t i = 0; nv && m && i < m->n_fields; i++, n++)
		nv[n] = (nghttp2_nv){ (uint8_t *)m->fields[i].name, (uint8_t *)m->fields[i].value,
				      strlen(m->fields[i].name), strlen(m->fields[i].value),
				      m->fields[i].hide ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE };
	*ret_n = n;
	return nv;
}

/* What the library asks for when it can send: the next bytes of FLOW, which came by session FROM. */
static ssize_t give(struct h2_flow *f, nghttp2_session *to, int32_t id, nghttp2_session *from,
		    int32_t from_id, uint8_t *room, size_t cap, uint32_t *flags)
{
	size_t n = f->data.len - f->at < cap ? f->data.len - f->at : cap;

	if (!n && !f->eof) {
		f->deferred = true;
		return NGHTTP2_ERR_DEFERRED;
	}
	if (n)
		memcpy(room, f->data.data + f->at, n);
	f->at += n;
	if (f->at == f->data.len)
		f->at = f->data.len = 0;
	pay(from, from_id, f, n);
	if (f->eof && !f->data.len) {
		*flags |= NGHTTP2_DATA_FLAG_EOF;
		if (f->trailers) {
			size_t n_fields;
			scoped(drop_mem) nghttp2_nv *nv = make_fields(f->trailers, NULL, &n_fields);

			if (!nv || nghttp2_submit_trailer(to, id, nv, n_fields) != 0)
				return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
			*flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
		}
	}
	return (ssize_t)n;
}

static ssize_t give_up(nghttp2_session *session, int32_t id, uint8_t *room, size_t cap, uint32_t *flags,
		       nghttp2_data_source *source, void *user)
{
	struct h2_stream *s = source->ptr;

	(void)user;
	return give(&s->up, session, id, sessions(s)->client, s->client_id, room, cap, flags);
}

static ssize_t give_down(nghttp2_session *session, int32_t id, uint8_t *room, size_t cap, uint32_t *flags,
			 nghttp2_data_source *source, void *user)
{
	struct h2_stream *s = source->ptr;

	(void)user;
	return give(&s->down, session, id, sessions(s)->host, s->host_id, room, cap, flags);
}

static void wake(nghttp2_session *session, int32_t id, struct h2_flow *f)
{
	if (f->deferred && session && id > 0)
		nghttp2_session_resume_data(session, id);
	f->deferred = false;
}

static void reset_client(struct h2_stream *s, uint32_t code)
{
	if (!s->client_closed)
		nghttp2_submit_rst_stream(sessions(s)->client, NGHTTP2_FLAG_NONE, s->client_id, code);
}

static void reset_host(const struct h2_stream *s)
{
	if (s->host_id > 0 && !s->host_closed && sessions(s)->host)
		nghttp2_submit_rst_stream(sessions(s)->host, NGHTTP2_FLAG_NONE, s->host_id, NGHTTP2_CANCEL);
}

void h2_stream_refuse(struct h2_stream *s)
{
	char status[16], length[24];
	const char *const pseudo[] = { ":status",
				       status,
				       "content-type",
				       "text/plain; charset=utf-8",
				       "content-length",
				       length,
				       "x-aisbx",
				       "refused",
				       NULL };
	nghttp2_data_provider from = { .source.ptr = s, .read_callback = give_down };
	size_t n;
	scoped(drop_mem) nghttp2_nv *nv = make_fields(NULL, pseudo, &n);

	conn_refused(s->conn, &s->v);
	reset_host(s);
	s->refused = true;
	pay(sessions(s)->client, s->client_id, &s->up, s->up.owed);
	finish_flow(&s->down);
	s->down = (struct h2_flow){ .eof = true, .owed = s->down.owed };
	if (s->answered || !nv) { /* too late for words */
		reset_client(s, NGHTTP2_INTERNAL_ERROR);
		return;
	}
	s->answered = true;
	buf_addf(&s->down.data, "aisbx: %s\n", s->v.text);
	snprintf(status, sizeof(status), "%u", s->v.status);
	snprintf(length, sizeof(length), "%zu", s->down.data.len);
	nv[0].valuelen = strlen(status);
	nv[2].valuelen = strlen(length);
	if (nghttp2_submit_response(sessions(s)->client, s->client_id, nv, n, s->head_only ? NULL : &from) !=
	    0)
		reset_client(s, NGHTTP2_INTERNAL_ERROR);
}

/* Sends the request on. Its body, if there is one, follows when the host can take it. */
static void send_request(struct h2_stream *s)
{
	struct message *m = s->request;
	const char *const pseudo[] = { ":method",    m->method, ":scheme", "https", ":authority",
				       m->authority, ":path",   m->target, NULL };
	nghttp2_data_provider from = { .source.ptr = s, .read_callback = give_up };
	bool body = !s->up.eof || s->up.data.len || s->up.trailers;
	size_t n;
	scoped(drop_mem) nghttp2_nv *nv = make_fields(m, pseudo, &n);

	s->host_id = nv ? nghttp2_submit_request(sessions(s)->host, NULL, nv, n, body ? &from : NULL, s) : -1;
	free_message(&s->request);
	if (s->host_id < 0) {
		s->host_id = -1;
		s->refused = true;
		reset_client(s, NGHTTP2_REFUSED_STREAM);
	}
}

/* A body that is known now, or that there is none. */
static void send_signed(struct h2_stream *s)
{
	struct sha256 sum;
	uint8_t bytes[SHA256_BYTES];
	char digits[SIGV4_HASH];

	sha256_init(&sum);
	sha256_add(&sum, s->up.data.data, s->up.data.len);
	sha256_end(&sum, bytes);
	io_hex(bytes, sizeof(bytes), digits);
	s->holding = false;
	if (check_sign(s->request, digits, &s->v))
		send_request(s);
	else
		h2_stream_refuse(s);
}

/* What is wrong with a head before anybody looks at its meaning. */
static bool is_whole(struct h2_stream *s)
{
	const char *host = message_get(s->request, "host");
	bool differs = host && s->request->authority && strcasecmp(host, s->request->authority) != 0;

	if (s->too_big)
		return verdict_refuse(&s->v, 431, NET_BAD_HTTP,
				      "the request has too many fields, or too long ones");
	if (host && !s->request->authority && !message_set(&s->request->authority, host, strlen(host)))
		differs = true;
	message_remove(s->request, "host");
	if (differs)
		return verdict_refuse(&s->v, 400, NET_BAD_HTTP, "the request names two hosts");
	if (s->conn->host_error[0])
		return verdict_refuse(&s->v, 502, NET_NO_REASON, "%s", s->conn->host_error);
	return true;
}

void h2_stream_ask(struct h2_stream *s, bool last)
{
	s->request = take_mem(&s->coming);
	s->up.eof = last;
	s->head_only = s->request->method && !strcmp(s->request->method, "HEAD");
	conn_place(s->conn, &s->place);
	if (!is_whole(s) || !check_request(&s->place, s->request, &s->swap, &s->v)) {
		h2_stream_refuse(s);
		return;
	}
	if (!body_scan_init(&s->scan, &s->place, s->request)) {
		sessions(s)->bad = true;
		return;
	}
	s->holding = s->v.signs != NULL;
	if (!s->holding)
		send_request(s);
	else if (last)
		send_signed(s);
}

static void hold(struct h2_stream *s, bool last)
{
	pay(sessions(s)->client, s->client_id, &s->up, s->up.owed);
	if (s->up.data.len > CHECK_BODY_HOLD) {
		verdict_refuse(&s->v, 413, NET_BAD_HTTP,
			       "a request to an Amazon service whose body is longer than %u bytes must say "
			       "x-amz-content-sha256",
			       CHECK_BODY_HOLD);
		h2_stream_refuse(s);
	} else if (last) {
		send_signed(s);
	}
}

void h2_stream_body(struct h2_stream *s, const char *data, size_t len, bool last)
{
	s->up.owed += len;
	if (s->refused || s->host_closed) {
		pay(sessions(s)->client, s->client_id, &s->up, s->up.owed);
		return;
	}
	s->up.eof |= last;
	if (!body_scan_feed(&s->scan, &s->place, data, len, last, &s->v)) {
		h2_stream_refuse(s);
		return;
	}
	if (s->up.at && s->up.at == s->up.data.len)
		s->up.at = s->up.data.len = 0;
	buf_add(&s->up.data, data, len);
	sessions(s)->bad |= s->up.data.failed;
	if (s->holding)
		hold(s, last);
	else
		wake(sessions(s)->host, s->host_id, &s->up);
}

void h2_stream_trailers(struct h2_stream *s)
{
	struct message *m = take_mem(&s->coming);

	if (!s->refused && s->place.config && !check_trailers(&s->place, m, &s->v)) {
		free_message(&m);
		h2_stream_refuse(s);
		return;
	}
	if (m->n_fields && !s->up.trailers)
		s->up.trailers = take_mem(&m);
	free_message(&m);
	h2_stream_body(s, "", 0, true);
}

/* The final head, or one before it. */
static void send_answer(struct h2_stream *s, struct message *m, bool last)
{
	char status[16];
	const char *const pseudo[] = { ":status", status, NULL };
	const char *encoding = message_get(m, "content-encoding");
	nghttp2_data_provider from = { .source.ptr = s, .read_callback = give_down };
	scoped(drop_mem) nghttp2_nv *nv = NULL;
	size_t n;
	int r = -1;

	snprintf(status, sizeof(status), "%u", m->status);
	nv = make_fields(m, pseudo, &n);
	if (nv && m->status < 200) {
		r = nghttp2_submit_headers(sessions(s)->client, NGHTTP2_FLAG_NONE, s->client_id, NULL, nv, n,
					   NULL);
	} else if (nv) {
		s->answered = true;
		s->swapping = s->swap.n_pairs && (!encoding || !strcasecmp(encoding, "identity"));
		s->down.eof = last;
		r = nghttp2_submit_response(sessions(s)->client, s->client_id, nv, n, last ? NULL : &from);
	}
	if (r < 0)
		reset_client(s, NGHTTP2_INTERNAL_ERROR);
}

void h2_stream_answer(struct h2_stream *s, bool last)
{
	struct message *m = take_mem(&s->coming_back);

	if (s->refused || s->client_closed) {
		free_message(&m);
		return;
	}
	check_answer(m, &s->swap);
	if (!s->answered && m->status) {
		send_answer(s, m, last);
	} else if (s->answered && !m->status && last) {
		if (m->n_fields)
			s->down.trailers = take_mem(&m);
		h2_stream_answer_body(s, "", 0, true);
	} else {
		reset_client(s, NGHTTP2_INTERNAL_ERROR);
	}
	free_message(&m);
}

void h2_stream_answer_body(struct h2_stream *s, const char *data, size_t len, bool last)
{
	s->down.owed += len;
	if (s->refused || s->client_closed) {
		pay(sessions(s)->host, s->host_id, &s->down, s->down.owed);
		return;
	}
	if (s->down.at && s->down.at == s->down.data.len)
		s->down.at = s->down.data.len = 0;
	if (s->swapping) {
		swap_feed(&s->swap, data, len, &s->down.data);
		if (last)
			swap_end(&s->swap, &s->down.data);
	} else {
		buf_add(&s->down.data, data, len);
	}
	s->down.eof |= last;
	sessions(s)->bad |= s->down.data.failed;
	wake(sessions(s)->client, s->client_id, &s->down);
}
