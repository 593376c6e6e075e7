/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 between client and host: one request after another, each judged before its first byte goes on.
 * Heads and chunks are written anew, so what the host reads is what was judged. A WebSocket is passed on once
 * both agreed.
 */
#include "net/tls/h1.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "base/sha256.h"
#include "base/io.h"
#include "net/tls/sigv4.h"

#define PIECE   (32u << 10)
#define MIN_OUT 128u /* for a chunk's frame */

static void drop_buf(struct buf *b)
{
	buf_finish(b);
}

/* Everything of one exchange. */
static void reset(struct h1 *h)
{
	message_finish(&h->request);
	message_finish(&h->answer);
	body_finish(&h->rq.body);
	body_finish(&h->an.body);
	swap_finish(&h->swap);
	body_scan_finish(&h->scan);
	buf_finish(&h->hold);
	place_drop(&h->place);
	h->v = (struct verdict){ 0 };
	h->rq = (struct head){ 0 };
	h->an = (struct head){ 0 };
	h->rq_at = RQ_HEAD;
	h->an_at = AN_NONE;
}

static bool open_h1(struct conn *c)
{
	c->data = calloc(1, sizeof(struct h1));
	return c->data != NULL;
}

static void close_h1(struct conn *c)
{
	if (c->data)
		reset(c->data);
	free(c->data);
	c->data = NULL;
}

/* An answer of aisbx's own. The connection goes on only where nothing of this request is on its way. */
static void refuse(struct conn *c, struct h1 *h)
{
	bool keep = h->rq_at == RQ_HEAD && h->rq.minor && h->rq.body.kind == BODY_NONE && !h->rq.close &&
		    h->v.status != 400 && !c->host_error[0];
	scoped(drop_buf) struct buf b = { 0 };

	conn_refused(c, &h->v);
	if (h->an_at == AN_BODY) { /* too late for words */
		conn_over(c);
		return;
	}
	buf_addf(&b, "HTTP/1.1 %u %s\r\nContent-Type: text/plain; charset=utf-8\r\nX-Aisbx: refused\r\n",
		 h->v.status, conn_status_text(h->v.status));
	buf_addf(&b, "Content-Length: %zu\r\nConnection: %s\r\n\r\n", strlen("aisbx: \n") + strlen(h->v.text),
		 keep ? "keep-alive" : "close");
	if (!h->request.method || strcmp(h->request.method, "HEAD") != 0)
		buf_addf(&b, "aisbx: %s\n", h->v.text);
	end_put(&c->client, b.data, b.len);
	if (b.failed)
		conn_over(c);
	else if (keep)
		reset(h);
	else
		conn_linger(c);
}

static void send_head(struct conn *c, struct h1 *h)
{
	scoped(drop_buf) struct buf b = { 0 };

	buf_addf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", h->request.method, h->request.target,
		 h->request.authority);
	head_write_fields(&b, &h->request);
	if (h->rq.body.kind == BODY_CHUNKED && h->rq_at != RQ_HOLD)
		buf_addf(&b, "Transfer-Encoding: chunked\r\n");
	buf_addf(&b, "%s\r\n\r\n",
		 h->rq.upgrade ? "Upgrade: websocket\r\nConnection: Upgrade" : "Connection: keep-alive");
	end_put(&c->host, b.data, b.len);
	c->host.broken |= b.failed;
	if (b.data)
		explicit_bzero(b.data, b.len);
	h->an_at = AN_HEAD;
}

/* A body that must be known before the head can be signed. */
static void begin_hold(struct conn *c, struct h1 *h)
{
	if (h->rq.body.kind == BODY_CHUNKED || h->rq.body.left > CHECK_BODY_HOLD) {
		verdict_refuse(&h->v, 413, NET_BAD_HTTP,
			       "a request to an Amazon service whose body is longer than %u bytes, or of "
			       "unknown length, must say x-amz-content-sha256",
			       CHECK_BODY_HOLD);
		refuse(c, h);
		return;
	}
	h->rq_at = RQ_HOLD;
	if (message_has_word(&h->request, "expect", "100-continue"))
		end_put(&c->client, "HTTP/1.1 100 Continue\r\n\r\n", 25);
	message_remove(&h->request, "expect");
}

static void begin_request(struct conn *c, struct h1 *h)
{
	conn_place(c, &h->place);
	if (c->host_error[0])
		verdict_refuse(&h->v, 502, NET_NO_REASON, "%s", c->host_error);
	if (c->host_error[0] || !check_request(&h->place, &h->request, &h->swap, &h->v)) {
		refuse(c, h);
		return;
	}
	if (!body_scan_init(&h->scan, &h->place, &h->request)) {
		conn_over(c);
		return;
	}
	if (h->v.signs) {
		begin_hold(c, h);
		return;
	}
	send_head(c, h);
	h->rq_at = h->rq.body.kind == BODY_NONE ? RQ_DONE : RQ_BODY;
}

