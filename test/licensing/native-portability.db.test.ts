// A native export makes another installation the same (licensing 6.11), whatever the kind of its database.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { validate } from '#licensing/licenses/validation/index.ts';
import { importNativeFile, type NativeImportAsked } from '#licensing/moving/portability/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { changesBy } from '../support/database-changes.ts';
import { checkInvariants } from '../support/invariants.ts';
import { exported, type Filled, fill, lines } from './filled-installation.ts';
import { bundleOf, sourceOf } from './release-fixture.ts';

let from: TestContext;
let into: TestContext;
let made: Filled;
beforeAll(async () => {
  from = await openTestContext();
  into = await openTestContext();
  made = await fill(from);
});
afterAll(async () => {
  await from.close();
  await into.close();
});

const bytes = (text: string) =>
  async function* () {
    yield Buffer.from(text);
  };
const imported = (text: string, more: Partial<NativeImportAsked> = {}) =>
  importNativeFile(
    into.ctx,
    bytes(text),
    { dryRun: false, fireEvents: false, skipLicenses: false, ...more },
    async () => undefined,
  );
const BUNDLE_MISSING = /^release \S+ is offered once its bundle is here: appctl release upload rel_\w+ FILE$/;

describe('a native export', () => {
  test('holds a header, rows in the order of their kinds, and an end that counts them', async () => {
    const text = await exported(from);
    expect(JSON.parse(text.split('\n', 1)[0] ?? '')).toEqual({
      kind: 'export',
      v: 1,
      createdAt: from.ctx.now(),
      entities: [
        'tenant',
        'product',
        'signing_key',
        'key_format',
        'policy',
        'customer',
        'license',
        'activation',
        'usage_total',
        'release',
      ],
      keys: 'included',
    });
    const counts = { tenant: 2, product: 2, signing_key: 1, key_format: 1, policy: 1 };
    expect(lines(text).at(-1)).toEqual({
      kind: 'end',
      v: 1,
      rows: { ...counts, customer: 4, license: 6, activation: 3, usage_total: 1, release: 2 },
    });
    expect(text).not.toMatch(/private|"seed"/i);
  });

  test('tells the timeline of each license whose key it holds, and nobody without keys', async () => {
    const { changes } = await changesBy(from.database, () => exported(from));
    expect(changes.events).toEqual(Array(6).fill('LICENSE_KEY_REVEALED'));
    const silent = await changesBy(from.database, () => exported(from, { includeKeys: false }));
    expect(silent.changes.events).toEqual([]);
    expect(silent.result).not.toContain(made.key);
  });

  test('holds one tenant, or what changed since a time', async () => {
    const [tenant] = lines(await exported(from)).filter(({ slug }) => slug === 'other');
    const one = lines(await exported(from, { tenantIds: [tenant?.id as string] }));
    expect(one.slice(0, -1).map(({ kind }) => kind)).toEqual(['tenant', 'product', 'customer', 'license']);
    const late = lines(
      await exported(from, { since: '2026-03-01T12:00:10.000Z', kinds: ['product', 'license'] }),
    );
    expect(late.filter(({ kind }) => kind === 'license')).toHaveLength(6);
    expect(late.filter(({ kind, slug }) => kind === 'product' && slug === 'editor')).toHaveLength(1);
  });
});

