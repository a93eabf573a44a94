import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activate } from '#licensing/licenses/machines/index.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

interface License {
  id: string;
  key: string;
  keyPrefix: string;
  status: string;
  [field: string]: unknown;
}
interface Page {
  items: License[];
  pagination: { page: number; limit: number; total: number; totalPages: number };
}

let it: Installation;
let ann: License;
let bob: License;
beforeAll(async () => {
  it = await prepareInstallation();
  await it.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
  await it.answer(['product', 'create', '--name', 'Viewer', '--slug', 'viewer']);
  const mint = (...words: string[]) => it.answer<License>(['license', 'mint', '--reveal', ...words]);
  const name = '=cmd|calc';
  ann = await mint(
    '--product',
    'editor',
    '--email',
    'ann@x.test',
    '--name',
    name,
    '--days',
    '20',
    '--order-id',
    '+A1',
  );
  bob = await mint(
    '--product',
    'viewer',
    '--email',
    'bob@x.test',
    '--type',
    'FLOATING',
    '--max-activations',
    '2',
  );
  const instance = await it.open();
  const machine = { machineId: 'machine-0001', machineName: 'Anns Laptop', osName: 'Linux' };
  await activate(instance.ctx, { licenseKey: ann.key, ...machine });
  await instance.close();
});
afterAll(() => it.remove());

const ids = (page: Page) => page.items.map(({ id }) => id);
const list = async (...words: string[]) => ids(await it.answer<Page>(['license', 'list', ...words]));

describe('license list', () => {
  test('filters', async () => {
    expect(await list()).toEqual([bob.id, ann.id]);
    expect(await list('--product', 'editor')).toEqual([ann.id]);
    expect(await list('--type', 'FLOATING', '--status', 'ACTIVE')).toEqual([bob.id]);
    expect(await list('--email', 'BOB@x.test')).toEqual([bob.id]);
    expect(await list('--expiring', '30d')).toEqual([ann.id]);
    expect(await list('--expiring', '10d')).toEqual([]);
    expect(await list('--machine', 'machine-0001')).toEqual([ann.id]);
    expect(await list('--order-id', '+A1')).toEqual([ann.id]);
    expect(await list('--stale', '1d')).toEqual([]);
    expect((await it.inside(['license', 'list', '--product', 'nope'])).code).toBe(3);
    expect((await it.inside(['license', 'list', '--expiring', 'soon'])).code).toBe(2);
  });

  test('pages, and --csv with escaped formulas', async () => {
    const second = await it.answer<Page>(['license', 'list', '--limit', '1', '--page', '2']);
    expect(ids(second)).toEqual([ann.id]);
    expect(second.pagination).toEqual({ page: 2, limit: 1, total: 2, totalPages: 2 });
    const csv = await it.inside([
      'license',
      'list',
      '--csv',
      '--fields',
      'id,customer.name,orderId',
      '--product',
      'editor',
    ]);
    expect(csv.stdout).toBe(`id,customer.name,orderId\r\n${ann.id},'=cmd|calc,'+A1\r\n`);
    const plain = await it.inside(['license', 'list']);
    expect(plain.stdout).not.toContain(ann.key);
  });
});

