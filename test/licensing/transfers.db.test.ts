// Files that staff takes out and brings in over the admin API (licensing 4.2, Data; 6.11; reliability M26, M27).
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { runTask } from '#kernel/jobs/task.ts';
import { writeWorkingFile } from '#kernel/storage/working-file.ts';
import { sweep } from '#licensing/moving/transfers/index.ts';
import type { ExportView, ImportView } from '#licensing/moving/transfers/view.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import type { HttpReply } from '../support/http-client.ts';

let app: TestApp;
/** Of the default tenant, and of the whole installation. */
let owner: MadeKey;
let everywhere: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
  everywhere = await app.adminToken('owner', { isInstanceWide: true });
});
afterAll(() => app.close());

const folder = (name: string): string => join(app.ctx.dataDir, name);
const begin = (body: object, token = owner) => app.admin('/exports', token, { body });
const exported = async (body: object, token = owner): Promise<ExportView> => {
  const { status, body: answer, text } = await begin(body, token);
  expect([status, text]).toEqual([202, expect.any(String)]);
  return answer.export as unknown as ExportView;
};
const fetched = (id: string, token = owner, headers = {}) =>
  app.admin(`/exports/${id}/file`, token, { headers });
const lines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const send = (query: string, file: string | Uint8Array, token = owner, headers = {}): Promise<HttpReply> =>
  app.admin(`/imports?${query}`, token, {
    method: 'POST',
    body: typeof file === 'string' ? Buffer.from(file) : file,
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
  });
const imported = async (query: string, file: string, token = owner): Promise<ImportView> => {
  const { status, body, text } = await send(query, file, token);
  expect([status, text]).toEqual([202, expect.any(String)]);
  return body.import as unknown as ImportView;
};
const audited = (action: string): Promise<Record<string, unknown>[]> =>
  app.instance.database.db.knex('audit_log').where({ action }).orderBy('seq', 'desc');

