/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One automaton (Aho-Corasick) per encoding over all encodings of all secrets. While no match is in progress,
 * which is nearly always, a table of byte pairs says that none can begin here.
 */
#include "secret/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

/* A state: the longest beginning of a spelling that was just read. */
struct node {
	uint32_t child,
		next;  /* first of those one symbol longer; the next one with the same parent; 0: none */
	uint32_t fail; /* the longest other beginning that ends here */
	uint32_t depth;
	uint32_t hit;    /* symbols of the longest match that ends here; 0: none does */
	uint16_t secret; /* of that match */
	uint8_t byte;
};

struct redactor {
	unsigned int owners; /* others than the first */
	struct node *nodes;  /* owned; the first ENCODING_COUNT are the roots */
	uint32_t n_nodes, cap_nodes;
	uint32_t first[ENCODING_COUNT][256]; /* from the root; the root itself where nothing begins */
	uint32_t deepest[ENCODING_COUNT];
	uint64_t ring[ENCODING_COUNT];       /* symbols whose places have to be known, as a power of two */
	bool begins[ENCODING_COUNT][256];    /* this byte of a text may begin something */
	uint8_t pairs[65536];                /* these two bytes may */
	char (*marks)[SECRET_MAX_NAME + 16]; /* owned; what is put in the place of each */
	bool failed;
};

/* Between two symbols bytes that do not count are let pass only behind so many: else the end of every line
 * were held back. */
static const uint32_t gap_after[ENCODING_COUNT] = {
	[ENCODING_BASE64] = 8, [ENCODING_HEX] = 2, [ENCODING_DUMP] = 2
};

/* Behind the digits of a dump the same bytes stand as text. */
#define MAX_TAIL 200

/* Few enough not to tell a secret, more than the echo of a key needs. */
#define IDLE_DEPTH 2

