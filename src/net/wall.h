/* SPDX-License-Identifier: Apache-2.0 */
/* Walls around the broker's own processes: what they may ask of the kernel when they are set up. */
#ifndef NET_WALL_H
#define NET_WALL_H

/* No file, no program, no process: sockets of the Internet, pipes, memory. Negative errno on failure. */
int wall_outside(void);
/* Opens and passes sockets, changes between the two network namespaces, and nothing else. */
int wall_inside(void);

#endif
