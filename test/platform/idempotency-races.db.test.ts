// The same requests with the same keys from several processes at once: each is done once, and all get one answer (M5).
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reply } from '#kernel/http/endpoint.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';

const PROCESSES = 3;
const KEYS = Array.from({ length: 12 }, (_, n) => `key-${n % 6}`);

let database: FreshDatabase;
let it: Installation;
let instance: Instance;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  instance = await it.open();
});
afterAll(async () => {
  await instance.close();
  it.remove();
  await database.drop();
});

async function sendElsewhere(): Promise<Reply[]> {
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: it.cwd,
    NODE_COMPILE_CACHE: compileCache,
    APPCTL_DATA_DIR: join(it.cwd, 'data'),
    APPCTL_DATABASE_URL: database.url,
  };
  const program = join(import.meta.dirname, '../support/repeating-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...KEYS], { cwd: it.cwd, env });
  return JSON.parse(stdout);
}

test('one policy for each key, and the same answer to all who sent it', async () => {
  const replies = (await Promise.all(Array.from({ length: PROCESSES }, sendElsewhere))).flat();
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
  const bodies = new Set(replies.map(({ body }) => JSON.stringify(body)));
  expect(bodies.size).toBe(new Set(KEYS).size);
  const { knex } = instance.database.db;
  const policies: { name: string }[] = await knex('license_policies').orderBy('name').select('name');
  expect(policies.map(({ name }) => name)).toEqual([...new Set(KEYS)].map((key) => `Policy ${key}`));
  const audited = await knex('audit_log').where({ action: 'POLICY_CREATED' });
  expect(audited.length).toBe(new Set(KEYS).size);
});