size_t secret_most(size_t n)
{
	size_t most = n - n / 4;

	return most > SECRET_MIN ? most : n < SECRET_MIN ? n : SECRET_MIN;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

const char *secret_line(const char *value, size_t len, size_t *at, size_t *ret_len)
{
	if (!memchr(value, '\n', len))
		return NULL;
	while (*at < len) {
		const char *line = value + *at, *end = memchr(line, '\n', len - *at);
		size_t n = end ? (size_t)(end - line) : len - *at;

		*at += n + 1;
		for (; n && is_blank(*line); n--)
			line++;
		while (n && is_blank(line[n - 1]))
			n--;
		if (n < SECRET_MIN || !strncmp(line, "-----BEGIN ", 11) || !strncmp(line, "-----END ", 9))
			continue;
		*ret_len = n;
		return line;
	}
	return NULL;
}

static uint32_t new_node(struct redactor *r)
{
	if (r->n_nodes == r->cap_nodes) {
		uint32_t cap = r->cap_nodes ? r->cap_nodes * 2 : 1024;
		struct node *grown = realloc(r->nodes, cap * sizeof(*grown));

		if (!grown) {
			r->failed = true;
			return 0;
		}
		r->nodes = grown;
		r->cap_nodes = cap;
	}
	r->nodes[r->n_nodes] = (struct node){ 0 };
	return r->n_nodes++;
}

static uint32_t find_child(const struct redactor *r, uint32_t at, uint8_t byte)
{
	uint32_t k = r->nodes[at].child;

	while (k && r->nodes[k].byte != byte)
		k = r->nodes[k].next;
	return k;
}

/* From MOST symbols on, it is found. */
static void add_spelling(struct redactor *r, enum encoding l, const uint8_t *symbols, size_t n, size_t most,
			 size_t secret)
{
	uint32_t at = l;

	for (size_t i = 0; i < n && !r->failed; i++) {
		uint32_t k = find_child(r, at, symbols[i]);

		if (!k && (k = new_node(r))) {
			r->nodes[k].byte = symbols[i];
			r->nodes[k].depth = (uint32_t)i + 1;
			r->nodes[k].next = r->nodes[at].child;
			r->nodes[at].child = k;
		}
		at = k;
		if (!r->failed && i + 1 >= most && !r->nodes[k].hit) {
			r->nodes[k].hit = r->nodes[k].depth;
			r->nodes[k].secret = (uint16_t)secret;
		}
	}
	if (n > r->deepest[l])
		r->deepest[l] = (uint32_t)n;
}

static void add_secret(struct redactor *r, const struct run_secret *s, size_t number)
{
	size_t len = s->len, at = 0, n;
	scoped(drop_mem) uint8_t *room = malloc(ENCODING_ROOM(len));
	const char *line;

	if (!room) {
		r->failed = true;
		return;
	}
	while (len > SECRET_MIN && (s->value[len - 1] == '\n' || s->value[len - 1] == '\r'))
		len--; /* programs print it without */
	for (enum encoding l = 0; l < ENCODING_COUNT; l++)
		for (unsigned int v = 0; v < ENCODING_VARIANTS; v++) {
			n = encoding_symbols(l, v, s->value, len, room);
			if (n >= SECRET_MIN) /* of NULs nothing is left in UTF-16 */
				add_spelling(r, l, room, n, secret_most(n), number);
		}
	while ((line = secret_line(s->value, len, &at, &n)))
		add_spelling(r, ENCODING_RAW, (const uint8_t *)line, n, n, number);
}

/* Children of the root are found at once, others among their siblings, or where the longest other beginning
 * leads. */
static uint32_t go(const struct redactor *r, enum encoding l, uint32_t at, uint8_t byte)
{
	while (at >= ENCODING_COUNT) {
		uint32_t k = find_child(r, at, byte);

		if (k)
			return k;
		at = r->nodes[at].fail;
	}
	return r->first[l][byte];
}

static void link_encoding(struct redactor *r, enum encoding l, uint32_t *queue)
{
	uint32_t n = 0;

	for (r->ring[l] = ENCODING_MAX_SYMBOLS; r->ring[l] < r->deepest[l] + (uint64_t)ENCODING_MAX_SYMBOLS;)
		r->ring[l] *= 2;
	for (int c = 0; c < 256; c++)
		r->first[l][c] = l;
	for (uint32_t k = r->nodes[l].child; k; k = r->nodes[k].next) {
		r->first[l][r->nodes[k].byte] = k;
		r->nodes[k].fail = l;
		queue[n++] = k;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = r->nodes[queue[i]].child; k; k = r->nodes[k].next) {
			struct node *node = &r->nodes[k];
			const struct node *fail;

			node->fail = go(r, l, r->nodes[queue[i]].fail, node->byte);
			fail = &r->nodes[node->fail];
			if (!node->hit && fail->hit) {
				node->hit = fail->hit;
				node->secret = fail->secret;
			}
			queue[n++] = k;
		}
}

static bool at_root(const struct redact *s, enum encoding l)
{
	return s->state[l] < ENCODING_COUNT && !s->encoding[l].n_held;
}

/* Where what this encoding is in the middle of began; the end where it is in the middle of nothing. */
static uint64_t began(const struct redact *s, enum encoding l)
{
	const struct redactor *r = s->what;
	uint32_t depth = r->nodes[s->state[l]].depth;

	if (depth)
		return s->places[l][(s->n_symbols[l] - depth) & (r->ring[l] - 1)];
	return s->encoding[l].n_held ? s->encoding[l].from : s->seen;
}

static void cover(struct redact *s, uint64_t from, uint64_t to, uint32_t secret)
{
	struct redact_cover all = { .from = from, .to = to, .len = to - from, .secret = secret };

	if (all.from < s->base)
		all.from = s->base;
	while (s->n_covers && s->covers[s->n_covers - 1].to > all.from) {
		const struct redact_cover *c = &s->covers[--s->n_covers];

		if (c->from < all.from || (c->from == all.from && c->len >= all.len)) {
			all.secret = c->secret;
			all.len = c->len;
		}
		all.from = c->from < all.from ? c->from : all.from;
		all.to = c->to > all.to ? c->to : all.to;
		all.had_line |= c->had_line;
		all.had_text |= c->had_text;
	}
	if (s->n_covers == s->cap_covers) {
		size_t cap = s->cap_covers ? s->cap_covers * 2 : 16;
		struct redact_cover *grown = realloc(s->covers, cap * sizeof(*grown));

		if (!grown) {
			s->failed = true;
			return;
		}
		s->covers = grown;
		s->cap_covers = cap;
	}
	s->covers[s->n_covers++] = all;
}

/* Notes what a dump has in some bytes of a cover. */
static void note_text(struct redact_cover *c, const char *bytes, uint64_t n)
{
	for (; n--; bytes++) {
		c->had_line |= *bytes == '\n';
		c->had_text |= !*bytes || !strchr("0123456789abcdefABCDEF \t\r\n:-x\\", *bytes);
	}
}

/* Whether the last cover has a column of text in it. */
static bool has_text(const struct redact *s)
{
	struct redact_cover c = s->covers[s->n_covers - 1];
	uint64_t from = c.from > s->base ? c.from : s->base;

	note_text(&c, s->held.data + (from - s->base), c.to - from);
	return c.had_line && c.had_text;
}

static void feed_lens(struct redact *s, enum encoding l, uint8_t c, uint64_t at)
{
	const struct redactor *r = s->what;
	struct encoding_symbol symbols[ENCODING_MAX_SYMBOLS];
	size_t n = encoding_step(l, &s->encoding[l], c, at, symbols);
	uint64_t mask = r->ring[l] - 1;

	if (n == ENCODING_SKIP && r->nodes[s->state[l]].depth < gap_after[l]) {
		s->state[l] = l;
		s->encoding[l].n_held = 0;
	}
	for (size_t i = 0; n != ENCODING_SKIP && i < n; i++) {
		const struct node *node;

		s->places[l][s->n_symbols[l]++ & mask] = symbols[i].from;
		s->state[l] = go(r, l, s->state[l], symbols[i].byte);
		node = &r->nodes[s->state[l]];
		if (!node->hit)
			continue;
		cover(s, s->places[l][(s->n_symbols[l] - node->hit) & mask], symbols[i].to, node->secret);
		if (l == ENCODING_DUMP && c != '\n' && s->n_covers && has_text(s)) {
			s->tail = MAX_TAIL;
			s->covers[s->n_covers - 1].to = at + 1;
		}
	}
	if (at_root(s, l)) /* of what is in the middle of nothing nothing is remembered: bytes may be passed
			      over */
		s->encoding[l].gap = 0;
}

/*
 * A byte that completes a spelling of nothing that is looked for may begin something itself: "\t" is a tab,
 * but the "t" of "\top secret" may belong to a secret. So a byte can be passed over by a look at the next
 * one.
 */
static void step_encoding(struct redact *s, enum encoding l, uint8_t c, uint64_t at)
{
	bool second = s->encoding[l].n_held == 1;

	feed_lens(s, l, c, at);
	if (second && at_root(s, l))
		feed_lens(s, l, c, at);
}

/* Whether the encodings are in the middle of something. */
enum depth {
	DEPTH_NONE,
	DEPTH_ONE, /* some, but of nothing that began before the last byte */
	DEPTH_MORE,
};

static enum depth depth_of(const struct redact *s, enum encoding l)
{
	if (at_root(s, l))
		return DEPTH_NONE;
	return began(s, l) + 1 == s->seen ? DEPTH_ONE : DEPTH_MORE;
}

/* The rest of the line is part of the last cover, which therefore waits. */
static void follow_tail(struct redact *s, uint8_t c)
{
	struct redact_cover *last = s->n_covers ? &s->covers[s->n_covers - 1] : NULL;

	s->tail = !last || c == '\n' ? 0 : s->tail - 1;
	if (s->tail && last->to == s->seen)
		last->to++;
}

static enum depth step(struct redact *s, uint8_t c)
{
	enum depth deepest = DEPTH_NONE;

	if (s->tail)
		follow_tail(s, c);
	for (enum encoding l = 0; l < ENCODING_COUNT; l++) {
		if (at_root(s, l) && !s->what->begins[l][c]) {
			s->encoding[l].gap = 0;
			continue;
		}
		step_encoding(s, l, c, s->seen);
	}
	s->seen++;
	if (s->tail)
		return DEPTH_MORE;
	for (enum encoding l = 0; l < ENCODING_COUNT && deepest < DEPTH_MORE; l++) {
		enum depth d = depth_of(s, l);

		deepest = d > deepest ? d : deepest;
	}
	return deepest;
}

static void may_begin(struct redactor *r, const char *text)
{
	r->begins[ENCODING_NUMBERS][(uint8_t)text[0]] = true;
	for (const char *b = text[1] ? NULL : ENCODING_BETWEEN_NUMBERS; b && *b; b++)
		r->pairs[(uint8_t)text[0] << 8 | (uint8_t)*b] = 1;
	if (text[1])
		r->pairs[(uint8_t)text[0] << 8 | (uint8_t)text[1]] = 1;
}

/* Any digit may begin a number, but of these numbers something begins with few. */
static void fill_numbers(struct redactor *r)
{
	for (uint32_t high = r->nodes[ENCODING_NUMBERS].child; high; high = r->nodes[high].next)
		for (uint32_t low = r->nodes[high].child; low; low = r->nodes[low].next) {
			int byte = (r->nodes[high].byte & 15) << 4 | (r->nodes[low].byte & 15);
			char text[8];

			may_begin(r, "0x");
			may_begin(r, "0X");
			snprintf(text, sizeof(text), "%d", byte);
			may_begin(r, text);
			snprintf(text, sizeof(text), "%d", byte - 256);
			may_begin(r, text);
		}
}

/* What can begin something, tried out. */
static void fill_tables(struct redactor *r)
{
	scoped(redact_finish) struct redact s = { 0 };

	if (!redact_init(&s, r)) {
		r->failed = true;
		return;
	}
	s.seen = 2;
	fill_numbers(r);
	for (enum encoding l = 0; l < ENCODING_COUNT; l++)
		for (int a = 0; l != ENCODING_NUMBERS && a < 256; a++) {
			struct encoding_state then;
			uint32_t state;

			s.encoding[l] = (struct encoding_state){ 0 };
			s.state[l] = l;
			s.n_symbols[l] = 0;
			step_encoding(&s, l, (uint8_t)a, 0);
			r->begins[l][a] = !at_root(&s, l);
			then = s.encoding[l];
			state = s.state[l];
			for (int b = 0; b < 256 && r->begins[l][a]; b++) {
				s.encoding[l] = then;
				s.state[l] = state;
				s.n_symbols[l] = state != l;
				step_encoding(&s, l, (uint8_t)b, 1);
				r->pairs[a << 8 | b] |= began(&s, l) == 0;
			}
		}
}

struct redactor *redactor_create(const struct run_secret *list, size_t n)
{
	struct redactor *r = calloc(1, sizeof(*r));
	scoped(drop_mem) uint32_t *queue = NULL;

	if (!r)
		return NULL;
	r->marks = calloc(n + 1, sizeof(*r->marks));
	r->failed = !r->marks;
	for (int i = 0; i < ENCODING_COUNT; i++)
		new_node(r);
	for (size_t i = 0; i < n && !r->failed; i++) {
		snprintf(r->marks[i], sizeof(r->marks[i]), "[secret %.*s]", (int)SECRET_MAX_NAME,
			 list[i].name);
		add_secret(r, &list[i], i);
	}
	queue = r->failed ? NULL : calloc(r->n_nodes, sizeof(*queue));
	r->failed = !queue;
	for (enum encoding l = 0; l < ENCODING_COUNT && !r->failed; l++)
		link_encoding(r, l, queue);
	if (!r->failed)
		fill_tables(r);
	if (!r->failed)
		return r;
	redactor_destroy(r);
	return NULL;
}

struct redactor *redactor_share(struct redactor *r)
{
	r->owners++;
	return r;
}

/* The spellings are secrets, too. */
void redactor_destroy(struct redactor *r)
{
	if (!r || r->owners) {
		if (r)
			r->owners--;
		return;
	}
	if (r->nodes)
		explicit_bzero(r->nodes, r->n_nodes * sizeof(*r->nodes));
	free(r->nodes);
	free(r->marks);
	free(r);
}

bool redact_init(struct redact *s, const struct redactor *what)
{
	*s = (struct redact){ .what = what };
	return redact_switch(s, what);
}

void redact_finish(struct redact *s)
{
	for (int l = 0; l < ENCODING_COUNT; l++)
		free(s->places[l]);
	if (s->held.data)
		explicit_bzero(s->held.data, s->held.cap);
	buf_finish(&s->held);
	free(s->covers);
	*s = (struct redact){ 0 };
}

/* Lets the bytes before TO leave, those of secrets as their marks: one for each stretch, also if it leaves in
 * parts. */
static void release(struct redact *s, uint64_t to, struct buf *out)
{
	size_t used = 0, left = s->held.len;

	while (s->base < to) {
		struct redact_cover *c = used < s->n_covers ? &s->covers[used] : NULL;
		const char *from = s->held.data + (s->held.len - left);
		uint64_t end = to;
		bool covered = c && c->from <= s->base;

		if (c)
			end = covered ? c->to : c->from;
		if (end > to)
			end = to;
		if (!covered)
			buf_add(out, from, (size_t)(end - s->base));
		else if (!s->inside && s->what)
			buf_add(out, s->what->marks[c->secret], strlen(s->what->marks[c->secret]));
		s->inside = covered && end < c->to;
		if (s->inside)
			note_text(c, from, end - s->base);
		used += covered && end == c->to;
		left -= (size_t)(end - s->base);
		s->base = end;
	}
	if (s->n_covers > used && used)
		memmove(s->covers, s->covers + used, (s->n_covers - used) * sizeof(*s->covers));
	s->n_covers -= used;
	if (left && left < s->held.len)
		memmove(s->held.data, s->held.data + (s->held.len - left), left);
	s->held.len = left;
}

static void to_root(struct redact *s)
{
	for (enum encoding l = 0; l < ENCODING_COUNT; l++) {
		s->state[l] = l;
		s->encoding[l].n_held = 0;
		s->encoding[l].gap = 0;
	}
}

/* Looks at what is held and was not looked at yet. */
static void scan(struct redact *s)
{
	const uint8_t *bytes = (const uint8_t *)s->held.data;
	size_t i = (size_t)(s->seen - s->base), n = s->held.len;
	enum depth deepest = DEPTH_NONE;

	for (enum encoding l = 0; l < ENCODING_COUNT; l++)
		deepest = at_root(s, l) && !s->tail ? deepest : DEPTH_MORE;
	while (i < n && !s->failed) {
		if (deepest == DEPTH_ONE && !s->what->pairs[bytes[i - 1] << 8 | bytes[i]]) {
			to_root(s);
			deepest = DEPTH_NONE;
		}
		if (deepest == DEPTH_NONE) {
			while (i + 1 < n && !s->what->pairs[bytes[i] << 8 | bytes[i + 1]])
				i++;
			s->seen = s->base + i;
		}
		deepest = step(s, bytes[i++]);
	}
}

static uint64_t safe_end(const struct redact *s)
{
	uint64_t end = s->seen;

	for (enum encoding l = 0; l < ENCODING_COUNT; l++)
		if (!at_root(s, l) && began(s, l) < end)
			end = began(s, l);
	if (s->tail && s->n_covers && s->covers[s->n_covers - 1].from < end)
		end = s->covers[s->n_covers - 1].from;
	return end;
}

void redact_feed(struct redact *s, const void *data, size_t len, struct buf *out)
{
	if (!s->what && !s->held.len && !s->failed) {
		buf_add(out, data, len);
		s->base += len;
		s->seen = s->base;
		return;
	}
	buf_add(&s->held, data, len);
	s->failed = s->failed || s->held.failed;
	if (s->failed)
		return;
	if (s->what)
		scan(s);
	else
		s->seen = s->base + s->held.len;
	if (!s->failed)
		release(s, s->what ? safe_end(s) : s->seen, out);
}

void redact_end(struct redact *s, struct buf *out)
{
	if (!s->failed)
		release(s, s->base + s->held.len, out);
}

bool redact_switch(struct redact *s, const struct redactor *what)
{
	s->what = what;
	s->tail = 0;
	for (enum encoding l = 0; l < ENCODING_COUNT; l++) {
		free(s->places[l]);
		s->places[l] = what ? calloc(what->ring[l], sizeof(**s->places)) : NULL;
		s->failed = s->failed || (what && !s->places[l]);
		s->state[l] = l;
		s->encoding[l] = (struct encoding_state){ 0 };
		s->n_symbols[l] = 0;
	}
	s->seen = s->base;
	if (what && !s->failed && s->held.len)
		scan(s);
	return !s->failed;
}

bool redact_can_idle(const struct redact *s)
{
	if (!s->what || !s->held.len || s->failed || s->n_covers)
		return false;
	for (enum encoding l = 0; l < ENCODING_COUNT; l++)
		if (s->what->nodes[s->state[l]].depth + (s->encoding[l].n_held > 0) > IDLE_DEPTH)
			return false;
	return true;
}

void redact_idle(struct redact *s, struct buf *out)
{
	if (redact_can_idle(s))
		release(s, s->seen, out);
}

bool redact_bytes(const struct redactor *what, const void *data, size_t len, struct buf *out)
{
	scoped(redact_finish) struct redact s = { 0 };
	size_t before = out->len;

	if (redact_init(&s, what)) {
		redact_feed(&s, data, len, out);
		redact_end(&s, out);
	}
	if (s.failed)
		out->len = before;
	return !s.failed && !out->failed;
}
