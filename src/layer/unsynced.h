/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a layer is on disk. Boxes that stay write to overlays that never sync (`volatile`), so a file
 * `unsynced` in the layer records that: in which boot, and since when. It is written before the first write,
 * and removed when everything is synced.
 */
#ifndef LAYER_UNSYNCED_H
#define LAYER_UNSYNCED_H

#include "aisbx/error.h"

enum unsynced {
	UNSYNCED_NOT,    /* all of it is on the disk */
	UNSYNCED_HERE,   /* a run is in progress, or was killed: its data is at least in memory */
	UNSYNCED_TORN,   /* the machine stopped before it was synced: any of it may be missing */
	UNSYNCED_FAILED, /* the disk reported an error */
};

/* LAYER is an open directory in all of these. In doubt it is incomplete. */
enum unsynced unsynced_look(int layer);

/* Before anything is mounted on it, or written to it. */
int unsynced_begin(int layer, struct aisbx_error *e);

/*
 * Nothing is mounted on it any more. An unchanged layer is not synced; any other is, by a process of its own
 * that continues if it takes longer than a moment: other data may be on the way to the same disk.
 */
int unsynced_end(int layer, struct aisbx_error *e);

/* The same for callers that rely on it: on disk when it returns. */
int unsynced_sync(int layer, struct aisbx_error *e);

/* It is accepted as it is. */
int unsynced_forgive(int layer, struct aisbx_error *e);

/*
 * Without this the kernel would not mount it again: it has a marker of its own in a work directory. TREE
 * contains `work`.
 */
void unsynced_drop_marker(int tree);

#endif