describe('an export', () => {
  test('of all kinds is the native format of the tenant, and its file is private and encrypted', async () => {
    const { id, key } = await app.license();
    const made = await exported({ format: 'jsonl' });
    expect(made).toMatchObject({
      state: 'DONE',
      keys: 'omitted',
      tenants: ['default'],
      file: { rows: { tenant: 1, license: expect.any(Number) }, size: expect.any(Number) },
      error: null,
    });
    const path = join(folder('exports'), made.id);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(folder('exports')).mode & 0o777).toBe(0o700);
    expect(readFileSync(path).includes(id)).toBe(false);
    const file = await fetched(made.id);
    expect(file.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-length': String(made.file?.size),
      'content-disposition': `attachment; filename="${made.file?.name}"`,
    });
    const rows = lines(file.text);
    expect([rows[0]?.kind, rows.at(-1)?.kind]).toEqual(['export', 'end']);
    expect(rows.map(({ id }) => id)).toContain(id);
    expect(file.text).not.toContain(key);
  });

  test('with license keys says so in the audit log, and is for whoever asked for it', async () => {
    const { id, key } = await app.license();
    const made = await exported({ entities: ['license'], format: 'csv', includeKeys: true });
    expect(made).toMatchObject({ keys: 'included', entities: ['license'], format: 'csv' });
    expect((await fetched(made.id)).text).toContain(key);
    expect(readFileSync(join(folder('exports'), made.id)).includes(key)).toBe(false);
    const other = await fetched(made.id, await app.adminToken('licensing'));
    expect([other.status, other.body.error?.details?.reason]).toEqual([403, 'NOT_YOURS']);
    const [told] = await audited('EXPORTED');
    expect(told).toMatchObject({ actor_id: owner.id, target_type: 'licenses', via: 'api' });
    expect(JSON.stringify(told)).toContain(String(made.file?.rows.license));
    expect((await audited('EXPORT_STARTED'))[0]).toMatchObject({ actor_id: owner.id, target_id: made.id });
    expect((await audited('EXPORT_FETCHED'))[0]).toMatchObject({ target_id: made.id });
    expect(await app.eventsOf(id)).toContainEqual(
      expect.objectContaining({ type: 'LICENSE_KEY_REVEALED', data: expect.objectContaining({}) }),
    );
  });

  test('is narrowed by its filter, escapes formulas, and is fetched in parts', async () => {
    await app.license({ customerEmail: 'eve@x.test', customerName: '=1+1' });
    const { file, id } = await exported({ entities: ['customer'], format: 'csv' });
    const whole = await fetched(id);
    expect(whole.text).toContain("'=1+1");
    const part = await fetched(id, owner, { Range: 'bytes=3-9' });
    expect([part.status, part.text]).toEqual([206, whole.text.slice(3, 10)]);
    expect((await fetched(id, owner, { 'If-None-Match': `"${file?.sha256}"` })).status).toBe(304);
    app.clock.advance(10);
    const later = { since: app.ctx.now() };
    const none = await exported({ entities: ['customer'], format: 'jsonl', filter: later });
    expect(none.file?.rows).toEqual({});
  });

  test('of every tenant is for staff of the whole installation alone', async () => {
    const foreign = await app.otherTenant();
    const { id } = await app.license({}, foreign);
    const refused = await begin({ format: 'jsonl', allTenants: true });
    expect([refused.status, refused.body.error?.details?.reason]).toEqual([403, 'TENANT_TOKEN']);
    const own = await exported({ format: 'jsonl' });
    expect((await fetched(own.id)).text).not.toContain(id);
    const all = await exported({ format: 'jsonl', allTenants: true }, everywhere);
    expect(all.tenants.length).toBeGreaterThan(1);
    expect((await fetched(all.id, everywhere)).text).toContain(id);
    for (const path of [`/exports/${all.id}`, `/exports/${all.id}/file`]) {
      expect((await app.admin(path, owner)).status).toBe(404);
    }
    const theirs = await app.adminToken('owner', {}, foreign);
    expect((await app.admin(`/exports/${own.id}`, theirs)).status).toBe(404);
    expect((await app.admin(`/imports/${own.id}`, owner)).status).toBe(404);
  });

  test('of a tenant is not for who is confined to products', async () => {
    const { id } = await app.product();
    const confined = await app.adminToken('owner', { productIds: [id] });
    const { status, body } = await begin({ format: 'jsonl' }, confined);
    expect([status, body.error?.details?.reason]).toEqual([403, 'CONFINED']);
    const made = await exported({ format: 'jsonl' });
    expect((await app.admin(`/exports/${made.id}`, confined)).status).toBe(404);
  });

  test('expires after a day, and its file is deleted; or before, on request', async () => {
    const [kept, removed] = [await exported({ format: 'jsonl' }), await exported({ format: 'jsonl' })];
    const gone = await app.admin(`/exports/${removed.id}`, owner, { method: 'DELETE' });
    expect(gone.body.export).toMatchObject({ state: 'EXPIRED', file: null });
    expect(readdirSync(folder('exports'))).not.toContain(removed.id);
    const refused = await fetched(removed.id);
    expect([refused.status, refused.body.error?.details?.reason]).toEqual([409, 'EXPIRED']);
    // Another server of the same Postgres has no such file either, and cannot tell the two apart.
    expect(refused.body.error?.message).toContain('or another server of this installation wrote it');
    const now = Date.parse(app.ctx.now()) / 1000;
    utimesSync(join(folder('exports'), kept.id), now, now);
    await sweep(app.ctx);
    expect(readdirSync(folder('exports'))).toContain(kept.id);
    app.clock.advance(SECONDS_PER_DAY + 1);
    expect((await app.admin(`/exports/${kept.id}`, owner)).body.export).toMatchObject({ state: 'EXPIRED' });
    expect((await fetched(kept.id)).body.error?.message).toContain('has expired');
    await sweep(app.ctx);
    expect(readdirSync(folder('exports'))).not.toContain(kept.id);
  });

  test('of a process that died says that it failed, and what it wrote is deleted', async () => {
    const params = { entities: ['license'], format: 'csv', keys: 'omitted', allTenants: false, tenants: [] };
    const died = runTask(app.ctx, { kind: 'export csv', params: { ...params, since: null } }, async () => {
      throw new Error('the disk went away');
    });
    await expect(died).rejects.toThrow('the disk went away');
    const row = await app.instance.database.db
      .knex('tasks')
      .where({ kind: 'export csv' })
      .orderBy('id', 'desc')
      .first();
    expect((await app.admin(`/exports/${row.id}`, owner)).body.export).toMatchObject({
      state: 'FAILED',
      file: null,
      error: 'the disk went away',
    });
    expect((await fetched(row.id)).status).toBe(409);
    const broken = (async function* () {
      yield 'half';
      throw new Error('no more');
    })();
    await expect(writeWorkingFile(app.ctx, join(folder('exports'), 'half'), broken)).rejects.toThrow();
    expect(readdirSync(folder('exports')).filter((name) => name.startsWith('half'))).toEqual([]);
  });

  test.each([
    [{}, 'format'],
    [{ format: 'xml' }, 'format'],
    [{ format: 'csv' }, 'entities'],
    [{ format: 'csv', entities: ['license', 'policy'] }, 'entities'],
    [{ format: 'jsonl', entities: ['order'] }, 'entities'],
    [{ format: 'jsonl', entities: [] }, 'entities'],
    [{ format: 'jsonl', filter: { product: 'editor' } }, 'product'],
    [{ format: 'jsonl', filter: { since: 'yesterday' } }, 'since'],
    [{ format: 'jsonl', path: '/etc/passwd' }, 'path'],
  ])('%j is refused, and the field is named', async (body, field) => {
    const { status, text } = await begin(body);
    expect([status, text]).toEqual([400, expect.stringContaining(field)]);
  });
});

