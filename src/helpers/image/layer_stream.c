/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that reads and decompresses a layer, and the ring of blocks between it and who unpacks. */
#include "helpers/image/layer_stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/error.h"
#include "base/io.h"
#include "base/sha256.h"
#include "helpers/image/decompress.h"

#define BLOCK    (256u << 10)
#define N_BLOCKS 8u

struct layer_stream {
	int fd;
	uint64_t most, out;
	struct decompress *how;             /* owned */
	EVP_MD_CTX *blob_sum, *content_sum; /* owned */
	atomic_ullong read;
	pthread_t thread;
	bool started;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, taken; /* blocks, counted from the beginning */
	bool held;            /* the reader uses block TAKEN */
	bool ended, stop;
	struct aisbx_error error;
	size_t len[N_BLOCKS];
	uint8_t block[N_BLOCKS][BLOCK];
	uint8_t in[BLOCK];
};

/* A block to fill; NULL: nobody wants more. */
static uint8_t *free_block(struct layer_stream *s)
{
	bool stop;

	pthread_mutex_lock(&s->lock);
	while (s->filled - s->taken == N_BLOCKS && !s->stop)
		pthread_cond_wait(&s->changed, &s->lock);
	stop = s->stop;
	pthread_mutex_unlock(&s->lock);
	return stop ? NULL : s->block[s->filled % N_BLOCKS];
}

static int give_block(struct layer_stream *s, size_t len)
{
	size_t at = s->filled % N_BLOCKS;

	s->out += len;
	if (s->out > s->most)
		return aisbx_refuse(&s->error, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the layer is larger than the %llu bytes that are allowed",
				    (unsigned long long)s->most);
	if (EVP_DigestUpdate(s->content_sum, s->block[at], len) != 1)
		return aisbx_fail(&s->error, AISBX_AREA_BOX, EIO, "compute a digest");
	pthread_mutex_lock(&s->lock);
	s->len[at] = len;
	s->filled++;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

/* More of the blob, which is part of its digest then. 0: its end. */
static ssize_t read_in(struct layer_stream *s)
{
	ssize_t n;

	do
		n = read(s->fd, s->in, sizeof(s->in));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return aisbx_fail(&s->error, AISBX_AREA_BOX, errno, "read the layer's blob");
	if (n > 0 && EVP_DigestUpdate(s->blob_sum, s->in, (size_t)n) != 1)
		return aisbx_fail(&s->error, AISBX_AREA_BOX, EIO, "compute a digest");
	atomic_fetch_add_explicit(&s->read, (unsigned long long)n, memory_order_relaxed);
	return n;
}

/* Blocks are given when they are full, so that headers of a tar archive are never cut in two. */
static int run(struct layer_stream *s)
{
	uint8_t *block = free_block(s);
	size_t len = 0;
	ssize_t n;
	int r = 0;

	while (r == 0 && block && (n = read_in(s)) != 0) {
		struct decompress_step step = { .in = s->in, .in_len = n > 0 ? (size_t)n : 0 };

		if (n < 0)
			return (int)n;
		do {
			step.out = block + len;
			step.out_cap = BLOCK - len;
			r = decompress_step(s->how, &step, &s->error);
			len = BLOCK - step.out_cap;
			if (r == 0 && len == BLOCK) {
				r = give_block(s, len);
				block = r < 0 ? NULL : free_block(s);
				len = 0;
			}
		} while (r == 0 && block && (step.in_len || step.more));
	}
	if (r == 0 && block)
		r = decompress_ended(s->how, &s->error);
	return r == 0 && block && len ? give_block(s, len) : r;
}

static void *thread(void *ctx)
{
	struct layer_stream *s = ctx;

	run(s);
	pthread_mutex_lock(&s->lock);
	s->ended = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static EVP_MD_CTX *sum_create(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(c);
		c = NULL;
	}
	return c;
}

int layer_stream_open(int fd, uint64_t most, struct layer_stream **ret, struct aisbx_error *e)
{
	struct layer_stream *s = malloc(sizeof(*s));
	int r;

	if (!s)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a layer");
	memset(s, 0, offsetof(struct layer_stream, block));
	s->fd = fd;
	s->most = most;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->blob_sum = sum_create();
	s->content_sum = sum_create();
	r = s->blob_sum && s->content_sum ? decompress_create(fd, &s->how, e)
					  : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compute a digest");
	if (r == 0) {
		r = pthread_create(&s->thread, NULL, thread, s);
		s->started = r == 0;
		if (r)
			r = aisbx_fail(e, AISBX_AREA_BOX, r, "start a thread");
	}
	if (r < 0) {
		layer_stream_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void layer_stream_close(struct layer_stream *s)
{
	if (!s)
		return;
	if (s->started) {
		pthread_mutex_lock(&s->lock);
		s->stop = true;
		pthread_cond_signal(&s->changed);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
	}
	decompress_destroy(s->how);
	EVP_MD_CTX_free(s->blob_sum);
	EVP_MD_CTX_free(s->content_sum);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->changed);
	free(s);
}

int layer_stream_next(void *ctx, const uint8_t **ret_data, size_t *ret_len, struct aisbx_error *e)
{
	struct layer_stream *s = ctx;
	int r;

	pthread_mutex_lock(&s->lock);
	if (s->held) {
		s->taken++;
		s->held = false;
		pthread_cond_signal(&s->changed);
	}
	while (s->filled == s->taken && !s->ended)
		pthread_cond_wait(&s->changed, &s->lock);
	s->held = s->filled != s->taken;
	r = s->held ? 1 : 0;
	pthread_mutex_unlock(&s->lock);
	if (r) {
		*ret_data = s->block[s->taken % N_BLOCKS];
		*ret_len = s->len[s->taken % N_BLOCKS];
	} else if (s->error.code) {
		*e = s->error;
		return e->code;
	}
	return r;
}

uint64_t layer_stream_read(const struct layer_stream *s)
{
	return atomic_load_explicit(&s->read, memory_order_relaxed);
}

static int hex(EVP_MD_CTX *sum, char *ret, struct aisbx_error *e)
{
	uint8_t bytes[SHA256_BYTES];

	if (EVP_DigestFinal_ex(sum, bytes, NULL) != 1)
		return aisbx_fail(e, AISBX_AREA_BOX, EIO, "compute a digest");
	io_hex(bytes, sizeof(bytes), ret);
	return 0;
}

int layer_stream_end(struct layer_stream *s, char ret_digest[DIGEST_HEX + 1],
		     char ret_diff_id[DIGEST_HEX + 1], struct aisbx_error *e)
{
	const uint8_t *data;
	size_t len;
	int r;

	do
		r = layer_stream_next(s, &data, &len, e);
	while (r > 0);
	if (r == 0)
		r = hex(s->blob_sum, ret_digest, e);
	return r < 0 ? r : hex(s->content_sum, ret_diff_id, e);
}
