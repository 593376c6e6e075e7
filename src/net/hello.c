/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a ClientHello (RFC 5246, 6066, 7301, 8446, ECH). Records first, since a hello may be spread over
 * several; then the one message in them. Whatever a lenient server might still take for TLS is bad, not "no
 * TLS".
 */
#include "net/hello.h"

#include <string.h>

#define RECORD_HEAD    5
#define RECORD_MAX     16384
#define HANDSHAKE_HEAD 4
#define TYPE_HANDSHAKE 22
#define TYPE_FIRST     20 /* change_cipher_spec; 24 is heartbeat */
#define TYPE_LAST      24
#define MESSAGE_CLIENT 1

enum extension {
	EXT_SERVER_NAME = 0,
	EXT_ALPN = 16,
	EXT_EARLY_DATA = 42,
	EXT_SUPPORTED_VERSIONS = 43,
	EXT_ECH = 0xfe0d,
	EXT_ESNI = 0xffce,
};

/* Bytes that are still to be read. */
struct part {
	const uint8_t *at; /* borrowed */
	size_t left;
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static bool take(struct part *p, size_t len, struct part *ret)
{
	if (p->left < len)
		return false;
	*ret = (struct part){ p->at, len };
	p->at += len;
	p->left -= len;
	return true;
}

static bool take8(struct part *p, uint8_t *ret)
{
	struct part b;

	if (!take(p, 1, &b))
		return false;
	*ret = b.at[0];
	return true;
}

static bool take16(struct part *p, uint16_t *ret)
{
	struct part b;

	if (!take(p, 2, &b))
		return false;
	*ret = get16(b.at);
	return true;
}

/* A vector with its length before it, in one byte or two. */
static bool take_vector8(struct part *p, struct part *ret)
{
	uint8_t len;

	return take8(p, &len) && take(p, len, ret);
}

static bool take_vector16(struct part *p, struct part *ret)
{
	uint16_t len;

	return take16(p, &len) && take(p, len, ret);
}

static bool server_name_read(struct part p, struct hello *ret)
{
	struct part list, name;
	uint8_t type;

	if (!take_vector16(&p, &list) || p.left)
		return false;
	if (!take8(&list, &type) || type != 0 || !take_vector16(&list, &name) || list.left)
		return false;
	if (!name.left || name.left >= HELLO_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.left; i++)
		if (name.at[i] <= ' ' || name.at[i] >= 0x7f)
			return false;
	memcpy(ret->sni, name.at, name.left);
	ret->sni[name.left] = '\0';
	ret->sni_len = name.left;
	return true;
}

static bool is(const struct part *p, const char *text)
{
	return p->left == strlen(text) && !memcmp(p->at, text, p->left);
}

static bool alpn_read(struct part p, struct hello *ret)
{
	struct part list, name;

	if (!take_vector16(&p, &list) || p.left || !list.left)
		return false;
	while (list.left) {
		if (!take_vector8(&list, &name) || !name.left)
			return false;
		ret->n_alpn++;
		if (is(&name, "h2"))
			ret->alpn_h2 = true;
		else if (is(&name, "http/1.1"))
			ret->alpn_http11 = true;
		else
			ret->alpn_other = true;
	}
	return true;
}

static bool versions_read(struct part p, struct hello *ret)
{
	struct part list;
	uint16_t v;

	if (!take_vector8(&p, &list) || p.left || !list.left)
		return false;
	ret->newest = 0;
	while (list.left) {
		if (!take16(&list, &v))
			return false;
		if (v >> 8 == 3 && v > ret->newest) /* others are noise, drafts or not of this world */
			ret->newest = v;
	}
	return true;
}

static bool ech_read(struct part p, struct hello *ret)
{
	struct part suite, key, payload;
	uint8_t type;

	if (!take8(&p, &type) || type > 1)
		return false;
	if (type == 1) {
		ret->ech = HELLO_ECH_INNER;
		return !p.left;
	}
	if (!take(&p, 4, &suite) || !take8(&p, &ret->ech_config) || !take_vector16(&p, &key) ||
	    !take_vector16(&p, &payload) || p.left || !payload.left)
		return false;
	ret->ech = HELLO_ECH_OUTER;
	ret->ech_key_len = (uint16_t)key.left;
	ret->ech_payload_len = (uint16_t)payload.left;
	return true;
}

static bool extension_read(uint16_t type, struct part p, struct hello *ret)
{
	switch (type) {
	case EXT_SERVER_NAME:
		return server_name_read(p, ret);
	case EXT_ALPN:
		return alpn_read(p, ret);
	case EXT_SUPPORTED_VERSIONS:
		return versions_read(p, ret);
	case EXT_ECH:
		return ech_read(p, ret);
	case EXT_ESNI:
		ret->esni = true;
		return true;
	case EXT_EARLY_DATA:
		ret->early_data = true;
		return true;
	default:
		return true;
	}
}

static bool extensions_read(struct part p, struct hello *ret)
{
	uint8_t seen[65536 / 8] = { 0 };

	while (p.left) {
		struct part body;
		uint16_t type;

		if (!take16(&p, &type) || !take_vector16(&p, &body))
			return false;
		if (seen[type / 8] & 1u << type % 8) /* servers differ in which of the two they take */
			return false;
		seen[type / 8] |= (uint8_t)(1u << type % 8);
		if (!extension_read(type, body, ret))
			return false;
	}
	return true;
}

/* The message, from the version on. */
static bool message_read(struct part p, struct hello *ret)
{
	struct part random, session, suites, compression, extensions;

	if (!take16(&p, &ret->version) || ret->version >> 8 != 3 || !take(&p, 32, &random))
		return false;
	ret->newest = ret->version;
	if (!take_vector8(&p, &session) || session.left > 32)
		return false;
	if (!take_vector16(&p, &suites) || !suites.left || suites.left % 2)
		return false;
	if (!take_vector8(&p, &compression) || !compression.left)
		return false;
	if (!p.left)
		return true; /* before extensions were invented, and so without a name */
	return take_vector16(&p, &extensions) && !p.left && extensions_read(extensions, ret);
}

/* A hello of several records, of which all are there: puts their contents together. */
static __attribute__((noinline)) bool spread_read(const uint8_t *data, size_t message_len, struct hello *ret)
{
	uint8_t whole[HELLO_MAX];
	size_t n = 0;

	while (n < message_len) {
		size_t len = get16(data + 3);

		memcpy(whole + n, data + RECORD_HEAD, len);
		n += len;
		data += RECORD_HEAD + len;
	}
	return message_read((struct part){ whole + HANDSHAKE_HEAD, message_len - HANDSHAKE_HEAD }, ret);
}

/* SSLv2 begins with a length of two bytes whose first bit is set, type 1 and a version. */
static enum hello_verdict begins_sslv2(const uint8_t *data, size_t len, struct hello *ret)
{
	ret->need = len < 3 ? 3 : 5;
	if (len >= 3 && data[2] != MESSAGE_CLIENT)
		return HELLO_NOT_TLS;
	if (len < 5)
		return HELLO_MORE;
	return data[3] == 3 || (data[3] == 0 && data[4] == 2) ? HELLO_BAD : HELLO_NOT_TLS;
}

/* By the first bytes, as many as there are: HELLO_OK is "a record of TLS with a hello, so far". */
static enum hello_verdict begins(const uint8_t *data, size_t len, struct hello *ret)
{
	ret->need = 1;
	if (!len)
		return HELLO_MORE;
	if (data[0] >= 0x80)
		return begins_sslv2(data, len, ret);
	if (data[0] == TYPE_HANDSHAKE)
		return HELLO_OK;
	if (data[0] < TYPE_FIRST || data[0] > TYPE_LAST)
		return HELLO_NOT_TLS;
	ret->need = 2;
	if (len < 2)
		return HELLO_MORE;
	return data[1] <= 3 ? HELLO_BAD : HELLO_NOT_TLS;
}

/* The header of a record, as far as it is there. */
static bool record_is_good(const uint8_t *p, size_t len)
{
	if (p[0] != TYPE_HANDSHAKE || (len > 1 && p[1] != 3) || (len > 2 && p[2] > 4))
		return false;
	return len < RECORD_HEAD || (get16(p + 3) && get16(p + 3) <= RECORD_MAX);
}

/* How far the records were stepped over. */
struct walk {
	size_t at;                    /* the next record */
	size_t held;                  /* bytes of the message in those before it */
	size_t message;               /* its length with its header; 0: not yet known */
	uint8_t head[HANDSHAKE_HEAD]; /* of the message */
};

/* Notes what a record has of the message's header: HAVE bytes of it came, at P. False: it is no hello, or too
 * long. */
static bool message_head_read(struct walk *w, const uint8_t *p, size_t have)
{
	for (size_t i = w->held; i < HANDSHAKE_HEAD && i - w->held < have; i++)
		w->head[i] = p[i - w->held];
	if (w->held + have && w->head[0] != MESSAGE_CLIENT)
		return false;
	if (w->held + have >= HANDSHAKE_HEAD)
		w->message = HANDSHAKE_HEAD + ((size_t)w->head[1] << 16 | get16(w->head + 2));
	return w->message <= HELLO_MAX;
}

/* Steps over one record. HELLO_OK: it is all there; ret->need is set otherwise. */
static enum hello_verdict record_step(struct walk *w, const uint8_t *data, size_t len, struct hello *ret)
{
	const uint8_t *record = data + w->at;
	size_t left = len - w->at, body, have;

