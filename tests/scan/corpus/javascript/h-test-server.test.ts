// benign: tests a server
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
let srv: Server, url: string;
beforeAll(async () => {
  srv = createServer((q, s) => s.end(`hi ${q.url}`)).listen(0);
  url = `http://127.0.0.1:${(srv.address() as AddressInfo).port}`;
});
afterAll(() => void srv.close());
test('greets', async () => expect(await (await fetch(`${url}/bob`)).text()).toBe('hi /bob'));
