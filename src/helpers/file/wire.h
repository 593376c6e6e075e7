/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What aisbx asks its program in a box, aisbx-file, and what that answers: flat records of one build's own.
 * The question is ours and can be believed; the answer comes out of a box and cannot.
 */
#ifndef HELPERS_FILE_WIRE_H
#define HELPERS_FILE_WIRE_H

#include <stdint.h>

#define FILE_MAGIC 0x31656c6966786962ULL /* "bixfile1" */

enum file_act {
	FILE_READ = 1,
	FILE_WRITE,
	FILE_LIST,
	FILE_STAT,
	FILE_REMOVE,
	FILE_MOVE,
	FILE_MAKE_DIR,
	FILE_WATCH, /* a list, each with an answer before it, whenever something has changed; until it is
		       killed */
	FILE_PACK,  /* a file's bytes, or a directory as file_entry, name, target, content, one behind the
		       other */
	FILE_ACTS
};

enum file_flag {
	FILE_LINES = 1 << 0,     /* read: offset and limit count lines, from 0 */
	FILE_APPEND = 1 << 1,    /* write: behind what is there */
	FILE_SET_MODE = 1 << 2,  /* write, make dir: `mode` */
	FILE_IF_SUM = 1 << 3,    /* write: only if `sum` is that of what is there */
	FILE_IF_ABSENT = 1 << 4, /* write: only if there is nothing */
	FILE_REPLACE = 1 << 5,   /* write: part A, which must occur once, by part B */
	FILE_RECURSIVE = 1 << 6, /* remove: with all below it */
	FILE_FORCE = 1 << 7,     /* move: over what is there; remove: nothing there is fine */
};

/* Texts that follow a request, each with a NUL behind it that its length does not count. */
enum file_part {
	FILE_PATH, /* absolute */
	FILE_A,    /* write: what is replaced; move: the new path; list: a pattern, "" for all */
	FILE_B,    /* write: the content, or what comes in the place of A */
	FILE_PARTS
};

/*
 * Most bytes of one text of a request or of what is read; of a file that is hashed, edited or appended to; of
 * what is packed.
 */
#define FILE_MAX_DATA   (16u << 20)
#define FILE_MAX_WHOLE  (256ull << 20)
#define FILE_MAX_PACK   (1ull << 30)
#define FILE_MAX_PACKED 100000u /* files, directories and links of it */
/* Most entries of a list, and how deep directories are followed. */
#define FILE_MAX_LIST  100000u
#define FILE_MAX_WATCH 20000u
#define FILE_MAX_DEPTH 64u

struct file_request {
	uint64_t magic;
	uint32_t act, flags;
	uint32_t mode, depth;
	uint64_t offset, limit;
	uint64_t most;   /* read: bytes of lines */
	uint64_t margin; /* read: so many bytes more before and behind, which the caller looks at and does not
			    show */
	uint64_t room;   /* write, move, make dir: bytes that may be added */
	uint64_t len[FILE_PARTS];
	uint8_t sum[32];
};

enum file_type { FILE_IS_FILE = 1, FILE_IS_DIR, FILE_IS_LINK, FILE_IS_OTHER, FILE_TYPES };

/* Why not, where an errno does not say it. */
enum file_why {
	FILE_WHY_ERRNO,      /* `error` says it */
	FILE_WHY_NO_FILE,    /* it is no regular file; see `type` */
	FILE_WHY_CHANGED,    /* what is there is not what the caller believes; `sum` is what it is */
	FILE_WHY_NO_TEXT,    /* part A does not occur */
	FILE_WHY_MANY_TEXTS, /* it occurs `next` times */
	FILE_WHY_ROOM,       /* it would take more than `room` */
	FILE_WHY_LARGE,      /* the file is larger than what can be done to it */
	FILE_WHYS
};

struct file_answer {
	uint64_t magic;
	int32_t error; /* errno, 0: done */
	uint32_t why;
	uint32_t type, mode;
	uint64_t size;
	int64_t mtime_ns;
	uint64_t offset;         /* read: where the data, without its margin, begins */
	uint64_t next;           /* read: where the next piece begins; offset again when FILE_LINES */
	uint64_t before, behind; /* read: bytes of margin in the data */
	uint64_t line;           /* read, with FILE_LINES: number of the first one, from 0 */
	uint64_t lines;          /* read, with a sum: how many the file has */
	uint32_t has_sum, created, more, pad; /* more: list: there are others */
	uint8_t sum[32];
	uint64_t data_len; /* of what follows */
};

/* In a list or a pack; behind it name_len bytes, then target_len, then, in a pack, size bytes of a file. */
struct file_entry {
	uint32_t type, mode;
	uint64_t size, ino;
	int64_t mtime_ns;
	uint32_t name_len, target_len;
};

#endif
