/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2 between client and host: what the library says about frames, and what is done then. */
#include "net/tls/h2.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/time.h"

static int begin_fields(struct message **at)
{
	if (*at)
		message_finish(*at);
	else
		*at = calloc(1, sizeof(**at));
	return *at ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static bool is_text(const uint8_t *value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (value[i] < 0x20 && value[i] != '\t')
			return false;
	return true;
}

/* One field, whichever side it is of. False: too much. */
static bool add_field(struct message *m, const uint8_t *name, size_t name_len, const uint8_t *value,
		      size_t len)
{
	const char *n = (const char *)name, *v = (const char *)value;

	if (!is_text(value, len))
		return false;
	if (!name_len || n[0] != ':')
		return message_add(m, n, name_len, v, len);
	m->bytes += len;
	if (m->bytes > MESSAGE_MAX_BYTES)
		return false;
	if (name_len == 7 && !memcmp(n, ":method", 7))
		return message_set(&m->method, v, len);
	if (name_len == 5 && !memcmp(n, ":path", 5))
		return message_set(&m->target, v, len);
	if (name_len == 10 && !memcmp(n, ":authority", 10))
		return message_set(&m->authority, v, len);
	if (name_len == 7 && !memcmp(n, ":status", 7) && len == 3)
		m->status = (unsigned int)((v[0] - '0') * 100 + (v[1] - '0') * 10 + v[2] - '0');
	return name_len != 7 || memcmp(n, ":scheme", 7) != 0 || (len == 5 && !memcmp(v, "https", 5));
}

/* --- the client's side --- */

static int client_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct conn *c = user;
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

	if (frame->hd.type != NGHTTP2_HEADERS)
		return 0;
	if (!s) {
		s = h2_stream_create(c, frame->hd.stream_id);
		if (!s)
			return NGHTTP2_ERR_CALLBACK_FAILURE;
		nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, s);
	}
	return begin_fields(&s->coming);
}

static int client_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
			size_t name_len, const uint8_t *value, size_t len, uint8_t flags, void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

	(void)user;
	(void)flags;
	if (s && s->coming && !s->too_big && !add_field(s->coming, name, name_len, value, len))
		s->too_big = true;
	return 0;
}

/* More resets than anybody needs are an attack on who makes the streams. */
static void count_reset(struct conn *c)
{
	struct h2 *h = c->data;
	uint64_t now = time_ms();

	if (now - h->since >= 1000) {
		uint64_t less = (now - h->since) / 1000 * H2_RATE;

		h->resets -= less < h->resets ? less : h->resets;
		h->since = now;
	}
	if (++h->resets > H2_RESETS)
		nghttp2_session_terminate_session(h->client, NGHTTP2_ENHANCE_YOUR_CALM);
}

static int client_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
	bool last = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (frame->hd.type == NGHTTP2_RST_STREAM)
		count_reset(user);
	if (!s)
		return 0;
	if (frame->hd.type == NGHTTP2_DATA && last)
		h2_stream_body(s, "", 0, true);
	else if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		h2_stream_ask(s, last);
	else if (frame->hd.type == NGHTTP2_HEADERS && s->coming)
		h2_stream_trailers(s);
	return 0;
}

static int client_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t len,
		       void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, id);

	(void)flags;
	(void)user;
	if (s)
		h2_stream_body(s, (const char *)data, len, false);
	else
		nghttp2_session_consume(session, id, len);
	return 0;
}

static int client_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, id);
	struct h2 *h = ((struct conn *)user)->data;

	if (!s)
		return 0;
	s->client_closed = true;
	if (s->host_id > 0 && !s->host_closed && h->host && (code || !s->up.eof))
		nghttp2_submit_rst_stream(h->host, NGHTTP2_FLAG_NONE, s->host_id,
					  code ? code : NGHTTP2_CANCEL);
	h2_stream_release(s);
	return 0;
}

/* --- the host's side --- */

static int host_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

	(void)user;
	return s && frame->hd.type == NGHTTP2_HEADERS ? begin_fields(&s->coming_back) : 0;
}

static int host_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		      size_t name_len, const uint8_t *value, size_t len, uint8_t flags, void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

	(void)user;
	(void)flags;
	if (s && s->coming_back && !add_field(s->coming_back, name, name_len, value, len))
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* the stream is reset */
	return 0;
}

/* The client is to open another connection for what is new. */
static void leave(struct h2 *h)
{
	if (!h->leaving)
		nghttp2_submit_goaway(h->client, NGHTTP2_FLAG_NONE,
				      nghttp2_session_get_last_proc_stream_id(h->client), NGHTTP2_NO_ERROR,
				      NULL, 0);
	h->leaving = true;
}

static int host_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
	bool last = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (frame->hd.type == NGHTTP2_GOAWAY)
		leave(((struct conn *)user)->data);
	if (!s)
		return 0;
	if (frame->hd.type == NGHTTP2_DATA && last)
		h2_stream_answer_body(s, "", 0, true);
	else if (frame->hd.type == NGHTTP2_HEADERS && s->coming_back)
		h2_stream_answer(s, last);
	return 0;
}

static int host_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t len,
		     void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, id);

	(void)flags;
	(void)user;
	if (s)
		h2_stream_answer_body(s, (const char *)data, len, false);
	else
		nghttp2_session_consume(session, id, len);
	return 0;
}

static int host_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, id);
	struct h2 *h = ((struct conn *)user)->data;

	if (!s)
		return 0;
	s->host_closed = true;
	if (!s->client_closed && !s->refused && (code || !s->down.eof || !s->answered))
		nghttp2_submit_rst_stream(h->client, NGHTTP2_FLAG_NONE, s->client_id,
					  code ? code : NGHTTP2_INTERNAL_ERROR);
	h2_stream_release(s);
	return 0;
}

