/* SPDX-License-Identifier: Apache-2.0 */
/* Every length is checked against what is left before anything is read. */
#include "net/ssh_agent.h"

#include <stdio.h>
#include <string.h>

#define USERAUTH_REQUEST 50
/* The most keys that are looked at. */
#define MAX_KEYS 2048
/* Of a text that somebody else chose. */
#define QUOTED_MAX 64

struct reader {
	const uint8_t *at;
	size_t left;
};

struct piece {
	const uint8_t *data;
	size_t len;
};

static uint32_t number(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool take_number(struct reader *r, uint32_t *ret)
{
	if (r->left < 4)
		return false;
	*ret = number(r->at);
	r->at += 4;
	r->left -= 4;
	return true;
}

static bool take_byte(struct reader *r, uint8_t *ret)
{
	if (!r->left)
		return false;
	*ret = *r->at++;
	r->left--;
	return true;
}

static bool take_piece(struct reader *r, struct piece *ret)
{
	uint32_t len;

	if (!take_number(r, &len) || len > r->left)
		return false;
	*ret = (struct piece){ r->at, len };
	r->at += len;
	r->left -= len;
	return true;
}

static bool is(const struct piece *p, const char *text)
{
	return p->len == strlen(text) && !memcmp(p->data, text, p->len);
}

/* For a terminal: nothing of it moves a cursor or ends the quotes. */
static void quote(const struct piece *p, char ret[QUOTED_MAX + 1])
{
	size_t n = p->len < QUOTED_MAX ? p->len : QUOTED_MAX;

	for (size_t i = 0; i < n; i++)
		ret[i] =
			(char)(p->data[i] < ' ' || p->data[i] > '~' || p->data[i] == '\'' ? '?' : p->data[i]);
	ret[n] = '\0';
	if (n < p->len)
		memcpy(ret + n - 3, "...", 3);
}

/* RFC 4252, 7: what a client of ssh signs in order to log in. */
static bool is_login(struct reader r, struct piece *ret_user)
{
	struct piece session, service, method, algorithm, key, host;
	uint8_t type, signs;

	if (!take_piece(&r, &session) || !session.len || !take_byte(&r, &type) || type != USERAUTH_REQUEST ||
	    !take_piece(&r, ret_user) || !take_piece(&r, &service) || !is(&service, "ssh-connection") ||
	    !take_piece(&r, &method) || !take_byte(&r, &signs) || !take_piece(&r, &algorithm) ||
	    !take_piece(&r, &key))
		return false;
	if (is(&method, "publickey-hostbound-v00@openssh.com"))
		return take_piece(&r, &host) && !r.left;
	return is(&method, "publickey") && !r.left;
}

/* OpenSSH's PROTOCOL.sshsig: of a file, a commit, a tag. */
static bool is_file(struct reader r, struct piece *ret_namespace)
{
	static const char magic[] = { 'S', 'S', 'H', 'S', 'I', 'G' };
	struct piece reserved, algorithm, hash;

	if (r.left < sizeof(magic) || memcmp(r.at, magic, sizeof(magic)))
		return false;
	r.at += sizeof(magic);
	r.left -= sizeof(magic);
	return take_piece(&r, ret_namespace) && take_piece(&r, &reserved) && take_piece(&r, &algorithm) &&
	       take_piece(&r, &hash) && !r.left;
}

static void describe(const struct piece *data, char ret[SSH_AGENT_TEXT])
{
	const struct reader r = { data->data, data->len };
	char text[QUOTED_MAX + 1];
	struct piece found;

	if (is_login(r, &found)) {
		quote(&found, text);
		snprintf(ret, SSH_AGENT_TEXT, "a login as '%s'", text);
	} else if (is_file(r, &found)) {
		quote(&found, text);
		snprintf(ret, SSH_AGENT_TEXT,
			 is(&found, "git") ? "a commit or tag of git" : "a file, for '%s'", text);
	} else {
		snprintf(ret, SSH_AGENT_TEXT, "%zu bytes that aisbx cannot read", data->len);
	}
}

size_t ssh_agent_body(const uint8_t head[SSH_AGENT_HEAD])
{
	uint32_t len = number(head);

	return len <= SSH_AGENT_BODY_MAX ? len : 0;
}

enum ssh_agent_verdict ssh_agent_judge(const uint8_t *body, size_t len, struct ssh_agent_sign *ret)
{
	struct reader r = { body, len };
	struct piece key, data;
	uint32_t flags;
	uint8_t type;

	if (!take_byte(&r, &type))
		return SSH_AGENT_REFUSE;
	if (type == SSH_AGENT_LIST)
		return r.left ? SSH_AGENT_REFUSE : SSH_AGENT_PASS;
	if (type != SSH_AGENT_SIGN || !take_piece(&r, &key) || !take_piece(&r, &data) ||
	    !take_number(&r, &flags) || r.left)
		return SSH_AGENT_REFUSE;
	ret->key = key.data;
	ret->key_len = key.len;
	describe(&data, ret->about);
	return SSH_AGENT_ASK;
}

bool ssh_agent_name(const uint8_t *list, size_t len, const uint8_t *key, size_t key_len,
		    char ret[SSH_AGENT_TEXT])
{
	struct reader r = { list, len };
	struct piece blob, comment;
	uint32_t n;
	uint8_t type;

	if (!take_byte(&r, &type) || type != SSH_AGENT_KEYS || !take_number(&r, &n))
		return false;
	for (uint32_t i = 0; i < n && i < MAX_KEYS; i++) {
		if (!take_piece(&r, &blob) || !take_piece(&r, &comment))
			return false;
		if (blob.len != key_len || memcmp(blob.data, key, key_len))
			continue;
		quote(&comment, ret);
		if (!comment.len)
			strcpy(ret, "(without a name)");
		return true;
	}
	return false;
}
