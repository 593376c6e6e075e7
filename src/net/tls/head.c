/* SPDX-License-Identifier: Apache-2.0 */
/* Reads heads of HTTP/1.1. */
#include "net/tls/head.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "net/http_head.h"

#define EARLY 4096u /* so much of a head is judged before it is complete */

static bool is_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && (!text[i] || !strchr("!#$%&'*+-.^_`|~", text[i])))
			return false;
	return len > 0;
}

static bool is_value(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f)
			return false;
	return true;
}

/* The line at DATA without its CR LF; *RET_LEN is its length. -1: a line break that is none. */
static int line(const char *data, size_t len, size_t *ret_len)
{
	const char *end = memchr(data, '\n', len);

	if (!end)
		return 0;
	if (end == data || end[-1] != '\r')
		return -1;
	*ret_len = (size_t)(end - data) - 1;
	return memchr(data, '\r', *ret_len) ? -1 : 1;
}

static const char *read_field(struct message *m, const char *data, size_t len)
{
	const char *colon = memchr(data, ':', len);
	size_t name = colon ? (size_t)(colon - data) : 0;

	if (!colon || !is_name(data, name))
		return "a field without a proper name";
	if (!is_value(colon + 1, len - name - 1))
		return "a field with control characters";
	return message_add(m, data, name, colon + 1, len - name - 1) ? NULL : "too many fields";
}

/* Fields up to the empty line. The length up to behind it, 0 or -EBADMSG. */
static int read_fields(const char *data, size_t len, struct message *m, const char **ret_why)
{
	for (size_t at = 0, n;; at += n + 2) {
		int r = line(data + at, len - at, &n);

		*ret_why = "lines that do not end with CR LF";
		if (r <= 0)
			return r ? -EBADMSG : 0;
		if (!n)
			return (int)(at + 2);
		*ret_why = read_field(m, data + at, n);
		if (*ret_why)
			return -EBADMSG;
	}
}

/* Whether the whole head is there: -EBADMSG when it is too long for one. */
static int whole(const char *data, size_t len, const char **ret_why)
{
	*ret_why = "a head that is too long";
	if (memmem(data, len, "\r\n\r\n", 4))
		return 1;
	return len > MESSAGE_MAX_BYTES ? -EBADMSG : 0;
}

static bool read_length(const struct message *m, uint64_t *ret, bool *ret_any)
{
	*ret_any = false;
	for (size_t i = 0; i < m->n_fields; i++) {
		const char *v = m->fields[i].value;
		uint64_t n = 0;

		if (strcasecmp(m->fields[i].name, "content-length") != 0)
			continue;
		if (*ret_any || !*v || strlen(v) > 15 || v[strspn(v, "0123456789")])
			return false;
		for (; *v; v++)
			n = n * 10 + (uint64_t)(*v - '0');
		*ret = n;
		*ret_any = true;
	}
	return true;
}

static size_t count(const struct message *m, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_fields; i++)
		n += !strcasecmp(m->fields[i].name, name);
	return n;
}

/* What the fields say about the body; of an answer a chunked one may also have a length, which does not
 * count. */
static const char *read_framing(struct message *m, struct head *h, bool answer)
{
	const char *coding = message_get(m, "transfer-encoding");
	bool any;
	uint64_t length = 0;

	if (!read_length(m, &length, &any))
		return "a length that is none, or more than one";
	if (coding) {
		if (strcasecmp(coding, "chunked") != 0 || count(m, "transfer-encoding") > 1 ||
		    (any && !answer) || !h->minor)
			return "a transfer encoding that servers read in different ways";
		message_remove(m, "content-length");
		h->body.kind = BODY_CHUNKED;
	} else if (any) {
		h->body.kind = length ? BODY_LENGTH : BODY_NONE;
		h->body.left = length;
	} else if (answer) {
		h->body.kind = BODY_TO_END;
	}
	return NULL;
}

/* Fields that are for the next hop only, and those that "Connection" says are. */
static void strip_hop(struct message *m, struct head *h)
{
	static const char *const hop[] = { "connection", "keep-alive", "proxy-connection",
					   "te",         "trailer",    "transfer-encoding" };
	const char *upgrade = message_get(m, "upgrade");

	h->close = message_has_word(m, "connection", "close") ||
		   (!h->minor && !message_has_word(m, "connection", "keep-alive"));
	h->upgrade =
		upgrade && !strcasecmp(upgrade, "websocket") && message_has_word(m, "connection", "upgrade");
	for (size_t i = m->n_fields; i-- > 0;)
		if (strcasecmp(m->fields[i].name, "connection") != 0 &&
		    strcasecmp(m->fields[i].name, "content-length") != 0 &&
		    message_has_word(m, "connection", m->fields[i].name))
			message_remove_at(m, i);
	for (size_t i = 0; i < sizeof(hop) / sizeof(hop[0]); i++)
		message_remove(m, hop[i]);
	message_remove(m, "upgrade");
}

