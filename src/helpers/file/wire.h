/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of aisbx to its program in a box, aisbx-file, and the answers: flat records that are only valid
 * within one build. The request is trusted; the answer comes from a box and is not.
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
	/* lists, each with an answer before it, whenever something has changed; until it is killed */
	FILE_WATCH,
	/* a file's bytes, or a directory as file_entry, name, target, content, one after the other */
	FILE_PACK,
	FILE_ACTS
};

enum file_flag {
	FILE_LINES = 1 << 0,     /* read: offset and limit count lines, from 0 */
	FILE_APPEND = 1 << 1,    /* write: append */
	FILE_SET_MODE = 1 << 2,  /* write, make dir: `mode` */
	FILE_IF_SUM = 1 << 3,    /* write: only if `sum` is that of what is there */
	FILE_IF_ABSENT = 1 << 4, /* write: only if it does not exist */
	FILE_REPLACE = 1 << 5,   /* write: replace part A, which must occur once, by part B */
	FILE_RECURSIVE = 1 << 6, /* remove: with everything below it */
	FILE_FORCE = 1 << 7,     /* move: replace the target; remove: no error if it does not exist */
	/*
	 * Standard output is a file: the answer stands at its beginning, and behind that place the content,
	 * all of what is read (at most `limit` bytes), or what is to be written instead of part B.
	 */
	FILE_BESIDE = 1 << 8,
};

/* Texts that follow a request, each with a NUL that its length does not count. */
enum file_part {
	FILE_PATH, /* absolute */
	FILE_A,    /* write: the text to replace; move: the new path; list: a pattern, "" for all */
	FILE_B,    /* write: the content, or the replacement for A */
	FILE_PARTS
};

/*
 * Maximum bytes of one text of a request or of what is read; of a file that is hashed, edited or appended to;
 * of what is packed.
 */
#define FILE_MAX_DATA   (16u << 20)
#define FILE_MAX_WHOLE  (256ull << 20)
#define FILE_MAX_PACK   (1ull << 30)
#define FILE_MAX_PACKED 100000u /* files, directories and links of it */
/* Maximum entries of a list, and depth of directories. */
#define FILE_MAX_LIST  100000u
#define FILE_MAX_WATCH 20000u
#define FILE_MAX_DEPTH 64u

struct file_request {
	uint64_t magic;
	uint32_t act, flags;
	uint32_t mode, depth;
	uint64_t offset, limit;
	uint64_t most; /* read: bytes of lines */
	/* read: this many more bytes before and after, which the caller searches and does not show */
	uint64_t margin;
	uint64_t room; /* write, move, make dir: bytes that may be added */
	uint64_t len[FILE_PARTS];
	uint8_t sum[32];
};

enum file_type { FILE_IS_FILE = 1, FILE_IS_DIR, FILE_IS_LINK, FILE_IS_OTHER, FILE_TYPES };

/* The reason, if an errno is not enough. */
enum file_why {
	FILE_WHY_ERRNO,      /* `error` says it */
	FILE_WHY_NO_FILE,    /* it is not a regular file; see `type` */
	FILE_WHY_CHANGED,    /* the content is not what the caller expects; `sum` is its checksum */
	FILE_WHY_NO_TEXT,    /* part A does not occur */
	FILE_WHY_MANY_TEXTS, /* it occurs `next` times */
	FILE_WHY_ROOM,       /* it would need more than `room` */
	FILE_WHY_LARGE,      /* the file is too large for the action */
	FILE_WHY_SHRANK,     /* the file became shorter while it was read */
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
