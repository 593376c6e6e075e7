// benign: typed helpers
export class Cache<K, V> {
  #map = new Map<K, { value: V; expires: number }>();
  constructor(private readonly ttl: number) {}
  get(key: K): V | undefined {
    const hit = this.#map.get(key);
    return hit && hit.expires > Date.now() ? hit.value : undefined;
  }
  set(key: K, value: V): void { this.#map.set(key, { value, expires: Date.now() + this.ttl }); }
}
const c = new Cache<string, number>(1000);
c.set('a', 1);
console.log(c.get('a')!);
