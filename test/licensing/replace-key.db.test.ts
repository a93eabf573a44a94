// Key replacement (D130, 5.4, 6.9): what the old key is worth before, during and after its overlap.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';
import { checkInvariants } from '../support/invariants.ts';

const machineId = 'machine-0001';
let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({ listener: true });
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

const replaced: Changes = { events: ['KEY_REPLACED'], rows: { licenses: '~1', license_keys: '+1 ~1' } };

function replace(id: string, input: Partial<licenses.ReplaceKeyInput> = {}) {
  app.clock.advance(1);
  return app.changesBy(() => licenses.replaceKey(app.ctx, id, { reason: 'leaked', ...input }));
}

async function refused(work: () => Promise<unknown>, code: string) {
  const { result, changes } = await app.changesBy(() => work().then(String, (error: unknown) => error));
  expect(result).toMatchObject({ code });
  expect(changes).toEqual(nothing);
}

const post = (verb: string, licenseKey: string, more: object = {}) =>
  app.post(`/api/v1/license/${verb}`, { licenseKey, machineId, ...more }, key);
const codeOf = async (licenseKey: string) => (await post('validate', licenseKey)).body.code;

const keysOf = async (id: string) =>
  app.instance.database.db
    .knex('license_keys')
    .where({ license_id: id })
    .orderBy('id')
    .select('kind', 'overlap_until', 'then_honeypot', 'replaced_at');

/** An answer of the old key, compared with that of a key that never was. */
async function isUnknown(licenseKey: string) {
  const never = 'APP-ZZZZ-ZZZZ-ZZZZ-ZZZZ';
  const verbs = ['validate', 'activate', 'deactivate', 'heartbeat'];
  for (const verb of verbs) {
    const [own, other] = [await post(verb, licenseKey), await post(verb, never)];
    const strip = ({ requestId, ...body }: typeof own.body) => body;
    expect([verb, own.status, strip(own.body)]).toEqual([verb, other.status, strip(other.body)]);
  }
  expect((await app.get(`/api/v1/license/check/${licenseKey}`, key)).status).toBe(404);
}

