// update, transfer, change-policy, rekey, machines clear, delete, restore and purge as staff types them (cli.md 3.5).
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activate } from '#licensing/licenses/machines/index.ts';
import { validate } from '#licensing/licenses/validation/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { errorOf } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

interface License {
  id: string;
  key?: string;
  keyMasked: string;
  status: string;
  validUntil: string | null;
  activationsUsed: number;
  customer: { email: string };
  events?: { type: string; actor: { kind: string } }[];
}

let it: Installation;
let database: FreshDatabase;
let instance: Instance;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  instance = await it.open();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  await it.answer(['policy', 'create', '--name', 'office', '--default-days', '10']);
});
afterAll(async () => {
  await instance.close();
  it.remove();
  await database.drop();
});

const mint = (...words: string[]) =>
  it.answer<License>(['license', 'mint', '--product', 'editor', '--email', 'a@x.test', '--reveal', ...words]);
const license = <T = License>(verb: string, id: string, ...words: string[]) =>
  it.answer<T>(['license', ...verb.split(' '), id, ...words]);
const show = (id: string, ...words: string[]) => license('show', id, ...words);

async function activateOn({ key }: License, ...machineIds: string[]): Promise<void> {
  for (const machineId of machineIds) await activate(instance.ctx, { licenseKey: String(key), machineId });
}

/** What a client is answered to a key. */
const codeOf = async (licenseKey = '') =>
  (await validate(instance.ctx, { licenseKey, machineId: 'machine-0001' })).answer.code;

test('the walk of a license through the hands of staff', async () => {
  const made = await mint('--max-activations', '2', '--valid-until', '2031-01-01');
  const { id } = made;
  await activateOn(made, 'machine-0001', 'machine-0002');
  const updated = await license('update', id, '--max-activations', '5', '--meta', 'seat=7', '--notes', 'vip');
  expect(updated).toMatchObject({
    maxActivations: 5,
    metadata: { seat: '7' },
    notes: 'vip',
    before: { maxActivations: 2, metadata: {}, notes: null },
  });
  const cleared = await license('update', id, '--clear', 'valid-until', '--clear', 'meta');
  expect(cleared).toMatchObject({ validUntil: null, metadata: {}, before: { metadata: { seat: '7' } } });
  expect(await license('change-policy', id, 'office', '--expiry', 'reset', '--yes')).not.toMatchObject({
    validUntil: null,
  });
  const rekeyed = await license('rekey', id, '--reason', 'leaked', '--overlap', '600', '--yes');
  expect(rekeyed.key).not.toBe(made.key);
  expect(await codeOf(made.key)).toBe('VALID');
  const moved = await license('transfer', id, '--to-email', 'bob@x.test', '--keep-activations');
  expect(moved).toMatchObject({ customer: { email: 'bob@x.test' }, activationsUsed: 2 });
  const freed = await license<object>('machines clear', id, '--yes');
  expect(freed).toMatchObject({
    results: [{ machineId: 'machine-0001' }, { machineId: 'machine-0002' }],
    summary: { total: 2, succeeded: 2, failed: 0 },
  });
  expect(await license<object>('delete', id, '--yes')).toEqual({
    ok: true,
    action: 'trashed',
    id,
    changed: true,
  });
  expect(await codeOf(rekeyed.key)).toBe('NOT_FOUND');
  const trash = await it.answer<{ items: License[] }>(['license', 'list', '--trashed']);
  expect(trash.items).toMatchObject([{ id, deletedAt: expect.any(String) }]);
  expect((await it.answer<{ items: License[] }>(['license', 'list', '--q', id])).items).toEqual([]);
  expect(await license<object>('restore', id)).toMatchObject({ action: 'restored', changed: true });
  const { events } = await show(id, '--events', '--usage', '--machines');
  expect(events?.map(({ type }) => type)).toEqual([
    'LICENSE_CREATED',
    'LICENSE_KEY_REVEALED',
    'LICENSE_ACTIVATED',
    'LICENSE_ACTIVATED',
    'LICENSE_UPDATED',
    'LICENSE_UPDATED',
    'LICENSE_RENEWED',
    'LICENSE_UPDATED',
    'KEY_REPLACED',
    'LICENSE_KEY_REVEALED',
    'LICENSE_TRANSFERRED',
    'LICENSE_DEACTIVATED',
    'LICENSE_DEACTIVATED',
    'LICENSE_DELETED',
    'LICENSE_RESTORED',
  ]);
  await license('delete', id, '--yes', '--reason', 'done');
  expect(await license<object>('purge', id, '--confirm', id)).toMatchObject({
    action: 'purged',
    changed: true,
  });
  expect((await it.inside(['license', 'restore', id])).code).toBe(3);
});

