// A release through the admin API, from draft to withdrawal (licensing 4.2). What all operations owe their caller is in
// test/contract/admin.db.test.ts, what each use case decides in release-*.db.test.ts.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import { releases as capability } from '#licensing/releases/releases/capability.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { bundleOf, keyOf, published, signed, signedProduct } from './release-fixture.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
});
afterAll(() => app.close());

const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.admin(path, owner, { method, body, ...(headers && { headers }) });
const octets = { 'Content-Type': 'application/octet-stream' };
const form = { 'Content-Type': 'multipart/form-data; boundary=xx' };
const asForm = (bytes: Buffer, filename: string) =>
  Buffer.concat([
    Buffer.from(`--xx\r\nContent-Disposition: form-data; name="bundle"; filename="${filename}"\r\n\r\n`),
    bytes,
    Buffer.from('\r\n--xx--\r\n'),
  ]);

async function draft(version: string, slug = `editor-${version.replaceAll('.', '-')}`) {
  const product = await signedProduct(app.ctx, slug);
  const { status, body } = await ask('POST', '/releases', { productId: product.slug, version });
  expect(status).toBe(201);
  return { product, id: String(body.release?.id) };
}

it('walks from draft to withdrawal', async () => {
  const bytes = bundleOf('editor 1.0.0');
  const { product, id } = await draft('1.0.0', 'editor');
  const sent = await ask('PUT', `/releases/${id}/bundle`, asForm(bytes, 'Editor 1.0 ü.dmg'), form);
  expect([sent.status, sent.body]).toMatchObject([
    200,
    {
      sha256: createHash('sha256').update(bytes).digest('hex'),
      sha512: createHash('sha512').update(bytes).digest('base64'),
      size: bytes.length,
      release: { id, bundleFilename: 'Editor 1.0 ü.dmg', product: 'editor', productId: product.id },
    },
  ]);
  const said = { product: 'editor', version: '1.0.0', sequence: 7 };
  expect((await ask('PUT', `/releases/${id}/signature`, signed(bytes, said))).body.release).toMatchObject({
    keyId: keyOf().keyId,
    sequence: 7,
  });
  const out = await ask('POST', `/releases/${id}/publish`, { rolloutPercent: 12.5 });
  expect([out.status, out.body.release]).toMatchObject([
    200,
    { state: 'PUBLISHED', rollout: { percent: 12.5, effectivePercent: 12.5, paused: false, schedule: [] } },
  ]);
  const stats = await ask('GET', `/releases/${id}/stats?from=2026-01-01&to=2026-12-31`);
  expect(stats.body).toMatchObject({ id, checks: 0, offers: 0, downloads: 0, fromVersions: [], days: [] });
  const gone = await ask('POST', `/releases/${id}/yank`, { reason: 'crashes', unpublishFile: true });
  expect(gone.body.release).toMatchObject({ state: 'YANKED', yankedReason: 'crashes' });
  const back = await ask('POST', `/releases/${id}/unyank`);
  expect([back.status, back.body.error?.details?.reason]).toEqual([409, 'FILE_MISSING']);
  await ask('PUT', `/releases/${id}/bundle?filename=ignored.zip`, bytes, octets);
  expect((await ask('POST', `/releases/${id}/unyank`)).body.release?.state).toBe('PUBLISHED');
  const types = (await app.eventsOf(id)).map(({ type }) => type);
  expect(types.sort()).toEqual([
    'RELEASE_CHANGED',
    'RELEASE_CHANGED',
    'RELEASE_CHANGED',
    'RELEASE_CREATED',
    'RELEASE_PUBLISHED',
    'RELEASE_UNYANKED',
    'RELEASE_YANKED',
  ]);
});

