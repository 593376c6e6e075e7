/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprints of secrets: for each encoding a rolling hash of its first symbols, which is fast to search for
 * and reveals little, and a slow hash of the whole, which confirms a match. Both depend on a key of this
 * state directory.
 */
#include "secret/fingerprints.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/sha256.h"

#define PLACE     "secrets"
#define KEY_BYTES 32
/* Symbols whose hash is looked for; no spelling has fewer. */
#define WINDOW 8
/* Of the hash so much is kept: with more of it short secrets could be guessed without the slow sum. */
#define HASH_BITS 24
/* How slow the sum is: two thirds of a millisecond. */
#define ROUNDS 1024
/* The oldest go when there are more. */
#define MAX_MARKS 4096u

/* As it lies in the file. */
struct mark {
	char name[SECRET_MAX_NAME + 1];
	uint8_t encoding;
	uint8_t quick; /* its sum has one round; 0 in the file */
	uint8_t pad;
	uint32_t n; /* symbols */
	uint32_t hash;
	uint8_t sum[SHA256_BYTES];
};

struct fingerprints {
	struct mark *list; /* owned */
	size_t n, cap;
	uint8_t key[KEY_BYTES];
	uint64_t table[256];                /* a number for each symbol, by the key */
	uint64_t leaving[256];              /* the same for one that leaves the window */
	uint8_t seen[ENCODING_COUNT][8192]; /* bits: some fingerprint's hash ends so */
	uint32_t longest[ENCODING_COUNT];   /* 0: no fingerprint is of this form */
};

/* Where a fingerprint may begin: its symbols are awaited. */
struct candidate {
	const struct mark *mark;
	uint64_t start;
};

struct fingerprint_encoding {
	struct encoding_state state;
	uint8_t *bytes;  /* owned; rings of the last symbols, */
	uint8_t *widths; /* owned; how many bytes they were, */
	uint64_t *froms; /* owned; and where they stood */
	uint64_t mask, n, hash;
	struct candidate *candidates; /* owned */
	size_t n_candidates, cap_candidates;
};

#define NOT_PLAIN 0x100u

/* So many bytes are looked at in one go. */
#define BLOCK 4096u

/* The symbols of a block; before the first of them the last ones of the block before. */
struct block {
	uint8_t bytes[WINDOW + BLOCK + ENCODING_MAX_SYMBOLS], widths[BLOCK + ENCODING_MAX_SYMBOLS];
	uint64_t froms[BLOCK + ENCODING_MAX_SYMBOLS];
	size_t n;
};

struct fingerprint_scan {
	const struct fingerprints *fingerprints; /* borrowed */
	struct block block;
	uint16_t plain[ENCODING_COUNT][256]; /* what a byte is in one encoding where nothing goes before;
					    NOT_PLAIN: it depends */
	struct fingerprint_encoding lenses[ENCODING_COUNT];
	uint64_t at;
	struct fingerprint_found *found; /* owned */
	size_t n_found, cap_found;
	bool failed;
};

void fingerprints_free(struct fingerprints *m)
{
	if (m)
		free(m->list);
	free(m);
}

static uint64_t rotate(uint64_t x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

/* Of WINDOW symbols. */
static uint64_t hash_of(const struct fingerprints *m, const uint8_t *symbols)
{
	uint64_t h = 0;

	for (int i = 0; i < WINDOW; i++)
		h = rotate(h, 1) ^ m->table[symbols[i]];
	return h;
}

static void make_table(struct fingerprints *m)
{
	for (uint16_t i = 0; i < 256; i += SHA256_BYTES / 8) {
		uint8_t sum[SHA256_BYTES];
		struct sha256 s;

		sha256_init(&s);
		sha256_add(&s, m->key, sizeof(m->key));
		sha256_add(&s, &i, sizeof(i));
		sha256_end(&s, sum);
		memcpy(m->table + i, sum, sizeof(sum));
	}
	for (int i = 0; i < 256; i++)
		m->leaving[i] = rotate(m->table[i], WINDOW);
}

/* Of what MARK stands for, which is FIRST_LEN bytes and then the REST: of a ring. */
static void sum_of(const struct fingerprints *m, const struct mark *mark, const uint8_t *first,
		   size_t first_len, const uint8_t *rest, uint8_t ret[SHA256_BYTES])
{
	const uint8_t encoding = mark->encoding;
	const uint32_t n = mark->n;
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, m->key, sizeof(m->key));
	sha256_add(&s, &encoding, sizeof(encoding));
	sha256_add(&s, &n, sizeof(n));
	sha256_add(&s, first, first_len);
	sha256_add(&s, rest, n - first_len);
	sha256_end(&s, ret);
	for (int i = 1; i < ROUNDS && !mark->quick; i++) {
		sha256_init(&s);
		sha256_add(&s, m->key, sizeof(m->key));
		sha256_add(&s, ret, SHA256_BYTES);
		sha256_end(&s, ret);
	}
}