/* --- sessions --- */

static nghttp2_option *make_options(void)
{
	nghttp2_option *o;

	if (nghttp2_option_new(&o) != 0)
		return NULL;
	nghttp2_option_set_no_auto_window_update(o, 1);
	nghttp2_option_set_max_settings(o, 32);
	nghttp2_option_set_max_outbound_ack(o, 1000);
	nghttp2_option_set_max_send_header_block_length(o, 2 * MESSAGE_MAX_BYTES);
#ifdef AISBX_NGHTTP2_LIMITS
	nghttp2_option_set_stream_reset_rate_limit(o, H2_RESETS, H2_RATE);
	nghttp2_option_set_max_continuations(o, 8);
#endif
	return o;
}

static nghttp2_session_callbacks *make_callbacks(bool client)
{
	nghttp2_session_callbacks *cb;

	if (nghttp2_session_callbacks_new(&cb) != 0)
		return NULL;
	nghttp2_session_callbacks_set_on_begin_headers_callback(cb, client ? client_begin : host_begin);
	nghttp2_session_callbacks_set_on_header_callback(cb, client ? client_field : host_field);
	nghttp2_session_callbacks_set_on_frame_recv_callback(cb, client ? client_frame : host_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, client ? client_data : host_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(cb, client ? client_close : host_close);
	return cb;
}

static nghttp2_session *make_session(struct conn *c, bool client)
{
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, client ? H2_STREAMS : 0 },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, H2_WINDOW },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, MESSAGE_MAX_BYTES },
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 }, /* the last: only of clients */
	};
	nghttp2_session_callbacks *cb = make_callbacks(client);
	nghttp2_option *o = make_options();
	nghttp2_session *session = NULL;

	if (cb && o &&
	    (client ? nghttp2_session_server_new2 : nghttp2_session_client_new2)(&session, cb, c, o) == 0 &&
	    (nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, client ? 3 : 4) != 0 ||
	     nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, H2_ALL) != 0)) {
		nghttp2_session_del(session);
		session = NULL;
	}
	nghttp2_session_callbacks_del(cb);
	nghttp2_option_del(o);
	return session;
}

static bool open_h2(struct conn *c)
{
	struct h2 *h = calloc(1, sizeof(*h));

	c->data = h;
	if (!h)
		return false;
	h->since = time_ms();
	h->client = make_session(c, true);
	if (!c->host_error[0])
		h->host = make_session(c, false);
	return h->client && (h->host || c->host_error[0]);
}

static void close_h2(struct conn *c)
{
	struct h2 *h = c->data;

	if (!h)
		return;
	while (h->streams)
		h2_stream_destroy(h->streams);
	nghttp2_session_del(h->client);
	nghttp2_session_del(h->host);
	free(h);
	c->data = NULL;
}

/* What was read goes to the session, unless what it answers is not taken. */
static bool feed(struct h2 *h, nghttp2_session *session, struct end *e)
{
	ssize_t n;

	if (!end_len(e) || end_room(e) == 0)
		return false;
	n = nghttp2_session_mem_recv(session, (const uint8_t *)end_data(e), end_len(e));
	if (n < 0) {
		h->bad = true;
		return false;
	}
	end_take(e, (size_t)n);
	return n > 0;
}

static bool drain(struct h2 *h, nghttp2_session *session, struct end *e)
{
	const uint8_t *data;
	bool any = false;
	ssize_t n;

	while (end_room(e) > 0 && (n = nghttp2_session_mem_send(session, &data)) != 0) {
		if (n < 0) {
			h->bad = true;
			break;
		}
		end_put(e, data, (size_t)n);
		any = true;
	}
	return any;
}

/* The host is gone: what it did not answer is not going to be. */
static bool lose_host(struct conn *c, struct h2 *h)
{
	struct h2_stream *next;

	leave(h);
	for (struct h2_stream *s = h->streams; s; s = next) {
		next = s->next;
		s->host_closed = true;
		if (!s->client_closed && !s->refused && !(s->answered && s->down.eof))
			nghttp2_submit_rst_stream(h->client, NGHTTP2_FLAG_NONE, s->client_id,
						  s->answered ? NGHTTP2_INTERNAL_ERROR
							      : NGHTTP2_REFUSED_STREAM);
		h2_stream_release(s);
	}
	nghttp2_session_del(h->host);
	h->host = NULL;
	snprintf(c->host_error, sizeof(c->host_error), "%s closed the connection", c->name);
	conn_drop(c, &c->host);
	return true;
}

static bool step_h2(struct conn *c)
{
	struct h2 *h = c->data;
	bool any = feed(h, h->client, &c->client);

	if (h->host) {
		any |= feed(h, h->host, &c->host);
		any |= drain(h, h->host, &c->host);
		if (c->host.broken || (c->host.eof && !end_len(&c->host)))
			any |= lose_host(c, h);
	}
	any |= drain(h, h->client, &c->client);
	if (h->bad || h->n_streams > 4 * H2_STREAMS)
		conn_over(c);
	else if (!nghttp2_session_want_read(h->client) && !nghttp2_session_want_write(h->client))
		conn_linger(c);
	else if ((h->leaving || c->client.eof) && !h->n_streams && !nghttp2_session_want_write(h->client))
		conn_linger(c);
	return any;
}

const struct protocol protocol_h2 = { open_h2, step_h2, close_h2 };