describe('a native import', () => {
  test('is rehearsed without a trace', async () => {
    const text = await exported(from);
    const { result, changes } = await changesBy(into.database, () => imported(text, { dryRun: true }));
    expect(changes).toEqual({ events: [], rows: {} });
    expect(result).toMatchObject({ rows: 23, created: 22, updated: 1, failed: 0, errors: [] });
  });

  test('makes an empty installation the same: its own export is the same', async () => {
    const text = await exported(from);
    const report = await imported(text);
    expect(report).toEqual({
      rows: 23,
      created: 22,
      updated: 1,
      skipped: 0,
      failed: 0,
      warnings: [
        { row: 23, message: expect.stringMatching(BUNDLE_MISSING) },
        { row: 24, message: expect.stringMatching(BUNDLE_MISSING) },
      ],
      errors: [],
    });
    expect(lines(await exported(into))).toEqual(lines(text));
    expect(await checkInvariants(into.ctx)).toMatchObject({ status: 'ok' });
  });

  test('the audit log says of each row what it brought, and of the tenant what it was before', async () => {
    const rows: { action: string; before: string | null; after: string }[] = await into.ctx.db
      .knex('audit_log')
      .where('action', 'like', '%IMPORTED')
      .orderBy('seq');
    const kinds = ['CUSTOMER', 'KEY_FORMAT', 'POLICY', 'PRODUCT', 'RELEASE', 'SIGNING_KEY', 'TENANT'];
    expect(new Set(rows.map(({ action }) => action))).toEqual(
      new Set(kinds.map((kind) => `${kind}_IMPORTED`)),
    );
    const isNew = ({ before }: (typeof rows)[number]): boolean => before === null;
    for (const { after } of rows.filter(isNew))
      expect(Object.keys(JSON.parse(after)).length).toBeGreaterThan(2);
    expect(rows.filter((row) => !isNew(row)).map(({ action }) => action)).toEqual(['TENANT_IMPORTED']);
    const customers = rows.filter(({ action }) => action === 'CUSTOMER_IMPORTED');
    for (const { after } of customers) expect(after).not.toContain('@');
  });

  test('again changes nothing', async () => {
    const text = await exported(from);
    const { result, changes } = await changesBy(into.database, () => imported(text));
    expect(result).toMatchObject({ rows: 23, created: 0, updated: 0, skipped: 23, failed: 0 });
    expect(changes).toEqual({ events: [], rows: {} });
  });

  test('keys work in the other installation, replaced ones as long as they did', async () => {
    const ask = async (licenseKey: string) =>
      (await validate(into.ctx, { licenseKey, machineId: 'machine-0003' })).answer;
    expect(await ask(made.key)).toMatchObject({ valid: true, code: 'VALID' });
    expect(await ask(made.replaced)).toMatchObject({ valid: true });
    const license = await licenses.getByKey(into.ctx, 'own-spelling-01');
    expect(licenses.licenseView(into.ctx, license, { reveal: true }).key).toBe('Own-Spelling-01');
    const [first] = await into.eventsOf(made.id);
    expect(first).toMatchObject({ type: 'LICENSE_IMPORTED', data: { details: { from: 'native' } } });
  });

  test('a release comes without its bytes: it is served as soon as the same ones are sent', async () => {
    const wanted = { filters: { productId: ['editor'] }, offset: 0, limit: 9 };
    const { items } = await releases.releaseRows.page(into.ctx, wanted);
    const release = items.find(({ state }) => state === 'PUBLISHED') as releases.Release;
    const served = async () => (await releases.servableReleases(into.ctx, release.productId)).length;
    expect(await served()).toBe(0);
    const send = (content: Buffer) =>
      releases.attachBundle(into.ctx, release.id, { filename: null, source: sourceOf(content) });
    expect(await send(bundleOf('another')).catch(({ code }) => code)).toBe('CONFLICT');
    await send(bundleOf('editor 1.0.0'));
    expect(await served()).toBe(1);
  });

  test('a license of a purchase leaves its purchase behind, and a release its bundle: both are told or right', async () => {
    const other = await openTestContext();
    const asked = { dryRun: false, fireEvents: false, skipLicenses: false };
    const text = (await exported(from)).replaceAll(/"source":"[A-Z_]+"/g, '"source":"INBOUND_WEBHOOK"');
    const report = await importNativeFile(other.ctx, bytes(text), asked, async () => undefined);
    expect(report.failed).toBe(0);
    expect(await checkInvariants(other.ctx)).toEqual(await checkInvariants(into.ctx));
    expect(report.warnings.map(({ message }) => message)).toEqual(
      lines(text)
        .filter(({ kind, bundleSha256 }) => kind === 'release' && typeof bundleSha256 === 'string')
        .map(
          ({ id, version }) =>
            `release ${version} is offered once its bundle is here: appctl release upload ${id} FILE`,
        ),
    );
    await other.close();
  });

  test('a release that could not be served as it says is refused', async () => {
    const rows = lines(await exported(from)).filter(({ kind }) => kind === 'release');
    const published = rows.find(({ state }) => state === 'PUBLISHED') as Record<string, unknown>;
    const id = published.id as string;
    const other = { ...published, id: `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`, version: '7.0.0' };
    const wrong = [
      { signature: null },
      { bundleSize: null },
      { bundleSha256: null, bundleSha512: null, bundleSize: null },
      { version: 'v7' },
      { platform: 'beos' },
      { bundleSha256: '../../../etc/passwd' },
      { statement: null },
      { rolloutSchedule: [{ at: 'now', percent: 5 }] },
    ];
    const kept = (await exported(from)).trimEnd().split('\n').slice(0, -1);
    for (const change of wrong) {
      const row = JSON.stringify({ ...other, ...change });
      const counts = { ...(lines(await exported(from)).at(-1)?.rows as object), release: 3 };
      const end = JSON.stringify({ kind: 'end', v: 1, rows: counts });
      const { failed, errors } = await imported([...kept, row, end].join('\n'));
      expect([failed, errors[0]?.code]).toEqual([1, 'VALUE_INVALID']);
    }
  });

  test('an export of the other kind of database is the same', async () => {
    // Written by an installation on SQLite; this file also runs on Postgres. It is older than some fields of a key.
    const unknown = { activateAt: null, continuity: null, minisignId: null };
    const text = readFileSync(join(import.meta.dirname, 'import/native.jsonl'), 'utf8');
    const third = await openTestContext();
    const asked = { dryRun: false, fireEvents: false, skipLicenses: false };
    const report = await importNativeFile(third.ctx, bytes(text), asked, async () => undefined);
    expect(report).toMatchObject({ failed: 0, skipped: 0 });
    const whole = lines(text).map((row) => (row.kind === 'signing_key' ? { ...unknown, ...row } : row));
    const again = await exported(third);
    expect(lines(again)).toEqual(whole);
    // The same fields in the same order, but for the key, whose fields of later came in between.
    const fields = (file: string) =>
      lines(file).map((row) => (row.kind === 'signing_key' ? [] : Object.keys(row)));
    expect(fields(again)).toEqual(fields(text));
    expect(await checkInvariants(third.ctx)).toMatchObject({ status: 'ok' });
    await third.close();
  });
});