describe('license find and show', () => {
  test.each([
    ['e-mail', () => 'ann@x.test'],
    ['key prefix', () => ann.keyPrefix],
    ['id', () => ann.id],
    ['order', () => '+A1'],
    ['machine id', () => 'machine-0001'],
    ['machine name', () => 'anns lap'],
  ])('finds by %s', async (_what, text) => {
    expect(ids(await it.answer<Page>(['license', 'find', text()]))).toEqual([ann.id]);
  });

  test.each([
    ['reveal', '--reason', 'x'],
    ['suspend', '--reason', 'x'],
    ['renew', '--days', '3'],
    ['machines list'],
    ['machines remove', '--all'],
    ['free-seat', '--oldest'],
    ['token', '--machine', 'machine-0001'],
    ['tokens'],
  ])('%s takes no whole key for an id, and does not repeat it', async (verb, ...rest) => {
    const { code, stderr } = await it.inside(['license', ...verb.split(' '), ann.key, ...rest]);
    expect(code).toBe(2);
    expect(stderr).toContain('looks like a whole license key');
    expect(stderr).not.toContain(ann.key);
  });

  test('a whole key comes from stdin or a file, never from the command line', async () => {
    const typed = ann.key.toLowerCase();
    expect(ids(await it.json<Page>(['license', 'find', '--key-stdin'], { input: `${typed}\n` }))).toEqual([
      ann.id,
    ]);
    writeFileSync(join(it.cwd, 'key.txt'), ann.key);
    const shown = await it.answer<License>(['license', 'show', '--key-file', 'key.txt', '--machines']);
    expect(shown).toMatchObject({
      id: ann.id,
      activations: [{ machineId: 'machine-0001', osName: 'Linux' }],
    });
    expect(shown).not.toHaveProperty('key');
    for (const words of [
      ['find', ann.key],
      ['show', ann.key],
      ['list', '--q', ann.key],
    ]) {
      const refused = await it.inside(['license', ...words, '--json']);
      expect(refused.code).toBe(2);
      expect(refused.stderr).not.toContain(ann.key);
    }
  });

  test('nothing is 3, two or no ways to name it are 2', async () => {
    const none = await it.appctl(['license', 'find', 'nobody', '--json']);
    expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 3, stdout: '' });
    expect(errorOf(none).code).toBe('NOT_FOUND');
    expect((await it.inside(['license', 'show', 'lic_nope'])).code).toBe(3);
    expect((await it.inside(['license', 'show'])).code).toBe(2);
    expect((await it.inside(['license', 'show', ann.id, '--key-stdin'], { input: ann.key })).code).toBe(2);
    const unknown = await it.inside(['license', 'show', '--key-stdin'], { input: 'APP-0000-0000-0000-0000' });
    expect(unknown.code).toBe(3);
    expect((await it.inside(['license', 'show', '--key-stdin'], { input: 'no key!' })).code).toBe(2);
    expect((await it.inside(['license', 'reveal', ann.id])).code).toBe(2);
  });
});

describe('license export', () => {
  test('jsonl, json and csv hold every license, keys masked', async () => {
    const lines = (await it.appctl(['license', 'export'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as License).id)).toEqual([ann.id, bob.id]);
    const ndjson = await it.inside(['license', 'export', '--json', '--product', 'viewer']);
    expect(JSON.parse(ndjson.stdout)).toMatchObject({ id: bob.id });
    const array = JSON.parse(
      (await it.inside(['license', 'export', '--format', 'json'])).stdout,
    ) as License[];
    expect(array.map(({ id }) => id)).toEqual([ann.id, bob.id]);
    const none = await it.inside(['license', 'export', '--format', 'json', '--status', 'REVOKED']);
    expect(none.stdout).toBe('[]\n');
    const csv = (await it.inside(['license', 'export', '--format', 'csv', '--out', '-'])).stdout;
    expect(csv.split('\r\n')).toHaveLength(4);
    expect(csv).toContain(",ann@x.test,'=cmd|calc,'+A1,");
    expect(csv + lines.join()).not.toContain(ann.key);
  });

  test('--out is a private file, --reveal is audited for every license', async () => {
    const file = join(it.cwd, 'licenses.csv');
    const words = ['license', 'export', '--format', 'csv', '--reveal', '--out', file];
    expect(await it.answer(words)).toEqual({ file, format: 'csv', licenses: 2 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(ann.key);
    expect((await it.inside(words)).code).toBe(5);
    expect((await it.inside([...words, '--force'])).code).toBe(0);
    const instance = await it.open();
    const told = await instance.database.db
      .knex('events')
      .where({ type: 'LICENSE_KEY_REVEALED', subject: bob.id });
    await instance.close();
    expect(told.map(({ data }) => JSON.parse(data as string))).toEqual([
      { reason: 'MINT' },
      { reason: 'EXPORT' },
      { reason: 'EXPORT' },
    ]);
  });

  test('--json does not go with bytes on stdout', async () => {
    expect((await it.inside(['license', 'export', '--json', '--out', '-'])).code).toBe(2);
    expect((await it.inside(['license', 'export', '--json', '--format', 'csv'])).code).toBe(2);
  });

  test('more licenses than a page are all there, once', async () => {
    await it.answer(['license', 'mint', '--product', 'viewer', '--email', 'many@x.test', '--count', '1001']);
    const text = (await it.inside(['license', 'export', '--email', 'many@x.test', '--format', 'csv'])).stdout;
    const rows = text.trimEnd().split('\r\n').slice(1);
    expect(new Set(rows.map((row) => row.split(',', 1)[0])).size).toBe(1001);
    expect(rows).toHaveLength(1001);
  });
});
