/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a layer is on the disk. Boxes that stay write to overlays that never sync (`volatile`), so a file
 * `unsynced` in the layer says so: in which boot, and since when. It is on its way to the disk before the
 * first write, and goes when all is synced.
 */
#ifndef LAYER_UNSYNCED_H
#define LAYER_UNSYNCED_H

#include "aisbx/error.h"

enum unsynced {
	UNSYNCED_NOT,    /* all of it is on the disk */
	UNSYNCED_HERE,   /* a run is at work, or was killed: what it wrote is in memory, at least */
	UNSYNCED_TORN,   /* the machine stopped before it was synced: anything of it may be missing */
	UNSYNCED_FAILED, /* the disk did not take it */
};

/* LAYER is an open directory in all of these. When in doubt it is torn. */
enum unsynced unsynced_look(int layer);

/* Before anything is mounted on it, or written to it. */
int unsynced_begin(int layer, struct aisbx_error *e);

/*
 * Nothing is mounted on it any more. What nobody changed is not synced; anything else is, by a process of its
 * own that goes on with it when it takes longer than a moment: other people's data may be on the way to the
 * same disk.
 */
int unsynced_end(int layer, struct aisbx_error *e);

/* The same for who has to rely on it: on the disk when it returns. */
int unsynced_sync(int layer, struct aisbx_error *e);

/* It is good enough as it is. */
int unsynced_forgive(int layer, struct aisbx_error *e);

/* Without this the kernel would not mount it again: it has a mark of its own in a work directory. TREE holds
 * `work`. */
void unsynced_drop_marker(int tree);

#endif
