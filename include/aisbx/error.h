/* SPDX-License-Identifier: Apache-2.0 */
/* The one error type of aisbx: plain data, no allocation, crosses a pipe in one write. */
#ifndef AISBX_ERROR_H
#define AISBX_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Which part of aisbx an error comes from. */
enum aisbx_area {
	AISBX_AREA_NONE = 0,
	AISBX_AREA_USAGE,  /* the caller asked for something that makes no sense */
	AISBX_AREA_SYS,    /* the kernel said no */
	AISBX_AREA_PLAN,   /* the plan handed to the jail is malformed */
	AISBX_AREA_JAIL,   /* a wall could not be built */
	AISBX_AREA_LAYER,  /* files of a box */
	AISBX_AREA_POLICY, /* a profile or rule */
	AISBX_AREA_RUN,    /* supervision of a command */
	AISBX_AREA_BOX,    /* a box as a whole */
	AISBX_AREA_STORE,  /* the database of what aisbx remembers */
	AISBX_AREA_COUNT
};

struct aisbx_error {
	int code; /* the same negative errno the call returned; 0 when there was no error */
	int area; /* enum aisbx_area */
	char text[488];
};

#define AISBX_ERROR_INIT  \
	{                 \
		0, 0,     \
		{         \
			0 \
		}         \
	}

#ifdef __cplusplus
}
#endif
#endif