	ret->need = w->at + RECORD_HEAD;
	if (ret->need > HELLO_MAX || (left && !record_is_good(record, left)))
		return HELLO_BAD;
	if (left < RECORD_HEAD)
		return HELLO_MORE;
	left -= RECORD_HEAD;
	body = get16(record + 3);
	have = left < body ? left : body;
	if (!message_head_read(w, record + RECORD_HEAD, have))
		return HELLO_BAD;
	ret->need += body;
	w->held += body;
	w->at += RECORD_HEAD + body;
	if (w->at > HELLO_MAX)
		return HELLO_BAD;
	return have < body ? HELLO_MORE : HELLO_OK;
}

/* Steps over records until they hold the whole message. HELLO_OK: ret->len and *ret_message are set. */
static enum hello_verdict records_walk(const uint8_t *data, size_t len, struct hello *ret,
				       size_t *ret_message)
{
	struct walk w = { 0 };

	for (int records = 0; records < HELLO_MAX_RECORDS; records++) {
		enum hello_verdict v = record_step(&w, data, len, ret);

		if (w.message && w.held > w.message) /* something else lies in the record in which it ends */
			return HELLO_BAD;
		if (v != HELLO_OK)
			return v;
		if (w.message && w.held == w.message) {
			ret->len = w.at;
			*ret_message = w.message;
			return HELLO_OK;
		}
	}
	return HELLO_BAD;
}

enum hello_verdict hello_read(const uint8_t *data, size_t len, struct hello *ret)
{
	size_t message = 0;
	enum hello_verdict v;
	bool good;

	memset(ret, 0, sizeof(*ret));
	v = begins(data, len, ret);
	if (v != HELLO_OK)
		return v;
	v = records_walk(data, len, ret, &message);
	if (v != HELLO_OK)
		return v;
	ret->record_version = get16(data + 1);
	if (get16(data + 3) == message)
		good = message_read((struct part){ data + RECORD_HEAD + HANDSHAKE_HEAD,
						   message - HANDSHAKE_HEAD },
				    ret);
	else
		good = spread_read(data, message, ret);
	return good ? HELLO_OK : HELLO_BAD;
}
