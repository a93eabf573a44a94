// What holds for every import of licenses: faults, repetition, dry runs, events, tenants (licensing 6.11).
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type ForeignImportAsked, importLicenses } from '#licensing/moving/portability/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { checkInvariants } from '../support/invariants.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ listener: true });
  await app.product({ slug: 'editor', defaultMaxActivations: 2 });
});
afterAll(() => app.close());

const sample = (name: string) => createReadStream(join(import.meta.dirname, 'import', name));
const asked = (
  source: ForeignImportAsked['source'],
  more: Partial<ForeignImportAsked> = {},
): ForeignImportAsked => ({
  source,
  product: 'editor',
  map: new Map(),
  dryRun: false,
  fireEvents: false,
  ...more,
});
const run = (name: string, source: ForeignImportAsked['source'], more: Partial<ForeignImportAsked> = {}) =>
  importLicenses(app.ctx, sample(name), asked(source, more));

/** The license of a key as staff see it. */
const stored = (key: string) => licenses.getByKey(app.ctx, key);

const counts = { created: 0, updated: 0, skipped: 0, failed: 0 };

describe('every import', () => {
  test('each fault has its code, and costs its own row only', async () => {
    await app.license({ productId: (await app.product()).id, key: 'taken-key-001' });
    const report = await run('bad-rows.csv', 'csv', { product: undefined });
    const codes = report.errors.map(({ row, code }) => [row, code]);
    expect(codes).toEqual([
      [2, 'KEY_FORMAT'],
      [3, 'KEY_FORMAT'],
      [4, 'KEY_FORMAT'],
      [6, 'DUPLICATE_KEY'],
      [7, 'EMAIL_INVALID'],
      [8, 'EMAIL_INVALID'],
      [9, 'PRODUCT_UNKNOWN'],
      [10, 'PRODUCT_UNKNOWN'],
      [11, 'DATE_INVALID'],
      [12, 'DATE_INVALID'],
      [13, 'LIMIT_RANGE'],
      [14, 'LIMIT_RANGE'],
      [15, 'LIMIT_RANGE'],
      [16, 'LIMIT_RANGE'],
      [17, 'VALUE_INVALID'],
      [18, 'VALUE_INVALID'],
      [19, 'POLICY_UNKNOWN'],
      [20, 'VALUE_INVALID'],
      [21, 'ROW_INVALID'],
      [23, 'DUPLICATE_KEY'],
    ]);
    expect(report).toMatchObject({ rows: 22, created: 2, failed: 20 });
    expect(JSON.stringify(report)).not.toMatch(/taken-key|good-key/i);
    expect(await stored('good-key-0017')).toMatchObject({ maxActivations: 1000 });
  });

  test('a second run of a file changes nothing', async () => {
    await run('keygen.json', 'keygen');
    const { result, changes } = await app.changesBy(() => run('keygen.json', 'keygen'));
    expect(result).toEqual({ ...counts, rows: 3, skipped: 3, warnings: [], errors: [] });
    expect(changes).toEqual({ events: [], rows: {} });
  });

  test('a dry run reports what an import would, and writes nothing', async () => {
    const text = 'key,email,maxActivations\ndry-key-0001,dry@x.test,0\nDRY-KEY-0001,dry@x.test,1\n';
    const bytes = async function* () {
      yield Buffer.from(text);
    };
    const { result, changes } = await app.changesBy(() =>
      importLicenses(app.ctx, bytes(), asked('csv', { dryRun: true })),
    );
    expect(changes).toEqual({ events: [], rows: {} });
    expect(await importLicenses(app.ctx, bytes(), asked('csv'))).toEqual(result);
    expect(result).toMatchObject({
      rows: 2,
      created: 1,
      failed: 1,
      errors: [{ row: 3, code: 'DUPLICATE_KEY' }],
    });
  });

  test('with fireEvents webhooks hear of the license and its machines', async () => {
    const text = 'key,email,machines\nloud-key-0001,loud@x.test,machine-000x\n';
    const bytes = async function* () {
      yield Buffer.from(text);
    };
    const before = app.heard.length;
    await importLicenses(app.ctx, bytes(), asked('csv', { fireEvents: true }));
    const heard = app.heard.slice(before).filter(({ type }) => /LICENSE_(CREATED|ACTIVATED)/.test(type));
    expect(heard.map(({ type }) => type)).toEqual(['LICENSE_CREATED', 'LICENSE_ACTIVATED']);
    expect(heard[0]?.data).toMatchObject({ machineIds: ['machine-000x'], details: { source: 'IMPORT' } });
  });

  test('more machines than the limit stay, and doctor is content with everything', async () => {
    const text = 'key,email,maxActivations,machines\nmany-key-0001,many@x.test,1,machine-0001 machine-0002\n';
    const bytes = async function* () {
      yield Buffer.from(text);
    };
    await importLicenses(app.ctx, bytes(), asked('csv'));
    expect(await stored('many-key-0001')).toMatchObject({ maxActivations: 1, activationsUsed: 2 });
    expect(await checkInvariants(app.ctx)).toMatchObject({ status: 'ok' });
  });

  test('another tenant neither sees the keys nor can take them', async () => {
    const other = await app.otherTenant();
    await app.product({ slug: 'editor' }, other);
    const report = await importLicenses(other, sample('keygen.json'), asked('keygen'));
    expect(report).toMatchObject({ created: 0, skipped: 0, failed: 3 });
    expect(report.errors.map(({ code }) => code)).toEqual([
      'DUPLICATE_KEY',
      'DUPLICATE_KEY',
      'DUPLICATE_KEY',
    ]);
  });

  test('an unknown product or policy of the command ends it before the first row', async () => {
    await expect(run('keygen.json', 'keygen', { product: 'nope' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(run('keygen.json', 'keygen', { policy: 'nope' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
