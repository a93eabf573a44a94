// Who changed what, from the command line, and what it says when somebody tampered with it.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry, AuditVerdict } from '#platform/audit/view.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

type Page = { items: AuditEntry[]; pagination: { total: number } };

let it: Installation;
let database: FreshDatabase;
let productId: string;
let licenseId: string;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
  const made = ['product', 'create', '--name', 'Editor', '--slug', 'editor'];
  productId = (await it.answer<{ id: string }>(made)).id;
  await it.answer(['product', 'update', 'editor', '--name', '=Editor 2']);
  const mint = ['license', 'mint', '--product', 'editor', '--email', 'ann@x.test', '--name', 'Ann'];
  licenseId = (await it.answer<{ id: string }>(mint)).id;
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

const list = async (...words: string[]) => (await it.answer<Page>(['audit', 'list', ...words])).items;
const actionsOf = async (...words: string[]) => (await list(...words)).map(({ action }) => action);
const refused = (exit: number, args: string[], pattern: RegExp) =>
  it.inside(args).then(({ code, stderr }) => {
    expect([code, stderr]).toEqual([exit, expect.stringMatching(pattern)]);
  });

describe('audit list', () => {
  test('shows who changed what, from what to what', async () => {
    const [changed, made] = await list('--target', 'products');
    expect(made).toMatchObject({ action: 'PRODUCT_CREATED', before: null, after: { name: 'Editor' } });
    expect(changed).toMatchObject({
      actor: { kind: 'cli', id: null, label: userInfo().username },
      via: 'cli',
      target: { type: 'products', id: productId },
      before: { name: 'Editor' },
      after: { name: '=Editor 2' },
    });
    const { stdout } = await it.inside(['audit', 'list']);
    expect(stdout).toMatch(/PRODUCT_UPDATED.*name: Editor → =Editor 2/);
  });

  test('finds by actor, action, target, way, time and text', async () => {
    const all = await actionsOf();
    expect(all).toEqual(expect.arrayContaining(['LICENSE_CREATED', 'CUSTOMER_CREATED', 'PRODUCT_UPDATED']));
    expect(await actionsOf('--actor', userInfo().username)).toEqual(all);
    expect(await actionsOf('--actor', 'nobody')).toEqual([]);
    expect(await actionsOf('--action', 'PRODUCT_UPDATED')).toEqual(['PRODUCT_UPDATED']);
    expect(await actionsOf('--target', licenseId)).toEqual(['LICENSE_CREATED']);
    expect(await actionsOf('--target', `products/${productId}`)).toHaveLength(2);
    expect(await actionsOf('--via', 'web')).toEqual([]);
    expect(await actionsOf('--since', '1h')).toEqual(all);
    expect(await actionsOf('--until', '2020-01-01')).toEqual([]);
    expect(await actionsOf('--search', 'editor 2')).toEqual(['PRODUCT_UPDATED']);
    expect(await list('--limit', '1', '--page', '2')).toEqual((await list()).slice(1, 2));
  });

  test('opens what is sealed, and shows (erased) after an erasure; the chain stays whole', async () => {
    const [before] = await list('--action', 'CUSTOMER_CREATED');
    expect(before?.after).toMatchObject({ email: 'ann@x.test', name: 'Ann', metadata: {} });
    const instance = await it.open();
    const texts = JSON.stringify(await instance.database.db.knex('audit_log'));
    await instance.close();
    expect(texts).not.toMatch(/ann@x\.test|"Ann"/);
    await it.answer(['customer', 'erase', 'ann@x.test', '--confirm', 'ann@x.test']);
    const [after] = await list('--action', 'CUSTOMER_CREATED');
    expect(after?.after).toMatchObject({ email: '(erased)', name: '(erased)', metadata: '(erased)' });
    const [erased] = await list('--action', 'CUSTOMER_ERASED');
    expect(erased?.before).toMatchObject({ email: '(erased)', name: '(erased)' });
    expect(await it.answer(['audit', 'verify'])).toMatchObject({ ok: true });
  });

  test('refuses what is no time and no way', async () => {
    await refused(2, ['audit', 'list', '--since', 'yesterday'], /is not a valid time/);
    await refused(2, ['audit', 'list', '--via', 'mail'], /--via/);
  });

  test('refuses an action that does not exist, and says when nothing matches', async () => {
    const near = /action PRODUCT_CRATED was not found\nhint: did you mean PRODUCT_CREATED\?/;
    await refused(2, ['audit', 'list', '--action', 'PRODUCT_CRATED'], near);
    await refused(2, ['audit', 'list', '--action', 'customer_created'], /did you mean CUSTOMER_CREATED\?/);
    await refused(0, ['audit', 'list', '--target', 'nope'], /^no audit log entries match/);
    await refused(0, ['audit', 'list', '--action', 'PRODUCT_DELETED'], /^no audit log entries match/);
  });
});