/* "METHOD TARGET HTTP/1.x" */
static const char *request_line(const char *data, size_t len, struct message *m, struct head *h)
{
	const char *space = memchr(data, ' ', len);
	const char *second = space ? memchr(space + 1, ' ', len - (size_t)(space + 1 - data)) : NULL;
	size_t rest = second ? len - (size_t)(second + 1 - data) : 0;

	if (rest != 8 || memcmp(second + 1, "HTTP/1.", 7) != 0 || (second[8] != '0' && second[8] != '1') ||
	    !is_name(data, (size_t)(space - data)) || space + 1 == second)
		return "a request line that is none";
	h->minor = (unsigned int)(second[8] - '0');
	if (!message_set(&m->method, data, (size_t)(space - data)) ||
	    !message_set(&m->target, space + 1, (size_t)(second - space - 1)))
		return "a request line that is none";
	return NULL;
}

static const char *take_host(struct message *m)
{
	const char *host = message_get(m, "host");

	if (!host || count(m, "host") != 1 || !message_set(&m->authority, host, strlen(host)))
		return "no host, or more than one";
	message_remove(m, "host");
	return NULL;
}

/* What the broker's own reader thinks of it, which is stricter in places. */
static int judge(const char *data, size_t len, const char **ret_why)
{
	struct http_head h;
	enum http_verdict v;
	int r = whole(data, len, ret_why);

	/* A long one is not read again at every byte. */
	if (r < 0 || (r == 0 && len > EARLY))
		return r;
	v = http_head_read(data, len, &h);
	*ret_why = http_problem_text(v == HTTP_NOT_HTTP ? HTTP_PROBLEM_NOT_HTTP : h.problem);
	return v == HTTP_OK ? 1 : v == HTTP_MORE ? 0 : -EBADMSG;
}

int head_read_request(const char *data, size_t len, struct message *m, struct head *ret, const char **ret_why)
{
	size_t first = 0;
	int r = judge(data, len, ret_why), n;

	*ret = (struct head){ 0 };
	if (r <= 0)
		return r;
	*ret_why = "lines that do not end with CR LF";
	if (line(data, len, &first) != 1)
		return -EBADMSG;
	*ret_why = request_line(data, first, m, ret);
	if (*ret_why)
		return -EBADMSG;
	n = read_fields(data + first + 2, len - first - 2, m, ret_why);
	if (n <= 0)
		return -EBADMSG;
	*ret_why = read_framing(m, ret, false);
	if (!*ret_why)
		*ret_why = take_host(m);
	if (*ret_why)
		return -EBADMSG;
	strip_hop(m, ret);
	return (int)first + 2 + n;
}

/* "HTTP/1.x 200 words" */
static const char *status_line(const char *data, size_t len, struct message *m, struct head *h)
{
	if (len < 12 || memcmp(data, "HTTP/1.", 7) != 0 || (data[7] != '0' && data[7] != '1') ||
	    data[8] != ' ' || (len > 12 && data[12] != ' ') || !is_value(data, len) || data[9] < '1' ||
	    data[9] > '9' || !isdigit((unsigned char)data[10]) || !isdigit((unsigned char)data[11]))
		return "a status line that is none";
	h->minor = (unsigned int)(data[7] - '0');
	m->status = (unsigned int)((data[9] - '0') * 100 + (data[10] - '0') * 10 + data[11] - '0');
	return NULL;
}

int head_read_answer(const char *data, size_t len, bool no_body, struct message *m, struct head *ret,
		     const char **ret_why)
{
	size_t first = 0;
	int r = whole(data, len, ret_why), n;

	*ret = (struct head){ 0 };
	if (r <= 0)
		return r;
	*ret_why = "lines that do not end with CR LF";
	if (line(data, len, &first) != 1)
		return -EBADMSG;
	*ret_why = status_line(data, first, m, ret);
	if (*ret_why)
		return -EBADMSG;
	n = read_fields(data + first + 2, len - first - 2, m, ret_why);
	if (n <= 0)
		return -EBADMSG;
	*ret_why = read_framing(m, ret, true);
	if (*ret_why)
		return -EBADMSG;
	strip_hop(m, ret);
	if (no_body || m->status < 200 || m->status == 204 || m->status == 304)
		ret->body.kind = BODY_NONE;
	return (int)first + 2 + n;
}

void head_write_fields(struct buf *b, const struct message *m)
{
	for (size_t i = 0; i < m->n_fields; i++)
		buf_addf(b, "%s: %s\r\n", m->fields[i].name, m->fields[i].value);
}