test('machines above a limit, of which the row of their license does not tell, are told', async () => {
  const fresh = await openTestContext();
  const text = await exported(from);
  const all = lines(text);
  const model = all.find(({ machineId }) => machineId === 'machine-0001');
  const quiet = all.find(({ kind, status }) => kind === 'license' && status === 'SUSPENDED');
  const more = [1, 2, 3].map((n) => ({
    ...model,
    id: fresh.ctx.newId('act'),
    licenseId: quiet?.id,
    machineId: `machine-100${n}`,
  }));
  const end = { ...all.at(-1), rows: { ...(all.at(-1)?.rows as object), activation: 6 } };
  const whole = text.trimEnd().split('\n').slice(0, -1);
  const file = [...whole, ...[...more, end].map((row) => JSON.stringify(row))].join('\n');
  const asked = { dryRun: false, fireEvents: false, skipLicenses: false };
  const report = await importNativeFile(fresh.ctx, bytes(file), asked, async () => undefined);
  expect(report).toMatchObject({ failed: 0, skipped: 0 });
  const told = await fresh.ctx.db
    .knex('events')
    .where({ subject: quiet?.id, type: 'LICENSE_IMPORTED' })
    .orderBy('id');
  expect(told.map(({ diff }) => diff && JSON.parse(diff)).filter(Boolean)).toEqual([
    { maxActivations: [2, 1] },
    { maxActivations: [3, 1] },
  ]);
  const over = { filters: { overUsed: true }, sort: 'created', offset: 0, limit: 9 };
  const metered = all.find(({ id }) => id === model?.licenseId);
  const { items } = await licenses.licenseRows.page(fresh.ctx, over);
  expect(items.map(({ id }) => id)).toEqual([metered?.id, quiet?.id]);
  expect(await checkInvariants(fresh.ctx)).toMatchObject({ status: 'ok' });
  await fresh.close();
});

