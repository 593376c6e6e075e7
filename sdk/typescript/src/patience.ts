// SPDX-License-Identifier: Apache-2.0
// How long a call that the server has no room for is tried again: as long as the call itself may take, or a minute.

const MINUTE_MS = 60_000;
const UNITS: Record<string, number> = { ms: 1, "": 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds; 0 for a call whose input or file is on its way: the server has dropped what came of it. */
export function patienceMs(params: Record<string, unknown>): number {
	const given = params["timeout"];
	if (params["_stdin"] === true || params["_data"] !== undefined) return 0;
	if (typeof given === "number") return given * 1000 || MINUTE_MS;
	const found = typeof given === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d|)$/.exec(given) : null;
	return Number(found?.[1] ?? 0) * (UNITS[found?.[2] ?? ""] ?? 0) || MINUTE_MS;
}

/** Until the call may be tried again; undefined: it was not refused for want of room. */
export function pauseMs(error: { data?: { retry_after_ms?: unknown } } | undefined): number | undefined {
	const told = error?.data?.retry_after_ms;
	// Clients that were refused at once do not all come back at once.
	return typeof told === "number" && told > 0 ? told * (1 + Math.random() / 4) : undefined;
}