describe('at once', () => {
  it('the new key opens what the old one did, and the old one is unknown (D130)', async () => {
    const { id, key: old } = await app.license({ maxActivations: 2, maxUses: 5, orderId: 'o-1' });
    await machines.activate(app.ctx, { licenseKey: old, machineId });
    const before = await licenses.get(app.ctx, id);
    const { result, changes } = await replace(id);
    expect(changes).toEqual(replaced);
    const { sealedKey, keyPrefix, updatedAt, ...same } = before;
    expect(result.license).toMatchObject(same);
    expect(result.newKey).toMatch(/^APP(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
    expect(await codeOf(result.newKey)).toBe('VALID');
    expect((await post('validate', result.newKey)).body.license?.key).toBe(result.newKey);
    await isUnknown(old);
    expect(await keysOf(id)).toMatchObject([
      { kind: 'REPLACED', overlap_until: null, replaced_at: app.ctx.now() },
      { kind: 'CURRENT', overlap_until: null, replaced_at: null },
    ]);
  });

  it('KEY_REPLACED names both by their prefixes only', async () => {
    const { id, key: old } = await app.license();
    const { newKey } = (await replace(id, { reason: 'leaked 🎉' })).result;
    const event = (await app.eventsOf(id)).find(({ type }) => type === 'KEY_REPLACED');
    expect(event?.data).toMatchObject({
      licenseKeyPrefix: newKey.slice(0, 8),
      status: 'ACTIVE',
      details: {
        oldKeyPrefix: old.slice(0, 8),
        newKeyPrefix: newKey.slice(0, 8),
        reason: 'leaked 🎉',
        overlapUntil: null,
      },
    });
    expect(JSON.stringify(event)).not.toContain(newKey);
    expect(JSON.stringify(event)).not.toContain(old);
  });

  it('draws in the format of the product', async () => {
    const format = await keyFormats.create(app.ctx, {
      name: 'hex',
      prefix: 'PHOTO',
      segments: 6,
      alphabet: 'HEX',
    });
    const product = await app.product({ keyFormatId: format.id });
    const { id } = await app.license({ productId: product.id });
    expect((await replace(id)).result.newKey).toMatch(/^PHOTO(-[0-9A-F]{4}){6}$/);
  });

  it('deactivateAll ends the machines with REPLACED and tells each', async () => {
    const { id, key: old } = await app.license();
    await machines.activate(app.ctx, { licenseKey: old, machineId });
    const { result, changes } = await replace(id, { deactivateAll: true });
    expect(changes).toEqual({
      events: ['KEY_REPLACED', 'LICENSE_DEACTIVATED'],
      rows: { ...replaced.rows, license_activations: '~1' },
    });
    expect(await codeOf(result.newKey)).toBe('NOT_ACTIVATED');
    const [row] = await app.instance.database.db.knex('license_activations').where({ license_id: id });
    expect(row.end_reason).toBe('REPLACED');
  });

  it('turnOldIntoHoneypot keeps the old key as a HONEYPOT that answers as unknown (6.9)', async () => {
    const { id, key: old } = await app.license();
    await replace(id, { turnOldIntoHoneypot: true });
    expect(await keysOf(id)).toMatchObject([{ kind: 'HONEYPOT', overlap_until: null }, { kind: 'CURRENT' }]);
    expect((await post('validate', old)).body).toMatchObject({
      valid: false,
      code: 'NOT_FOUND',
      license: null,
    });
  });
});

describe('with an overlap', () => {
  it('both keys work everywhere until it ends; each is answered with itself', async () => {
    const { id, key: old } = await app.license({ maxActivations: 5 });
    const { newKey } = (await replace(id, { overlapSeconds: 600 })).result;
    const overlapUntil = new Date(app.clock.epochMs() + 600_000).toISOString();
    expect(await keysOf(id)).toMatchObject([{ kind: 'REPLACED', overlap_until: overlapUntil }, {}]);
    app.heard.length = 0;
    // Who holds a leaked key must not learn the new one by it.
    expect((await post('activate', old)).body.license?.key).toBe(old);
    expect(app.heard.map(({ data }) => data.licenseKeyPrefix)).toEqual([newKey.slice(0, 8)]);
    expect(await codeOf(newKey)).toBe('VALID');
    expect((await post('validate', old.toLowerCase())).body.license?.key).toBe(old);
    expect((await app.get(`/api/v1/license/check/${old}`, key)).status).toBe(200);
    app.clock.advance(599);
    expect(await codeOf(old)).toBe('VALID');
    app.clock.advance(1);
    await isUnknown(old);
    expect(await codeOf(newKey)).toBe('VALID');
  });

  it('the holder of the old key is answered with it by a floating license, too', async () => {
    const { id, key: old } = await app.license({ type: 'FLOATING' });
    await replace(id, { overlapSeconds: 600 });
    expect((await post('activate', old)).body.license?.key).toBe(old);
    expect((await post('activate', old.toLowerCase())).body.license?.key).toBe(old);
  });

  it('an older key ends with the newest overlap at the latest', async () => {
    const { id, key: first } = await app.license();
    const second = (await replace(id, { overlapSeconds: 604_800 })).result.newKey;
    const third = (await replace(id, { overlapSeconds: 60, turnOldIntoHoneypot: true })).result.newKey;
    expect([await codeOf(first), await codeOf(second), await codeOf(third)]).toEqual(
      Array(3).fill('NOT_ACTIVATED'),
    );
    app.clock.advance(60);
    expect([await codeOf(first), await codeOf(second)]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    await replace(id);
    expect(await codeOf(third)).toBe('NOT_FOUND');
    const rows = await keysOf(id);
    expect(rows.map(({ kind }) => kind)).toEqual(['REPLACED', 'REPLACED', 'REPLACED', 'CURRENT']);
    expect(rows.map((row) => Boolean(row.then_honeypot))).toEqual([false, true, false, false]);
  });

  it('the old key of a trashed license is unknown too', async () => {
    const { id, key: old } = await app.license();
    await replace(id, { overlapSeconds: 60 });
    await licenses.trash(app.ctx, id, null);
    await isUnknown(old);
    await licenses.restore(app.ctx, id);
    expect(await codeOf(old)).toBe('NOT_ACTIVATED');
  });
});

describe('refused', () => {
  it('a REVOKED license is LICENSE_REVOKED; SUSPENDED and EXPIRED ones are not', async () => {
    const { id } = await app.license({ validUntil: '2020-01-01T00:00:00.000Z' });
    expect((await replace(id)).changes).toEqual({ ...replaced, events: ['KEY_REPLACED', 'LICENSE_EXPIRED'] });
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    expect((await replace(id)).changes).toEqual(replaced);
    await licenses.revoke(app.ctx, { licenseId: id }, null);
    await refused(() => licenses.replaceKey(app.ctx, id, { reason: 'x' }), 'LICENSE_REVOKED');
  });

  it.each<[string, object]>([
    ['no reason', { reason: undefined }],
    ['an empty reason', { reason: '' }],
    ['a reason of 501 characters', { reason: 'x'.repeat(501) }],
    ['an overlap below 0', { overlapSeconds: -1 }],
    ['an overlap of a week and a second', { overlapSeconds: 604_801 }],
    ['half a second', { overlapSeconds: 0.5 }],
    ['an unknown field', { overlap: 5 }],
    ['a flag as text', { deactivateAll: 'true' }],
  ])('%s is VALIDATION_ERROR', async (_what, input) => {
    const { id } = await app.license();
    const body = { reason: 'x', ...input } as licenses.ReplaceKeyInput;
    await refused(() => licenses.replaceKey(app.ctx, id, body), 'VALIDATION_ERROR');
  });

  it('unknown, trashed and foreign licenses are NOT_FOUND', async () => {
    const { id } = await app.license();
    const other = await app.otherTenant();
    await refused(() => licenses.replaceKey(other, id, { reason: 'x' }), 'NOT_FOUND');
    await licenses.trash(app.ctx, id, null);
    await refused(() => licenses.replaceKey(app.ctx, id, { reason: 'x' }), 'NOT_FOUND');
  });
});

it('many at once leave one current key, which one of them was told', async () => {
  const { id } = await app.license();
  const made = await Promise.all(
    Array.from({ length: 10 }, () =>
      licenses.replaceKey(app.ctx, id, { reason: 'race', overlapSeconds: 60 }),
    ),
  );
  const kinds = (await keysOf(id)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'CURRENT')).toHaveLength(1);
  expect(kinds).toHaveLength(11);
  const { key: current } = licenses.licenseView(app.ctx, await licenses.get(app.ctx, id), { reveal: true });
  expect(made.map(({ newKey }) => newKey)).toContain(current);
  expect((await app.eventsOf(id)).filter(({ type }) => type === 'KEY_REPLACED')).toHaveLength(10);
});

it('the invariants of stored licenses hold with several keys per license', async () => {
  expect(await checkInvariants(app.ctx)).toMatchObject({ status: 'ok' });
});