describe('a native file that is not right', () => {
  test('cut off, altered in its count, or of another program: nothing is imported', async () => {
    const text = await exported(from);
    const whole = text.trimEnd().split('\n');
    for (const [broken, message] of [
      ['', 'the file is empty'],
      ['{"kind":"license"}\n', 'is not a native export'],
      [whole.slice(0, -1).join('\n'), 'cut off'],
      [text.slice(0, -20), 'cut off'],
      [[...whole.slice(0, 3), ...whole.slice(4)].join('\n'), 'incomplete'],
      [text.replace('"v":1', '"v":2'), 'is not a native export'],
    ] as const) {
      const { result, changes } = await changesBy(into.database, () =>
        imported(broken).catch((error) => error),
      );
      expect(result).toMatchObject({ name: 'RecordFault', message: expect.stringContaining(message) });
      expect(changes).toEqual({ events: [], rows: {} });
    }
  });

  test('without keys it is refused as a whole, unless the licenses are left out', async () => {
    const text = await exported(from, { includeKeys: false });
    const refused = await imported(text).catch((error) => error);
    expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'KEY_MISSING' } });
    const fresh = await openTestContext();
    const asked = { dryRun: false, fireEvents: false, skipLicenses: true };
    const report = await importNativeFile(fresh.ctx, bytes(text), asked, async () => undefined);
    expect(report).toMatchObject({ rows: 23, created: 12, updated: 1, skipped: 10, failed: 0 });
    await fresh.close();
  });

  test('a bad row costs itself and what names it; others go on', async () => {
    const fresh = await openTestContext();
    const text = await exported(from);
    const spoil = (line: string): string => {
      const row = JSON.parse(line) as Record<string, unknown>;
      if (row.kind === 'customer' && row.email === 'bob@x.test') return JSON.stringify({ ...row, name: 5 });
      if (row.kind === 'usage_total') return JSON.stringify({ ...row, currentUses: -1 });
      if (row.kind === 'activation' && row.machineId === 'machine-0002')
        return JSON.stringify({ ...row, activationKind: 'LEASE' });
      if (row.kind === 'license' && row.orderId === 'O-1') return JSON.stringify({ ...row, key: made.key });
      if (row.kind === 'license' && row.status === 'REVOKED')
        return JSON.stringify({ ...row, key: undefined });
      return row.kind === 'policy' ? JSON.stringify({ ...row, kind: 'voucher' }) : line;
    };
    const broken = text
      .trimEnd()
      .split('\n')
      .map(spoil)
      .join('\n')
      .replace('"kind":"key_format"', '"kind":key_format');
    const asked = { dryRun: false, fireEvents: false, skipLicenses: false };
    const report = await importNativeFile(fresh.ctx, bytes(broken), asked, async () => undefined);
    const codes = report.errors.map(({ code, message }) => `${code} ${message.split(/[:;]/, 1)[0]}`);
    expect(codes).toEqual([
      'ROW_INVALID the line is not a row of a native export',
      'REFERENCE_UNKNOWN policyId',
      'REFERENCE_UNKNOWN productId',
      'VALUE_INVALID name must be a string',
      ...Array(5).fill('REFERENCE_UNKNOWN productId'),
      'REFERENCE_UNKNOWN licenseId',
      'VALUE_INVALID leaseExpiresAt belongs to a LEASE',
      'REFERENCE_UNKNOWN licenseId',
      'VALUE_INVALID currentUses must be at least 0',
      ...Array(2).fill('REFERENCE_UNKNOWN productId'),
    ]);
    expect(report.warnings).toEqual([
      { row: expect.any(Number), message: 'this version cannot import rows of kind voucher' },
    ]);
    await fresh.close();
  });

  test('ids of another tenant and natural keys that are taken are conflicts', async () => {
    const fresh = await openTestContext();
    await products.create(fresh.ctx, { name: 'Mine', slug: 'editor' });
    await customers.create(fresh.ctx, { email: 'ANN@x.test' });
    const asked = { dryRun: true, fireEvents: false, skipLicenses: true };
    const report = await importNativeFile(
      fresh.ctx,
      bytes(await exported(from)),
      asked,
      async () => undefined,
    );
    expect(report.errors.map(({ code, message }) => `${code} ${message.replace(/ by .*/, '')}`)).toEqual(
      [
        'CONFLICT slug is taken',
        'REFERENCE_UNKNOWN productId: product ',
        'CONFLICT email is taken',
        ...Array(2).fill('REFERENCE_UNKNOWN productId: product '),
      ].map((text) => expect.stringContaining(text)),
    );
    await fresh.close();
  });
});