static uint32_t shorten(uint64_t hash)
{
	return (uint32_t)(hash >> (64 - HASH_BITS));
}

static void index_fingerprints(struct fingerprints *m)
{
	memset(m->seen, 0, sizeof(m->seen));
	memset(m->longest, 0, sizeof(m->longest));
	for (size_t i = 0; i < m->n; i++) {
		const struct mark *mark = &m->list[i];

		m->seen[mark->encoding][(mark->hash & 0xFFFF) >> 3] |= (uint8_t)(1u << (mark->hash & 7));
		if (mark->n > m->longest[mark->encoding])
			m->longest[mark->encoding] = mark->n;
	}
}

/* Who could write it could have us read anything as a fingerprint, and that is all; but who can read
 * it can guess. */
static int open_place(const char *dir, bool make, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(dir, PLACE);
	int fd;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the fingerprints of secrets");
	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && !make)
		return 0;
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	*ret_fd = fd;
	return 0;
}

/* The file is complete or not there. */
static int write_file(int place, const char *name, const void *data, size_t len)
{
	scoped(drop_fd) int fd =
		openat(place, "new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t n = fd < 0 ? -1 : write(fd, data, len);

	if (n >= 0 && n != (ssize_t)len)
		errno = ENOSPC;
	return n != (ssize_t)len || renameat(place, "new", place, name) < 0 ? -errno : 0;
}

static ssize_t read_file(int place, const char *name, void *data, size_t cap)
{
	scoped(drop_fd) int fd = openat(place, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && len < cap) {
		n = read(fd, (char *)data + len, cap - len);
		len += n > 0 ? (size_t)n : 0;
	}
	return n < 0 ? -errno : (ssize_t)len;
}

static int read_key(int place, bool make, struct fingerprints *m)
{
	ssize_t n = read_file(place, "key", m->key, sizeof(m->key));

	if (n == -ENOENT && make) {
		if (getrandom(m->key, sizeof(m->key), 0) != sizeof(m->key))
			return -EIO;
		return write_file(place, "key", m->key, sizeof(m->key));
	}
	return n == sizeof(m->key) ? 0 : n < 0 ? (int)n : -EBADMSG;
}

static bool is_whole(const struct mark *m)
{
	return m->encoding < ENCODING_COUNT && m->n >= WINDOW && m->n <= ENCODING_ROOM(SECRET_MAX_BYTES) &&
	       memchr(m->name, 0, sizeof(m->name));
}

static int read_fingerprints(int place, struct fingerprints *m)
{
	ssize_t n;

	m->list = calloc(MAX_MARKS, sizeof(*m->list));
	if (!m->list)
		return -ENOMEM;
	m->cap = MAX_MARKS;
	n = read_file(place, "marks", m->list, MAX_MARKS * sizeof(*m->list));
	if (n < 0)
		return n == -ENOENT ? 0 : (int)n;
	for (size_t i = 0; i < (size_t)n / sizeof(*m->list); i++)
		if (is_whole(&m->list[i]) && !m->list[i].quick)
			m->list[m->n++] = m->list[i];
	return 0;
}

static int load(const char *dir, bool make, int *ret_place, struct fingerprints **ret, struct aisbx_error *e)
{
	struct fingerprints *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the fingerprints of secrets");
	r = open_place(dir, make, ret_place, e);
	if (r == 0 && *ret_place >= 0) {
		int err = flock(*ret_place, make ? LOCK_EX : LOCK_SH) < 0 ? -errno
									  : read_key(*ret_place, make, m);

		if (err == 0)
			err = read_fingerprints(*ret_place, m);
		if (err < 0 && (make || err != -ENOENT))
			r = aisbx_fail(e, AISBX_AREA_BOX, -err, "read the fingerprints of secrets in '%s/%s'",
				       dir, PLACE);
	}
	if (r < 0) {
		fingerprints_free(m);
		return r;
	}
	if (*ret_place >= 0) {
		make_table(m);
		index_fingerprints(m);
	}
	*ret = m;
	return 0;
}

int fingerprints_load(const char *dir, struct fingerprints **ret, struct aisbx_error *e)
{
	scoped(drop_fd) int place = -1;
	struct fingerprints *m = NULL;
	int r = load(dir, false, &place, &m, e);

	*ret = NULL;
	if (r < 0 || !m)
		return r;
	if (m->n)
		*ret = m;
	else
		fingerprints_free(m);
	return 0;
}

int fingerprints_derive(const char *dir, const char *label, uint8_t *ret, size_t n, struct aisbx_error *e)
{
	scoped(drop_fd) int place = -1;
	uint8_t seed[SHA256_BYTES], block[SHA256_BYTES];
	struct fingerprints *m = NULL;
	struct sha256 s;
	int r = load(dir, true, &place, &m, e);

	if (r < 0)
		return r;
	sha256_init(&s);
	sha256_add(&s, m->key, sizeof(m->key));
	sha256_add(&s, label, strlen(label));
	sha256_end(&s, seed);
	for (uint64_t i = 0; i * sizeof(block) < n; i++) {
		size_t at = i * sizeof(block);

		sha256_init(&s);
		sha256_add(&s, m->key, sizeof(m->key));
		sha256_add(&s, seed, sizeof(seed));
		sha256_add(&s, &i, sizeof(i));
		sha256_end(&s, block);
		memcpy(ret + at, block, n - at < sizeof(block) ? n - at : sizeof(block));
	}
	fingerprints_free(m);
	return 0;
}

/* In the file the newest ones count; in memory there is room for all. */
static int make_room(struct fingerprints *m, bool quick)
{
	struct mark *more;

	if (m->n < m->cap)
		return 0;
	if (!quick) {
		memmove(m->list, m->list + MAX_MARKS / 2, MAX_MARKS / 2 * sizeof(*m->list));
		m->n = MAX_MARKS / 2;
		return 0;
	}
	more = realloc(m->list, (m->cap + MAX_MARKS) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	m->list = more;
	m->cap += MAX_MARKS;
	return 0;
}

static int add_mark(struct fingerprints *m, const struct run_secret *s, enum encoding l,
		    const uint8_t *symbols, size_t n)
{
	struct mark mark = { .encoding = (uint8_t)l,
			     .quick = s->of_project,
			     .n = (uint32_t)n,
			     .hash = shorten(hash_of(m, symbols)) };

	snprintf(mark.name, sizeof(mark.name), "%s", s->name);
	sum_of(m, &mark, symbols, n, NULL, mark.sum);
	for (size_t i = 0; i < m->n; i++)
		if (!memcmp(&m->list[i], &mark, sizeof(mark)))
			return 0;
	if (make_room(m, mark.quick) < 0)
		return -ENOMEM;
	m->list[m->n++] = mark;
	return 0;
}

/* SYMBOLS: as numbers. So it was remembered before: then it was in all forms, for that one came last to
 * aisbx. */
static bool is_known(const struct fingerprints *m, const struct run_secret *s, const uint8_t *symbols,
		     size_t n)
{
	uint32_t hash = shorten(hash_of(m, symbols));
	uint8_t sum[SHA256_BYTES];

	for (size_t i = 0; i < m->n; i++) {
		const struct mark *k = &m->list[i];

		if (k->encoding != ENCODING_NUMBERS || k->n != n || k->hash != hash ||
		    strcmp(k->name, s->name) != 0)
			continue;
		sum_of(m, k, symbols, n, NULL, sum);
		if (!memcmp(sum, k->sum, sizeof(sum)))
			return true;
	}
	return false;
}

static int add_secret(struct fingerprints *m, const struct run_secret *s)
{
	scoped(drop_mem) uint8_t *room = malloc(ENCODING_ROOM(s->len));
	size_t len = s->len, at = 0, n;
	const char *line;
	int r = 0;

	if (!room)
		return -ENOMEM;
	while (len > SECRET_MIN && (s->value[len - 1] == '\n' || s->value[len - 1] == '\r'))
		len--;
	if (!s->of_project &&
	    is_known(m, s, room, encoding_symbols(ENCODING_NUMBERS, 0, s->value, len, room)))
		return 0;
	while (r == 0 && (line = secret_line(s->value, len, &at, &n)))
		r = add_mark(m, s, ENCODING_RAW, (const uint8_t *)line, n);
	for (enum encoding l = 0; l < ENCODING_COUNT; l++)
		for (unsigned int v = 0; r == 0 && v < ENCODING_VARIANTS; v++) {
			n = encoding_symbols(l, v, s->value, len, room);
			if (n >= WINDOW)
				r = add_mark(m, s, l, room, n);
		}
	explicit_bzero(room, ENCODING_ROOM(s->len));
	return r;
}

int fingerprints_record(const char *dir, const struct run_secret *list, size_t n, struct aisbx_error *e)
{
	scoped(drop_fd) int place = -1;
	scoped(drop_fingerprints) struct fingerprints *m = NULL;
	size_t before, given = 0;
	int r, err = 0;

	for (size_t i = 0; i < n; i++)
		given += !list[i].of_project;
	r = given ? load(dir, true, &place, &m, e) : 0;
	if (r < 0 || !m)
		return r;
	before = m->n;
	for (size_t i = 0; err == 0 && i < n; i++)
		err = list[i].of_project ? 0 : add_secret(m, &list[i]);
	if (err == 0 && m->n != before)
		err = write_file(place, "marks", m->list, m->n * sizeof(*m->list));
	return err < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -err,
				    "store the fingerprints of the box's secrets, by which they are found in "
				    "its output, in '%s/%s'",
				    dir, PLACE)
		       : 0;
}

int fingerprints_load_with(const char *dir, const struct run_secret *list, size_t n,
			   struct fingerprints **ret, struct aisbx_error *e)
{
	scoped(drop_fd) int place = -1;
	scoped(drop_fingerprints) struct fingerprints *m = NULL;
	int r = load(dir, false, &place, &m, e), err = 0;

	*ret = NULL;
	if (r < 0)
		return r;
	if (n && place < 0) { /* no box was given any: a key for now */
		if (getrandom(m->key, sizeof(m->key), 0) != sizeof(m->key))
			return aisbx_fail(e, AISBX_AREA_BOX, EIO, "make a key");
		make_table(m);
	}
	for (size_t i = 0; err == 0 && i < n; i++)
		err = list[i].of_project ? add_secret(m, &list[i]) : 0;
	if (err < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -err, "search for secrets");
	index_fingerprints(m);
	if (m->n) {
		*ret = m;
		m = NULL;
	}
	return 0;
}

static void learn_plain(struct fingerprint_scan *s)
{
	struct encoding_symbol symbols[ENCODING_MAX_SYMBOLS];

	for (enum encoding l = 0; l < ENCODING_COUNT; l++)
		for (int c = 0; c < 256; c++) {
			struct encoding_state state = { 0 };

			s->plain[l][c] = encoding_step(l, &state, (uint8_t)c, 0, symbols) == 1
						 ? symbols[0].byte
						 : NOT_PLAIN;
		}
}

struct fingerprint_scan *fingerprint_scan_create(const struct fingerprints *m)
{
	struct fingerprint_scan *s = calloc(1, sizeof(*s));
	bool failed = !s;

	for (int l = 0; !failed && l < ENCODING_COUNT; l++) {
		uint64_t size = 64;

		while (size < m->longest[l] + (uint64_t)BLOCK + ENCODING_MAX_SYMBOLS)
			size *= 2;
		s->lenses[l].mask = size - 1;
		s->lenses[l].bytes = calloc(size, 1);
		s->lenses[l].widths = calloc(size, 1);
		s->lenses[l].froms = calloc(size, sizeof(uint64_t));
		failed = !s->lenses[l].bytes || !s->lenses[l].widths || !s->lenses[l].froms;
	}
	if (failed) {
		fingerprint_scan_free(s);
		return NULL;
	}
	s->fingerprints = m;
	learn_plain(s);
	return s;
}

void fingerprint_scan_free(struct fingerprint_scan *s)
{
	for (int l = 0; s && l < ENCODING_COUNT; l++) {
		free(s->lenses[l].bytes);
		free(s->lenses[l].widths);
		free(s->lenses[l].froms);
		free(s->lenses[l].candidates);
	}
	if (s)
		free(s->found);
	free(s);
}

void fingerprint_scan_begin(struct fingerprint_scan *s)
{
	for (int l = 0; l < ENCODING_COUNT; l++) {
		s->lenses[l].state = (struct encoding_state){ 0 };
		s->lenses[l].n = s->lenses[l].hash = s->lenses[l].n_candidates = 0;
	}
	s->at = s->n_found = 0;
	s->failed = false;
}

static void await(struct fingerprint_scan *s, struct fingerprint_encoding *in, const struct mark *mark,
		  uint64_t start)
{
	if (in->n_candidates == in->cap_candidates) {
		size_t cap = in->cap_candidates ? in->cap_candidates * 2 : 16;
		struct candidate *grown = realloc(in->candidates, cap * sizeof(*grown));

		if (!grown) {
			s->failed = true;
			return;
		}
		in->candidates = grown;
		in->cap_candidates = cap;
	}
	in->candidates[in->n_candidates++] = (struct candidate){ mark, start };
}

static void tell(struct fingerprint_scan *s, const struct fingerprint_found *found)
{
	if (s->n_found == s->cap_found) {
		size_t cap = s->cap_found ? s->cap_found * 2 : 16;
		struct fingerprint_found *grown = realloc(s->found, cap * sizeof(*grown));

		if (!grown) {
			s->failed = true;
			return;
		}
		s->found = grown;
		s->cap_found = cap;
	}
	s->found[s->n_found++] = *found;
}

/* All symbols of a candidate are there: is it the one? */
static bool is_it(const struct fingerprint_scan *s, const struct fingerprint_encoding *in,
		  const struct candidate *c)
{
	uint64_t first = c->start & in->mask, part = in->mask + 1 - first;
	uint8_t sum[SHA256_BYTES];

	sum_of(s->fingerprints, c->mark, in->bytes + first, part < c->mark->n ? part : c->mark->n, in->bytes,
	       sum);
	return !memcmp(sum, c->mark->sum, sizeof(sum));
}

static void check_candidates(struct fingerprint_scan *s, struct fingerprint_encoding *in)
{
	size_t kept = 0;

	for (size_t i = 0; i < in->n_candidates; i++) {
		const struct candidate c = in->candidates[i];
		uint64_t first = c.start & in->mask, last = (c.start + c.mark->n - 1) & in->mask;

		if (in->n < c.start + c.mark->n)
			in->candidates[kept++] = c;
		else if (is_it(s, in, &c))
			tell(s, &(struct fingerprint_found){ in->froms[first],
							     in->froms[last] + in->widths[last], c.mark->name,
							     (enum encoding)c.mark->encoding });
	}
	in->n_candidates = kept;
}

static void put_symbol(struct block *b, const struct encoding_symbol *symbol)
{
	b->bytes[WINDOW + b->n] = symbol->byte;
	b->widths[b->n] = (uint8_t)(symbol->to - symbol->from);
	b->froms[b->n++] = symbol->from;
}

/* What these bytes are in one encoding. */
static void read_block(struct fingerprint_scan *s, enum encoding l, const uint8_t *bytes, size_t len,
		       uint64_t at)
{
	struct encoding_state *state = &s->lenses[l].state;
	const uint16_t *plain = s->plain[l];
	struct encoding_symbol symbols[ENCODING_MAX_SYMBOLS];

	s->block.n = 0;
	for (size_t i = 0; i < len; i++) {
		size_t n;

		if (plain[bytes[i]] != NOT_PLAIN && !state->n_held && !state->gap) { /* nearly always */
			put_symbol(&s->block,
				   &(struct encoding_symbol){ at + i, at + i + 1, (uint8_t)plain[bytes[i]] });
			continue;
		}
		n = encoding_step(l, state, bytes[i], at + i, symbols);
		for (size_t k = 0; n != ENCODING_SKIP && k < n; k++)
			put_symbol(&s->block, &symbols[k]);
	}
}

/* Rolls the hash over the block; where it is that of a fingerprint, the fingerprint may begin. */
static void roll(struct fingerprint_scan *s, enum encoding l)
{
	struct fingerprint_encoding *in = &s->lenses[l];
	const struct fingerprints *m = s->fingerprints;
	const uint8_t *symbols = s->block.bytes + WINDOW;
	uint64_t h = in->hash;

	for (size_t i = 0; i < s->block.n; i++) {
		uint32_t hash;

		h = rotate(h, 1) ^ m->table[symbols[i]];
		if (in->n + i >= WINDOW)
			h ^= m->leaving[symbols[(ptrdiff_t)i - WINDOW]];
		hash = shorten(h);
		if (!(m->seen[l][(hash & 0xFFFF) >> 3] & (1u << (hash & 7))) || in->n + i + 1 < WINDOW)
			continue;
		for (size_t k = 0; k < m->n; k++)
			if (m->list[k].hash == hash && m->list[k].encoding == l)
				await(s, in, &m->list[k], in->n + i + 1 - WINDOW);
	}
	in->hash = h;
}

/* The block's symbols are what the rings end with from now on. */
static void keep_block(const struct block *b, struct fingerprint_encoding *in)
{
	for (size_t done = 0; done < b->n;) {
		uint64_t at = in->n & in->mask,
			 part = in->mask + 1 - at < b->n - done ? in->mask + 1 - at : b->n - done;

		memcpy(in->bytes + at, b->bytes + WINDOW + done, part);
		memcpy(in->widths + at, b->widths + done, part);
		memcpy(in->froms + at, b->froms + done, part * sizeof(*in->froms));
		in->n += part;
		done += part;
	}
}

void fingerprint_scan_add(struct fingerprint_scan *s, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (enum encoding l = 0; l < ENCODING_COUNT; l++) {
		struct fingerprint_encoding *in = &s->lenses[l];

		for (size_t at = 0; s->fingerprints->longest[l] && at < len; at += BLOCK) {
			for (uint64_t i = 0; i < WINDOW; i++)
				s->block.bytes[i] = in->bytes[(in->n - WINDOW + i) & in->mask];
			read_block(s, l, bytes + at, len - at < BLOCK ? len - at : BLOCK, s->at + at);
			roll(s, l);
			keep_block(&s->block, in);
			if (in->n_candidates)
				check_candidates(s, in);
		}
	}
	s->at += len;
}

bool fingerprint_scan_found(const struct fingerprint_scan *s, const struct fingerprint_found **ret,
			    size_t *ret_n)
{
	*ret = s->found;
	*ret_n = s->n_found;
	return !s->failed;
}

static int by_start(const void *a, const void *b)
{
	const struct fingerprint_found *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
				  : (x->to < y->to) - (x->to > y->to);
}

/* The bytes, or where COLUMN the bytes behind the first of each line, are those that were looked at. */
static void replace(struct fingerprint_scan *s, const char *data, size_t len, bool column, struct buf *out)
{
	bool line_start = true, inside = false;
	uint64_t at = 0, end = 0;
	size_t next = 0;
	const char *name = "";

	qsort(s->found, s->n_found, sizeof(*s->found), by_start);
	for (size_t i = 0; !column && i < s->n_found;
	     i++) /* behind the digits of a dump the same bytes stand as text */
		while (s->found[i].form == ENCODING_DUMP &&
		       memchr(data + s->found[i].from, '|', s->found[i].to - s->found[i].from) &&
		       s->found[i].to < len && data[s->found[i].to] != '\n')
			s->found[i].to++;
	for (size_t i = 0; i < len; i++) {
		bool extra = column && line_start && data[i] != '\n';

		line_start = data[i] == '\n';
		if (extra) { /* in a covered stretch each line has a fingerprint of its own */
			buf_add(out, data + i, 1);
			inside = false;
			continue;
		}
		for (; next < s->n_found && s->found[next].from <= at; next++)
			if (s->found[next].to > end) {
				name = at >= end ? s->found[next].name : name;
				inside = inside && at < end;
				end = s->found[next].to;
			}
		if (at++ >= end) {
			buf_add(out, data + i, 1);
			inside = false;
		} else if (column && data[i] == '\n') {
			buf_add(out, data + i, 1);
		} else if (!inside) {
			buf_addf(out, "[secret %s]", name);
			inside = true;
		}
	}
}

bool fingerprints_scrub(const void *scan, const char *data, size_t len, struct buf *out)
{
	struct fingerprint_scan *s = (void *)(uintptr_t)scan;

	fingerprint_scan_begin(s);
	fingerprint_scan_add(s, data, len);
	if (s->failed)
		return false;
	if (!s->n_found)
		buf_add(out, data, len);
	else
		replace(s, data, len, false, out);
	return !out->failed;
}

bool fingerprints_scrub_patch(struct fingerprint_scan *s, const char *data, size_t len, struct buf *out)
{
	fingerprint_scan_begin(s);
	for (size_t at = 0; at < len;) {
		const char *end = memchr(data + at, '\n', len - at);
		size_t n = end ? (size_t)(end - data) + 1 - at : len - at, skip = data[at] != '\n';

		fingerprint_scan_add(s, data + at + skip, n - skip);
		at += n;
	}
	if (s->failed)
		return false;
	if (!s->n_found)
		buf_add(out, data, len);
	else
		replace(s, data, len, true, out);
	return !out->failed;
}
