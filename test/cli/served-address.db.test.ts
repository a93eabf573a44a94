// Commands that are told no base_url make their links with the address of the server (decision 0097).
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { startServer } from '../support/server-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
let database: FreshDatabase;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

/** Starts a server and stops it. @returns where it listened */
async function serveOnce(...args: string[]): Promise<string> {
  const env = { APPCTL_DATA_DIR: join(it.cwd, 'data'), APPCTL_DATABASE_URL: database.url };
  const server = await startServer(args, { cwd: it.cwd, env });
  expect((await server.stop()).code).toBe(0);
  return server.url;
}

const linkOf = async (env: Record<string, string> = {}): Promise<string> =>
  (await it.answer<{ url: string }>(['setup', 'token'], { env })).url.replace(/\/admin\/.*/, '');

test('links are those of the server that was last started, unless the command is told a base_url', async () => {
  expect(await linkOf()).toBe('http://127.0.0.1:8480');
  const first = await serveOnce();
  expect(await linkOf()).toBe(first);
  await serveOnce('--base-url', 'https://shop.example.com', '--trust-proxy', '1');
  expect(await linkOf()).toBe('https://shop.example.com');
  expect(await linkOf({ APPCTL_BASE_URL: 'https://other.example.com' })).toBe('https://other.example.com');
  const last = await serveOnce();
  const isShared = database.url.startsWith('postgres');
  expect(await linkOf()).toBe(isShared ? 'https://shop.example.com' : last);
});
