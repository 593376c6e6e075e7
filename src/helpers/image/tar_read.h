/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a tar archive as layers of images are written: ustar, PAX, GNU, sparse files of all kinds. Names come
 * out byte by byte as they are inside, which libarchive does not do (docs/ARCHITECTURE.md). In doubt it reads
 * as Go's archive/tar does, with which nearly all images are made and checked.
 */
#ifndef HELPERS_IMAGE_TAR_READ_H
#define HELPERS_IMAGE_TAR_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "aisbx/error.h"
#include "base/buf.h"

#define TAR_BLOCK       512u
#define TAR_NAME_MAX    4095u      /* of a path or a link's target */
#define TAR_RECORDS_MAX (1u << 20) /* of one PAX header */
#define TAR_SPARSE_MAX  (1u << 20) /* pieces of one sparse file */
#define TAR_XATTRS_MAX  128u

/* Where the archive comes from. 1: *RET_DATA is good until the next call; 0: the end; negative: with E. */
struct tar_source {
	int (*next)(void *ctx, const uint8_t **ret_data, size_t *ret_len, struct aisbx_error *e);
	void *ctx;
};

struct tar_xattr {
	const char *name;
	const char *value;
	size_t len;
};

/* Everything is borrowed from the reader, until the next entry. */
struct tar_entry {
	char type; /* '0' file, '1' hard link, '2' link, '3' and '4' devices, '5' directory, '6' fifo */
	const char *path;
	const char *link;
	uint64_t size;   /* of the file, with its holes */
	uint64_t stored; /* of these are in the archive */
	uint32_t mode;   /* 07777 */
	uint32_t uid, gid;
	uint32_t major, minor;
	struct timespec mtime, atime;
	struct tar_xattr xattrs[TAR_XATTRS_MAX];
	size_t n_xattrs;
};

struct tar_piece {
	uint64_t at, len;
};

/* What PAX headers say of the next entry. */
struct tar_pax {
	struct buf text;        /* owned */
	struct buf sparse_list; /* owned; struct tar_piece, of GNU.sparse.offset and .numbytes or .map */
	const char *path, *link, *sparse_name;
	bool has_size, has_uid, has_gid, has_mtime, has_atime, has_real_size;
	int sparse_major, sparse_minor; /* -1: no word */
	uint64_t size, uid, gid, real_size;
	struct timespec mtime, atime;
	struct tar_xattr xattrs[TAR_XATTRS_MAX];
	size_t n_xattrs;
};

struct tar_reader {
	struct tar_source source;
	const uint8_t *at; /* borrowed from the source */
	size_t len;
	bool source_ended;
	uint64_t left;     /* bytes of this entry that are still in the archive */
	uint64_t padding;  /* and what follows them */
	struct buf map;    /* owned; struct tar_piece of a sparse file */
	size_t piece;      /* the current one */
	uint64_t piece_at; /* how much of it was read */
	struct tar_pax pax;
	struct buf long_name, long_link; /* owned */
	char name[TAR_NAME_MAX + 1], link[TAR_NAME_MAX + 1];
};

void tar_reader_init(struct tar_reader *r, struct tar_source source);
void tar_reader_finish(struct tar_reader *r);

/* The next entry: 1; 0 at the end of the archive; negative. What was not read of the last one is left out. */
int tar_next(struct tar_reader *r, struct tar_entry *ret, struct aisbx_error *e);
/* A piece of the entry's content, which belongs at *RET_OFFSET of the file: 1; 0 at its end; negative. */
int tar_data(struct tar_reader *r, const uint8_t **ret_data, size_t *ret_len, uint64_t *ret_offset,
	     struct aisbx_error *e);

/* For the parts of the reader. */
int tar_bad(struct aisbx_error *e, const char *what);
/* Takes LEN bytes of the archive. */
int tar_take(struct tar_reader *r, void *ret, size_t len, struct aisbx_error *e);
/* As many as there are up to LEN: *RET_GOT. RET may be NULL: they are left out. */
int tar_take_some(struct tar_reader *r, uint8_t *ret, uint64_t len, uint64_t *ret_got, struct aisbx_error *e);
/* 1: there is at least a byte to take; 0: the end. */
int tar_fill(struct tar_reader *r, struct aisbx_error *e);
/* A number of a header: octal, or base 256. */
bool tar_number(const uint8_t *field, size_t len, int64_t *ret);
void tar_pax_clear(struct tar_pax *p);
/* Reads the records in P->text. */
int tar_pax_read(struct tar_pax *p, struct aisbx_error *e);
/* The map of a sparse file, checked against REAL and STORED (what is left without the map itself). */
int tar_sparse_old(struct tar_reader *r, const uint8_t *header, uint64_t *ret_real, struct aisbx_error *e);
int tar_sparse_pax(struct tar_reader *r, struct aisbx_error *e);
int tar_sparse_check(const struct tar_reader *r, uint64_t real, uint64_t stored, struct aisbx_error *e);

#endif
