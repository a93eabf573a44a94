// Several processes write the audit log at once, and a few of their changes fail: one chain without a gap (M25).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import { verify } from '#platform/audit/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { refusalOf } from '../support/refusal.ts';

const PROCESSES = 3;
const CHANGES = 40;

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

async function changeElsewhere(): Promise<number> {
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: it.cwd,
    NODE_COMPILE_CACHE: compileCache,
    APPCTL_DATA_DIR: join(it.cwd, 'data'),
    APPCTL_DATABASE_URL: database.url,
  };
  const program = join(import.meta.dirname, '../support/audit-process.ts');
  const child = spawn(process.execPath, [program, String(CHANGES)], { cwd: it.cwd, env, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number];
  return code;
}

test('of every change that was made, and of no other', async () => {
  const { ctx } = instance;
  await policies.create(ctx, { name: 'taken' });
  const here = Array.from({ length: CHANGES }, async (_, n) => {
    await policies.create(ctx, { name: `here ${n}` });
    return (await refusalOf(policies.create(ctx, { name: 'taken' }))).code;
  });
  const elsewhere = Array.from({ length: PROCESSES }, changeElsewhere);
  expect(new Set(await Promise.all(here))).toEqual(new Set(['CONFLICT']));
  expect(await Promise.all(elsewhere)).toEqual(Array.from({ length: PROCESSES }, () => 0));
  const made = (PROCESSES + 1) * CHANGES + 1;
  const rows: { seq: number }[] = await instance.database.db
    .knex('audit_log')
    .where({ action: 'POLICY_CREATED' })
    .orderBy('seq')
    .select('seq');
  expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: made }, (_, n) => n + 1));
  expect(await verify(ctx)).toMatchObject({ ok: true, checked: made, head: { seq: made } });
});