describe('rekey', () => {
  test('without --json the key is masked unless --reveal or --out shows it', async () => {
    const { id } = await mint();
    const rekey = ['license', 'rekey', id, '--reason', 'x', '--yes'];
    const masked = await it.inside(rekey);
    expect(masked.stdout).toMatch(/APP-\w{4}-\*{4}-\*{4}-\*{4}/);
    expect(masked.stderr).toContain(`Next: appctl license reveal ${id}`);
    expect((await it.inside([...rekey, '--reveal'])).stdout).toMatch(/APP(-\w{4}){4}\n/);
    const file = join(it.cwd, 'key.txt');
    const written = await it.answer<License>([...rekey, '--out', file]);
    expect(written.key).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toMatch(/^APP(-\w{4}){4}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = (await show(id)).keyMasked;
    expect((await it.inside([...rekey, '--out', file])).code).toBe(5);
    expect((await show(id)).keyMasked).toBe(before);
  });

  test('asks first, and a dry run changes and writes nothing', async () => {
    const { id, keyMasked } = await mint();
    const rekey = ['license', 'rekey', id, '--reason', 'x'];
    const asked = await it.inside([...rekey, '--json']);
    expect([asked.code, asked.stdout, errorOf(asked).hint]).toEqual([10, '', 'run it again with --yes']);
    const file = join(it.cwd, 'never.txt');
    const plan = await it.answer<License>([...rekey, '-n', '--out', file]);
    expect([plan, existsSync(file)]).toMatchObject([{ id, dryRun: true }, false]);
    expect(await show(id)).toMatchObject({ keyMasked });
  });

  test('at once from several processes leaves one working key', async () => {
    const { id } = await mint();
    const rekey = ['license', 'rekey', id, '--reason', 'race', '--yes'];
    const runs = Array.from({ length: 4 }, () => it.json<License>(rekey));
    const keys = (await Promise.all(runs)).map(({ key }) => String(key));
    expect(new Set(keys).size).toBe(4);
    const codes = await Promise.all(keys.map(codeOf));
    expect(codes.sort()).toEqual(['NOT_ACTIVATED', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
  });
});

describe('trash', () => {
  test('each level asks for what it needs, and what cannot happen is told before the question', async () => {
    const { id } = await mint();
    const code = async (...words: string[]) => (await it.inside(['license', ...words])).code;
    expect(await code('purge', id)).toBe(5);
    expect(await code('delete', id)).toBe(10);
    expect(await license<object>('delete', id, '-n')).toMatchObject({ changed: true, dryRun: true });
    expect((await show(id)).status).toBe('ACTIVE');
    await license('delete', id, '--yes');
    expect(await license<object>('delete', id, '--yes')).toMatchObject({ changed: false });
    expect(await code('purge', id, '--yes')).toBe(10);
    expect(await code('purge', id, '--confirm', 'lic_other')).toBe(10);
    expect(await license<object>('purge', id, '-n')).toMatchObject({ dryRun: true });
    expect(await license<object>('restore', id)).toMatchObject({ changed: true });
    expect(await license<object>('restore', id)).toMatchObject({ changed: false });
  });
});

test.each([
  [['update', 'lic_nope', '--tier', 'BUSINESS'], 3],
  [['update', 'lic_nope'], 2],
  [['update', 'lic_nope', '--tier', 'GOLD'], 2],
  [['update', 'lic_nope', '--notes', 'x', '--clear', 'notes'], 2],
  [['update', 'lic_nope', '--clear', 'type'], 2],
  [['update', 'lic_nope', '--max-activations', '1001'], 2],
  [['update', 'APP-7F3K-9QRS-7F3K-9QRS', '--tier', 'BUSINESS'], 2],
  [['transfer', 'lic_nope', '--to-email', 'b@x.test'], 3],
  [['transfer', 'lic_nope', '--to-email', 'b'], 2],
  [['transfer', 'lic_nope'], 2],
  [['change-policy', 'lic_nope', 'office'], 3],
  [['change-policy', 'lic_nope', 'office', '--expiry', 'never'], 2],
  [['rekey', 'lic_nope', '--reason', 'x', '--yes'], 3],
  [['rekey', 'lic_nope', '--yes'], 2],
  [['rekey', 'lic_nope', '--reason', 'x', '--overlap', '604801'], 2],
  [['machines', 'clear', 'lic_nope', '--yes'], 3],
  [['delete', 'lic_nope', '--yes'], 3],
  [['restore', 'lic_nope'], 3],
  [['purge', 'lic_nope', '--confirm', 'lic_nope'], 3],
])('license %j ends with %i', async (words, code) => {
  const run = await it.inside(['license', ...words]);
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
});

test('refusals name the flags, and states end with 5', async () => {
  const { id } = await mint();
  const past = await it.inside(['license', 'update', id, '--valid-until', '2020-01-01']);
  expect([past.code, past.stderr]).toEqual([
    2,
    expect.stringContaining('--valid-until must be in the future'),
  ]);
  const reset = await it.inside(['policy', 'create', '--name', 'plain']);
  expect(reset.code).toBe(0);
  const undated = await it.inside(['license', 'change-policy', id, 'plain', '--expiry', 'reset']);
  expect([undated.code, undated.stderr]).toEqual([2, expect.stringContaining('--expiry')]);
  await license('revoke', id, '--reason', 'x', '--yes');
  for (const words of [
    ['update', id, '--clear', 'valid-until', '--valid-until', '2031-01-01'],
    ['update', id, '--valid-until', '2031-01-01'],
    ['rekey', id, '--reason', 'x', '--yes'],
  ]) {
    const run = await it.inside(['license', ...words]);
    expect([words, run.code]).toEqual([words, words.includes('--clear') ? 2 : 5]);
  }
});