describe('audit export', () => {
  test('writes every entry, one object per line or as CSV, to a file of mode 0600', async () => {
    const file = join(it.cwd, 'audit.jsonl');
    const before = await list();
    expect(await it.answer(['audit', 'export', '--out', file])).toEqual({
      file,
      format: 'jsonl',
      entries: before.length,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as AuditEntry).seq)).toEqual(before.map(({ seq }) => seq));
    const { stdout } = await it.inside(['audit', 'export', '--format', 'csv', '--target', 'products']);
    expect(stdout.split('\n')[0]).toContain('actor.label');
    expect(stdout).toContain('PRODUCT_UPDATED');
    await refused(5, ['audit', 'export', '--out', file], /exists/);
    const wrong = join(it.cwd, 'wrong.jsonl');
    const near = /action PRODUCT_UPDTED was not found\nhint: did you mean PRODUCT_UPDATED\?/;
    await refused(2, ['audit', 'export', '--action', 'PRODUCT_UPDTED', '--out', wrong], near);
    expect(existsSync(wrong)).toBe(false);
    const [second, first] = (await list()).filter(({ action }) => action === 'EXPORTED');
    expect(first).toMatchObject({
      target: { type: 'audit', id: 'export' },
      details: { format: 'jsonl', filter: {}, rows: before.length },
    });
    expect(second?.details).toMatchObject({ format: 'jsonl', filter: { targetType: 'products' } });
  });
});

describe('audit verify', () => {
  test('prints the end of the log, which is an anchor for later', async () => {
    const file = join(it.cwd, 'anchor.json');
    const verdict = await it.answer<AuditVerdict>(['audit', 'verify']);
    expect(verdict).toMatchObject({ ok: true, from: 1, checked: verdict.head.seq });
    writeFileSync(file, JSON.stringify(verdict));
    expect(await it.answer(['audit', 'verify', '--anchor', file])).toMatchObject({ ok: true });
    writeFileSync(file, JSON.stringify({ head: { seq: verdict.head.seq + 1, hash: 'x' } }));
    const cut = await it.answer<AuditVerdict>(['audit', 'verify', '--anchor', file], { code: 6 });
    expect(cut).toMatchObject({ ok: false, brokenAt: verdict.head.seq + 1 });
  });

  test('refuses an anchor that is none', async () => {
    const file = join(it.cwd, 'none.json');
    await refused(2, ['audit', 'verify', '--anchor', file], /cannot be read \(ENOENT\)/);
    for (const text of ['', '{}', '[]', '{"head":{"seq":"1","hash":"x"}}']) {
      writeFileSync(file, text);
      await refused(2, ['audit', 'verify', '--anchor', file], /is not what audit verify --json prints/);
    }
  });

  test('ends with 6 and says where somebody tampered with it', async () => {
    const instance = await it.open();
    const head = { seq: 2, hash: 'x'.repeat(43) };
    await instance.database.transaction(async ({ knex }) => {
      await knex('audit_head').update(head);
    });
    await instance.close();
    expect(await it.answer<AuditVerdict>(['audit', 'verify'], { code: 6 })).toMatchObject({ brokenAt: 2 });
    const { stdout } = await it.inside(['audit', 'verify']);
    expect(stdout).toMatch(/BROKEN at entry 2: the head of the log says otherwise/);
  });
});
