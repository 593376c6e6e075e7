/* SPDX-License-Identifier: Apache-2.0 */
/* The only error type of aisbx: plain data, no allocation, crosses a pipe in one write. */
#ifndef AISBX_ERROR_H
#define AISBX_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Which part of aisbx an error comes from. */
enum aisbx_area {
	AISBX_AREA_NONE = 0,
	AISBX_AREA_USAGE,  /* the request is invalid */
	AISBX_AREA_SYS,    /* a system call failed */
	AISBX_AREA_PLAN,   /* the plan sent to the jail is malformed */
	AISBX_AREA_JAIL,   /* a wall could not be built */
	AISBX_AREA_LAYER,  /* files of a box */
	AISBX_AREA_POLICY, /* a profile or rule */
	AISBX_AREA_RUN,    /* supervision of a command */
	AISBX_AREA_BOX,    /* a box as a whole */
	AISBX_AREA_STORE,  /* the database of aisbx */
	AISBX_AREA_COUNT
};

/* What a program can do about it. */
enum aisbx_kind {
	AISBX_KIND_NONE = 0,
	AISBX_KIND_USAGE,     /* the request is invalid */
	AISBX_KIND_NOT_FOUND, /* there is no such box, snapshot, run, file or profile */
	AISBX_KIND_EXISTS,
	AISBX_KIND_BUSY,     /* somebody else uses it */
	AISBX_KIND_DENIED,   /* by policy, or another owner's */
	AISBX_KIND_CONFLICT, /* a promotion that would overwrite */
	AISBX_KIND_STALE,    /* the base has changed */
	AISBX_KIND_LIMIT,
	AISBX_KIND_TIMEOUT,
	AISBX_KIND_CANCELLED,
	AISBX_KIND_UNSUPPORTED, /* this machine cannot */
	AISBX_KIND_INTERNAL,
	AISBX_KIND_COUNT
};

struct aisbx_error {
	int code; /* the same negative errno that the call returned; 0 if there was no error */
	int area; /* enum aisbx_area */
	int kind; /* enum aisbx_kind */
	char text[488];
};

#define AISBX_ERROR_INIT  \
	{                 \
		0, 0, 0,  \
		{         \
			0 \
		}         \
	}

#ifdef __cplusplus
}
#endif
#endif