describe('a bundle', () => {
  it('has the name of the query, of the form, or of product and version', async () => {
    const { id } = await draft('1.1.0');
    const put = async (query: string, body: Buffer, headers: Record<string, string>) =>
      (await ask('PUT', `/releases/${id}/bundle${query}`, body, headers)).body.release?.bundleFilename;
    expect(await put('', bundleOf('a'), octets)).toBe('editor-1-1-0-1.1.0.bin');
    expect(await put('', asForm(bundleOf('a'), '../../x.zip'), form)).toBe('x.zip');
    expect(await put('?filename=y.zip', bundleOf('a'), octets)).toBe('y.zip');
  });

  it('of the wrong kind, empty, or with an odd name is 400; nothing of it is kept', async () => {
    const { id } = await draft('1.2.0');
    const { result, changes } = await app.changesBy(async () => [
      await ask('PUT', `/releases/${id}/bundle`, { a: 1 }),
      await ask('PUT', `/releases/${id}/bundle`, Buffer.alloc(0), octets),
      await ask('PUT', `/releases/${id}/bundle?filename=..`, bundleOf('a'), octets),
      await ask('PUT', `/releases/${id}/bundle`, Buffer.from('--xx\r\n'), form),
    ]);
    for (const { status, body } of result)
      expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(changes).toEqual({ events: [], rows: {} });
  });
});

it('what does not verify is 422 with its reason, what another state would allow is 409', async () => {
  const bytes = bundleOf('b');
  const { id } = await draft('1.3.0');
  const reasonOf = async (path: string, body: unknown) => {
    const { status, body: answer } = await ask(
      path === 'signature' ? 'PUT' : 'POST',
      `/releases/${id}/${path}`,
      body,
    );
    return `${status} ${answer.error?.code} ${answer.error?.details?.reason}`;
  };
  expect(await reasonOf('publish', {})).toBe('409 CONFLICT NO_BUNDLE');
  await ask('PUT', `/releases/${id}/bundle`, bytes, octets);
  expect(await reasonOf('publish', {})).toBe('422 VERIFICATION_FAILED UNSIGNED');
  expect(await reasonOf('signature', signed(bundleOf('c')))).toBe('422 VERIFICATION_FAILED BAD_SIGNATURE');
  expect(await reasonOf('signature', signed(bytes, null, { key: keyOf(5) }))).toBe(
    '422 VERIFICATION_FAILED WRONG_KEY',
  );
  expect(await reasonOf('yank', { reason: 'x' })).toBe('409 CONFLICT NOT_PUBLISHED');
  const twice = await ask('POST', '/releases', { productId: 'editor-1-3-0', version: '1.3.0' });
  expect([twice.status, twice.body.error?.details?.reason]).toEqual([409, 'VERSION_EXISTS']);
});

it.each([
  '../../etc/passwd',
  '%2e%2e',
  'rel_',
  'prd_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
  'a'.repeat(200),
  '%00',
  '__proto__',
])('an id like %s is refused or unknown at once', async (id) => {
  const { status } = await ask('GET', `/releases/${id}`);
  expect([400, 404]).toContain(status);
});

it('doctor: signatures that verify, statements that end soon, a signature that was changed', async () => {
  const check = capability.checks?.find(({ id }) => id === 'keys.release-signatures');
  const run = () => check?.run({ opened: { ctx: app.ctx, current: true } } as unknown as CheckScope);
  const product = await signedProduct(app.ctx, 'checked');
  await published(app.ctx, product, '1.0.0', { statement: null });
  expect(await run()).toMatchObject({ status: 'ok' });
  const ending = await published(app.ctx, product, '1.0.1', { statement: { statementDays: 10 } });
  expect(await run()).toMatchObject({ status: 'warn', message: expect.stringContaining('checked 1.0.1') });
  const signature = keyOf().sign(Buffer.from('something else')).toString('base64');
  await app.ctx.tx(({ db }) => db.knex('license_releases').where({ id: ending.id }).update({ signature }));
  expect(await run()).toMatchObject({ status: 'fail', message: expect.stringContaining('checked 1.0.1') });
});