describe('an import', () => {
  let foreign: Ctx;
  beforeEach(async () => {
    foreign = await app.otherTenant();
  });
  const CSV = 'key,email,product\n';

  test('of a table reports each row that is wrong, and writes the others', async () => {
    const { slug } = await app.product();
    const file = `${CSV}AAAA-BBBB-CCCC-0001,ann@x.test,${slug}\n!,bob@x.test,${slug}\nAAAA-BBBB-CCCC-0002,eve,${slug}\n`;
    const plan = await imported('source=csv&dryRun=true', file);
    expect(plan).toMatchObject({ state: 'DONE', dryRun: true, report: { rows: 3, created: 1, failed: 2 } });
    const done = await imported('source=csv', file);
    expect(done).toMatchObject({
      state: 'DONE',
      entity: 'licenses',
      source: 'csv',
      progress: { done: 3 },
      report: {
        created: 1,
        errors: [
          { row: 3, code: 'KEY_FORMAT' },
          { row: 4, code: 'EMAIL_INVALID' },
        ],
      },
      error: null,
    });
    expect((await app.admin(`/imports/${done.id}`, owner)).body.import).toEqual(done);
    expect(readdirSync(folder('imports'))).toEqual([]);
    expect((await audited('IMPORT_ENDED'))[0]).toMatchObject({ actor_id: owner.id, target_id: done.id });
    expect((await audited('LICENSE_IMPORTED'))[0]).toMatchObject({ actor_id: owner.id, via: 'api' });
  });

  test('takes columns by their map, customers too, in a form as well', async () => {
    const map = encodeURIComponent(JSON.stringify({ 'E-Mail address': 'customerEmail' }));
    const boundary = 'x7';
    const form = [
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="../../mine.csv"`,
      'Content-Type: text/csv',
      '',
      `E-Mail address,name\nzoe@x.test,Zoe\n\r\n--${boundary}--\r\n`,
    ].join('\r\n');
    const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
    const { status, body } = await send(`source=csv&entity=customers&map=${map}`, form, owner, headers);
    expect([status, body.import]).toEqual([
      202,
      expect.objectContaining({ file: 'mine.csv', report: expect.objectContaining({ created: 1 }) }),
    ]);
  });

  test('of a native file brings an export into another tenant-free installation once, and a second run skips', async () => {
    await app.license();
    const { id } = await exported({ format: 'jsonl', includeKeys: true });
    const { text } = await fetched(id);
    const again = await imported('source=native', text);
    expect(again.report).toMatchObject({ created: 0, failed: 0 });
    expect(again.progress.total).toBe(again.report?.rows);
  });

  test('never touches another tenant: its rows are refused one by one', async () => {
    await app.license({}, foreign);
    await app.license();
    const everyone = await exported({ format: 'jsonl', includeKeys: true, allTenants: true }, everywhere);
    const { text } = await fetched(everyone.id, everywhere);
    const other = lines(text).filter(({ tenantId }) => tenantId === foreign.tenantId);
    expect(other.length).toBeGreaterThan(2);
    const { result, changes } = await app.changesBy(() => imported('source=native', text));
    const codes = result.report?.errors.map(({ code }) => code) ?? [];
    expect(new Set(codes)).toEqual(new Set(['TENANT_FOREIGN']));
    expect(result.report).toMatchObject({ created: 0 });
    expect(Object.keys(changes.rows).filter((table) => table.startsWith('license'))).toEqual([]);
    const refused = await send('source=native&allTenants=true', text);
    expect([refused.status, refused.body.error?.details?.reason]).toEqual([403, 'TENANT_TOKEN']);
    expect((await imported('source=native&allTenants=true', text, everywhere)).report?.failed).toBe(0);
  });

  test('does not take an id or a key that another tenant has', async () => {
    const { key } = await app.license({}, foreign);
    const { slug } = await app.product();
    const taken = await imported('source=csv', `${CSV}${key},ann@x.test,${slug}\n`);
    expect(taken.report).toMatchObject({ created: 0, errors: [{ row: 2, code: 'DUPLICATE_KEY' }] });
    const all = await exported(
      { format: 'jsonl', allTenants: true, entities: ['policy', 'customer'] },
      everywhere,
    );
    const rows = lines((await fetched(all.id, everywhere)).text);
    const mine = rows.map((row) => ({ ...row, tenantId: app.ctx.tenantId }));
    const file = rows.map((row, at) => JSON.stringify(row.kind === 'customer' ? mine[at] : row)).join('\n');
    const stolen = await imported('source=native', `${file}\n`);
    for (const { code, message } of stolen.report?.errors ?? [])
      expect([code, message]).toEqual(['CONFLICT', expect.stringMatching(/is not free$|is taken/)]);
    expect(stolen.report?.failed).toBeGreaterThan(0);
  });

  test.each([
    ['source=native', '{"kind":"export"}\n', 400, 'FILE_INVALID'],
    ['source=native', 'no JSON\n', 400, 'FILE_INVALID'],
    ['source=native', '{"kind":"appctl-sealed","v":1}\n', 400, 'ENCRYPTED'],
    ['source=csv&product=nobody', CSV, 404, undefined],
    ['source=csv&policy=nobody', CSV, 404, undefined],
  ])(
    '%s of a file that does not fit is refused before anything changes',
    async (query, file, status, reason) => {
      const { result, changes } = await app.changesBy(() => send(query, file));
      expect([result.status, result.body.error?.details?.reason]).toEqual([status, reason]);
      expect(changes.rows).toEqual({});
      expect(readdirSync(folder('imports'))).toEqual([]);
    },
  );

  test('a native file without its keys is refused with the cure', async () => {
    await app.license();
    const { id } = await exported({ format: 'jsonl' });
    const { status, body } = await send('source=native', (await fetched(id)).text);
    expect([status, body.error?.details?.reason]).toEqual([400, 'KEY_MISSING']);
    expect(body.error?.details?.hint).toContain('--include-keys');
  });

  test('a file that breaks off in the middle names its line; what came before stays', async () => {
    const { slug } = await app.product();
    const file = `${CSV}AAAA-BBBB-CCCC-0009,ann@x.test,${slug}\n"unfinished,x,y\n`;
    const done = await imported('source=csv', file);
    expect(done).toMatchObject({ state: 'FAILED', report: null, error: { code: 'FILE_INVALID' } });
    expect(done.error?.message).not.toBe('');
  });

  test.each([
    ['', 'source'],
    ['source=excel', 'source'],
    ['source=csv&colour=red', 'colour'],
    ['source=keygen', 'product'],
    ['source=native&product=editor', 'product'],
    ['source=csv&skipLicenses=true', 'skipLicenses'],
    ['source=native&entity=customers', 'source'],
    ['source=csv&map=x', 'map'],
    ['source=csv&map=%7B%22a%22%3A%22nothing%22%7D', 'nothing'],
    ['source=csv&dryRun=maybe', 'dryRun'],
  ])('the options %s are refused, and the field is named', async (query, field) => {
    const { status, text } = await send(query, CSV);
    expect([status, text]).toEqual([400, expect.stringContaining(field)]);
  });

  test('a file above the limit is 413, and nothing of it stays', async () => {
    const headers = { 'Content-Length': String(app.ctx.uploadLimitBytes + 1) };
    const { status } = await send('source=csv', CSV, owner, headers).catch(() => ({ status: 413 }));
    expect(status).toBe(413);
    expect(readdirSync(folder('imports'))).toEqual([]);
  });

  test('what a process left that died is deleted after a day', async () => {
    mkdirSync(folder('imports'), { recursive: true });
    const path = join(folder('imports'), 'imp_LEFT.part');
    writeFileSync(path, 'x');
    const now = Date.parse(app.ctx.now()) / 1000;
    utimesSync(path, now, now);
    expect((await sweep(app.ctx)).imports).toBe(0);
    app.clock.advance(SECONDS_PER_DAY + 1);
    expect((await sweep(app.ctx)).imports).toBe(1);
    rmSync(path, { force: true });
  });
});