static bool read_request(struct conn *c, struct h1 *h)
{
	const char *why;
	int n;

	if (!h->request.method && end_len(&c->client) >= 2 && !memcmp(end_data(&c->client), "\r\n", 2))
		end_take(&c->client, 2); /* some clients send one behind a body */
	if (!end_len(&c->client) && !c->client.eof)
		return false;
	n = head_read_request(end_data(&c->client), end_len(&c->client), &h->request, &h->rq, &why);
	if (n == 0) {
		message_finish(&h->request);
		if (c->client.eof)
			conn_linger(c);
		return c->client.eof;
	}
	if (n < 0) {
		verdict_refuse(&h->v, 400, NET_BAD_HTTP, "the request has %s", why);
		refuse(c, h);
		return true;
	}
	end_take(&c->client, (size_t)n);
	begin_request(c, h);
	return true;
}

static void put_piece(struct end *e, const struct buf *b, bool chunked)
{
	char size[24];

	if (!b->len)
		return;
	if (chunked)
		end_put(e, size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", b->len));
	end_put(e, b->data, b->len);
	if (chunked)
		end_put(e, "\r\n", 2);
}

/* Signs with the body that is known now, and sends both. */
static void send_held(struct conn *c, struct h1 *h)
{
	struct sha256 s;
	uint8_t sum[SHA256_BYTES];
	char digits[SIGV4_HASH];

	sha256_init(&s);
	sha256_add(&s, h->hold.data, h->hold.len);
	sha256_end(&s, sum);
	io_hex(sum, sizeof(sum), digits);
	if (!check_sign(&h->request, digits, &h->v)) {
		refuse(c, h);
		return;
	}
	send_head(c, h);
	end_put(&c->host, h->hold.data, h->hold.len);
	h->rq_at = RQ_DONE;
}

/* The next bytes of the request's body. */
static bool move_request(struct conn *c, struct h1 *h)
{
	bool chunked = h->rq.body.kind == BODY_CHUNKED, hold = h->rq_at == RQ_HOLD;
	size_t room = hold ? PIECE : end_room(&c->host), used = 0;
	scoped(drop_buf) struct buf b = { 0 };
	int r;

	if (room < MIN_OUT)
		return false;
	r = body_read(&h->rq.body, end_data(&c->client), end_len(&c->client), room < PIECE ? room : PIECE, &b,
		      &used);
	end_take(&c->client, used);
	if (r < 0 || b.failed)
		verdict_refuse(&h->v, 400, NET_BAD_HTTP, "the request's body has chunks that are none");
	if (h->v.status || !body_scan_feed(&h->scan, &h->place, b.data ? b.data : "", b.len, r > 0, &h->v)) {
		refuse(c, h);
		return true;
	}
	if (!used && !r) {
		if (c->client.eof)
			conn_over(c); /* in the middle of it */
		return c->client.eof;
	}
	if (hold)
		buf_add(&h->hold, b.data, b.len);
	else
		put_piece(&c->host, &b, chunked);
	if (r && hold) {
		send_held(c, h);
	} else if (r) {
		if (chunked)
			end_put(&c->host, "0\r\n\r\n", 5); /* trailers are not passed on */
		h->rq_at = RQ_DONE;
	}
	return true;
}

static bool step_request(struct conn *c, struct h1 *h)
{
	if (h->rq_at == RQ_HEAD && h->an_at == AN_NONE)
		return read_request(c, h);
	if (h->rq_at == RQ_HOLD && h->rq.body.kind == BODY_NONE) {
		send_held(c, h);
		return true;
	}
	return (h->rq_at == RQ_BODY || h->rq_at == RQ_HOLD) && move_request(c, h);
}

static void send_answer_head(struct conn *c, struct h1 *h, const char *end)
{
	scoped(drop_buf) struct buf b = { 0 };

	check_answer(&h->answer, &h->swap);
	buf_addf(&b, "HTTP/1.1 %u %s\r\n", h->answer.status, conn_status_text(h->answer.status));
	head_write_fields(&b, &h->answer);
	buf_addf(&b, "%s\r\n", end);
	end_put(&c->client, b.data, b.len);
	c->client.broken |= b.failed;
}

static void begin_answer(struct conn *c, struct h1 *h)
{
	const char *encoding = message_get(&h->answer, "content-encoding");
	enum body_kind kind = h->an.body.kind;
	char end[96];

	h->chunk_out = h->rq.minor && kind == BODY_CHUNKED;
	h->close = h->rq.close || h->an.close || kind == BODY_TO_END || !h->rq.minor;
	h->swapping = h->swap.n_pairs && (!encoding || !strcasecmp(encoding, "identity"));
	snprintf(end, sizeof(end), "%sConnection: %s\r\n",
		 h->chunk_out ? "Transfer-Encoding: chunked\r\n" : "", h->close ? "close" : "keep-alive");
	send_answer_head(c, h, end);
	h->an_at = kind == BODY_NONE ? AN_DONE : AN_BODY;
}

static void bad_answer(struct conn *c, struct h1 *h, const char *why)
{
	verdict_refuse(&h->v, 502, NET_NO_REASON, "the answer of %s has %s", c->name, why);
	h->rq_at = h->rq_at == RQ_HEAD ? RQ_DONE : h->rq_at;
	refuse(c, h);
}

/* The host is gone before it answered. A client that uses the connection again tries once more by itself. */
static void no_answer(struct conn *c, struct h1 *h)
{
	if (h->exchanges)
		conn_linger(c);
	else
		bad_answer(c, h, "no beginning: the connection was closed");
}

static bool read_answer(struct conn *c, struct h1 *h)
{
	const char *why;
	bool head_only = !strcmp(h->request.method, "HEAD");
	int n;

	if (end_room(&c->client) < MESSAGE_MAX_BYTES)
		return false;
	n = head_read_answer(end_data(&c->host), end_len(&c->host), head_only, &h->answer, &h->an, &why);
	if (n == 0) {
		message_finish(&h->answer);
		if (c->host.eof)
			no_answer(c, h);
		return c->host.eof;
	}
	if (n < 0) {
		bad_answer(c, h, why);
		return true;
	}
	end_take(&c->host, (size_t)n);
	if (h->answer.status == 101) {
		if (!h->rq.upgrade || !h->an.upgrade) {
			bad_answer(c, h, "a change of protocol that nobody asked for");
			return true;
		}
		send_answer_head(c, h, "Upgrade: websocket\r\nConnection: Upgrade\r\n");
		h->tunnel = true;
	} else if (h->answer.status < 200) {
		send_answer_head(c, h, "");
		message_finish(&h->answer);
	} else {
		begin_answer(c, h);
	}
	return true;
}

static void end_answer(struct conn *c, struct h1 *h)
{
	scoped(drop_buf) struct buf b = { 0 };

	if (h->chunk_out) {
		buf_addf(&b, "0\r\n");
		if (h->an.body.trailers) {
			check_answer(h->an.body.trailers, &h->swap);
			head_write_fields(&b, h->an.body.trailers);
		}
		buf_addf(&b, "\r\n");
		end_put(&c->client, b.data, b.len);
		c->client.broken |= b.failed;
	}
	h->an_at = AN_DONE;
}

static bool move_answer(struct conn *c, struct h1 *h)
{
	size_t room = end_room(&c->client), used = 0;
	scoped(drop_buf) struct buf b = { 0 }, swapped = { 0 };
	struct buf *out = h->swapping ? &swapped : &b;
	bool last;
	int r;

	if (room < MIN_OUT)
		return false;
	r = body_read(&h->an.body, end_data(&c->host), end_len(&c->host), room < PIECE ? room : PIECE, &b,
		      &used);
	end_take(&c->host, used);
	last = r > 0 || (!used && c->host.eof && h->an.body.kind == BODY_TO_END);
	if (h->swapping && b.len)
		swap_feed(&h->swap, b.data, b.len, &swapped);
	if (h->swapping && last)
		swap_end(&h->swap, &swapped);
	put_piece(&c->client, out, h->chunk_out);
	c->client.rude |= last && h->an.body.kind == BODY_TO_END && c->host.cut;
	if (last)
		end_answer(c, h);
	else if (r < 0 || out->failed || (!used && c->host.eof))
		conn_over(c); /* the client sees that it is not complete */
	return used || last || c->state == CONN_OVER;
}

static bool step_answer(struct conn *c, struct h1 *h)
{
	if (h->an_at == AN_HEAD)
		return read_answer(c, h);
	if (h->an_at == AN_BODY)
		return move_answer(c, h);
	if (h->an_at == AN_DONE) {
		if (h->close || h->rq_at != RQ_DONE) {
			conn_linger(c);
		} else {
			reset(h);
			h->exchanges++;
		}
		return true;
	}
	if (h->rq_at == RQ_HEAD && c->host.eof && !end_len(&c->client) && !c->host_error[0]) {
		conn_linger(c); /* between two requests */
		return true;
	}
	return false;
}

static bool pass_on(struct end *from, struct end *to)
{
	size_t n = end_len(from) < end_room(to) ? end_len(from) : end_room(to);

	end_put(to, end_data(from), n);
	end_take(from, n);
	if (from->eof && !end_len(from) && !to->ending) {
		to->ending = true;
		return true;
	}
	return n > 0;
}

/* A WebSocket: bytes, both ways, to the end of both. */
static bool step_tunnel(struct conn *c)
{
	bool any = pass_on(&c->client, &c->host);

	any |= pass_on(&c->host, &c->client);
	if (c->host.broken || (c->client.ended && c->host.ended))
		conn_over(c);
	return any;
}

static bool step_h1(struct conn *c)
{
	struct h1 *h = c->data;
	bool any;

	if (h->tunnel)
		return step_tunnel(c);
	any = step_request(c, h);
	if (c->state == CONN_RUN && !c->lingering)
		any |= step_answer(c, h);
	return any;
}

const struct protocol protocol_h1 = { open_h1, step_h1, close_h1 };
