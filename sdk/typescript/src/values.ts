// SPDX-License-Identifier: Apache-2.0
// Small conversions between what people give and what the operations take.

export function seconds(ms: number): number {
	return ms / 1000;
}

/** FROM without the members that were not given. */
export function given<T extends object>(from: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as ReturnType<
		typeof given<T>
	>;
}

/** MAP as the option NAME: a list of NAME=VALUE, unless there is nothing in it. */
export function pairArgs<N extends string>(
	name: N,
	map: Record<string, string> | undefined,
): { [K in N]?: string[] } {
	const list = Object.entries(map ?? {}).map(([key, value]) => `${key}=${value}`);
	return (list.length ? { [name]: list } : {}) as { [K in N]?: string[] };
}

/** Variables, of which later ones count, as NAME=VALUE. */
export function envArgs(...all: (Record<string, string> | undefined)[]): { env?: string[] } {
	const env = Object.entries(Object.assign({}, ...all) as Record<string, string>).map(
		([name, value]) => `${name}=${value}`,
	);
	return env.length ? { env } : {};
}
