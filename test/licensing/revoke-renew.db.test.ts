// POST /api/v1/license/revoke and /renew: the spec's table "License status" over HTTP (D9, D34, D37 to D39, D123).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subscribes } from '#licensing/contract/events.ts';
import { licenses as licensesCapability } from '#licensing/licenses/licenses/capability.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';

const DAY = 86_400;
let app: TestApp;
let apiKey: string;
beforeAll(async () => {
  app = await startApp();
  apiKey = (await app.apiKey('CREATE_LICENSE')).secret;
});
afterAll(() => app.close());

const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const call = (name: string, body: unknown, key = apiKey) =>
  app.changesBy(() => app.post(`/api/v1/license/${name}`, body, key));
const statusOf = async ({ key }: MadeLicense) =>
  (await app.get(`/api/v1/license/check/${key}`, apiKey)).body.status;
const detailsOf = async ({ id }: MadeLicense, type: string) =>
  (await app.eventsOf(id)).filter((event) => event.type === type).at(-1)?.data.details;
const suspend = ({ id }: MadeLicense) => licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
const changed = (...events: string[]): Changes => ({ events, rows: { licenses: '~1' } });

async function refused(name: string, body: unknown, code: string, status = 400, key = apiKey) {
  const { result, changes } = await call(name, body, key);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(nothing);
  return result.body.error;
}

describe('the table "License status"', () => {
  it('(none), create: ACTIVE, LICENSE_CREATED', async () => {
    const { id: productId } = await app.product();
    await app.license({ productId, customerEmail: 'ann@x.test' });
    const { result, changes } = await call('create', { productId, customerEmail: 'ann@x.test' });
    expect([result.body.license?.status, changes.events]).toEqual(['ACTIVE', ['LICENSE_CREATED']]);
  });

  it('ACTIVE, expiration date reached: EXPIRED, LICENSE_EXPIRED', async () => {
    const license = await app.license({ validUntil: inDays(1) });
    app.clock.advance(DAY);
    const { result, changes } = await app.changesBy(async () => licensesCapability.jobs?.[0]?.run(app.ctx));
    expect([result, changes]).toEqual([{ expired: 1, announced: 1 }, changed('LICENSE_EXPIRED')]);
    expect(await statusOf(license)).toBe('EXPIRED');
  });

  it('EXPIRED, renew: ACTIVE, validUntil extended, LICENSE_RENEWED; machines stay', async () => {
    const license = await app.license({ validUntil: inDays(1) });
    await call('activate', { licenseKey: license.key, machineId: 'machine-a' });
    const previousValidUntil = inDays(1);
    app.clock.advance(2 * DAY);
    const { result, changes } = await call('renew', { licenseKey: license.key, validUntil: inDays(30) });
    expect([result.status, result.body]).toEqual([
      200,
      {
        success: true,
        license: expect.objectContaining({ ...license, status: 'ACTIVE', validUntil: inDays(30) }),
      },
    ]);
    expect(changes).toEqual(changed('LICENSE_EXPIRED', 'LICENSE_RENEWED'));
    const details = { previousValidUntil, validUntil: inDays(30), previousStatus: 'EXPIRED' };
    expect(await detailsOf(license, 'LICENSE_RENEWED')).toEqual(details);
    const validated = await call('validate', { licenseKey: license.key, machineId: 'machine-a' });
    expect(validated.result.body.valid).toBe(true);
  });

  it('ACTIVE, renew: ACTIVE, validUntil extended', async () => {
    const license = await app.license({ validUntil: inDays(1) });
    const { result, changes } = await call('renew', { licenseId: license.id, validUntil: inDays(9) });
    expect(result.body.license).toMatchObject({ status: 'ACTIVE', validUntil: inDays(9) });
    expect(changes).toEqual(changed('LICENSE_RENEWED'));
  });

  it.each(['ACTIVE', 'EXPIRED', 'SUSPENDED'])(
    '%s, revoke: REVOKED, all machine activations deactivated at once, LICENSE_REVOKED',
    async (status) => {
      const license = await app.license({ maxActivations: 3, validUntil: inDays(1) });
      for (const machineId of ['machine-a', 'machine-b'])
        await call('activate', { licenseKey: license.key, machineId });
      if (status === 'EXPIRED') app.clock.advance(DAY);
      if (status === 'SUSPENDED') await suspend(license);
      const { result, changes } = await call('revoke', { licenseKey: license.key, reason: 'refunded' });
      expect([result.status, result.body.license?.status]).toEqual([200, 'REVOKED']);
      expect(changes).toEqual({
        events: [...(status === 'EXPIRED' ? ['LICENSE_EXPIRED'] : []), 'LICENSE_REVOKED'],
        rows: { licenses: '~1', license_activations: '~2' },
      });
      expect(await detailsOf(license, 'LICENSE_REVOKED')).toEqual({
        reason: 'refunded',
        deactivatedMachineIds: ['machine-a', 'machine-b'],
      });
      await refused('deactivate', { licenseKey: license.key, machineId: 'machine-a' }, 'DEACTIVATION_FAILED');
    },
  );

  it('REVOKED, renew: REVOKED, the request fails with status 400 (D37)', async () => {
    const license = await app.license({ validUntil: inDays(1) });
    await call('revoke', { licenseId: license.id });
    const error = await refused('renew', { licenseId: license.id, validUntil: inDays(9) }, 'LICENSE_REVOKED');
    expect(error?.details).toEqual({
      status: 'REVOKED',
      since: app.ctx.now(),
      expiredAt: null,
      grace: false,
    });
    expect(await statusOf(license)).toBe('REVOKED');
  });

  it.each(['EXPIRED', 'SUSPENDED', 'REVOKED'])('rule 1: activation is refused when %s', async (status) => {
    const license = await app.license({ validUntil: inDays(1) });
    if (status === 'EXPIRED') {
      app.clock.advance(DAY);
      await licenses.reinstate(app.ctx, license.id);
    }
    if (status === 'SUSPENDED') await suspend(license);
    if (status === 'REVOKED') await call('revoke', { licenseId: license.id });
    const body = { licenseKey: license.key, machineId: 'machine-a' };
    expect((await refused('activate', body, 'ACTIVATION_FAILED'))?.details).toMatchObject({ reason: status });
  });
});

describe('revoke', () => {
  it('again: 200, unchanged, no event (D39)', async () => {
    const { id } = await app.license();
    const first = (await call('revoke', { licenseId: id, reason: 'first' })).result;
    app.clock.advance(1);
    const { result, changes } = await call('revoke', { licenseId: id, reason: 'second' });
    expect([result.status, result.body, changes]).toEqual([200, first.body, nothing]);
  });

  it('reason: optional, at most 500 characters', async () => {
    const given = async (reason: unknown) => {
      const license = await app.license();
      const { result } = await call('revoke', { licenseId: license.id, reason });
      expect(result.status).toBe(200);
      return ((await detailsOf(license, 'LICENSE_REVOKED')) as { reason: unknown }).reason;
    };
    expect(await given(undefined)).toBeNull();
    expect(await given(null)).toBeNull();
    for (const reason of ['x'.repeat(500), '\u{1F600}'.repeat(500)]) expect(await given(reason)).toBe(reason);
    const { id } = await app.license();
    for (const reason of ['x'.repeat(501), '\u{1F600}'.repeat(501), 5, {}, 'a\0b'])
      await refused('revoke', { licenseId: id, reason }, 'VALIDATION_ERROR');
  });
});

describe('renew', () => {
  it('an earlier date is set and only written to the timeline; the same date changes nothing (D38)', async () => {
    const license = await app.license({ validUntil: inDays(9) });
    const shortened = await call('renew', { licenseId: license.id, validUntil: inDays(3) });
    expect(shortened.result.body.license?.validUntil).toBe(inDays(3));
    expect(shortened.changes).toEqual(changed('LICENSE_SHORTENED'));
    expect(subscribes(['*', 'LICENSE_SHORTENED'], 'LICENSE_SHORTENED')).toBe(false);
    const same = await call('renew', { licenseId: license.id, validUntil: inDays(3) });
    expect([same.result.status, same.changes]).toEqual([200, nothing]);
  });

  it('a perpetual license gets an end, SUSPENDED stays SUSPENDED (D38)', async () => {
    const perpetual = await app.license();
    const dated = await call('renew', { licenseId: perpetual.id, validUntil: inDays(3) });
    expect([dated.result.body.license?.validUntil, dated.changes]).toEqual([
      inDays(3),
      changed('LICENSE_SHORTENED'),
    ]);
    const suspended = await app.license({ validUntil: inDays(1) });
    await suspend(suspended);
    const { result } = await call('renew', { licenseId: suspended.id, validUntil: inDays(3) });
    expect(result.body.license).toMatchObject({ status: 'SUSPENDED', validUntil: inDays(3) });
  });

  it.each([
    ['2031-05-06T07:08:09Z', '2031-05-06T07:08:09.000Z'],
    ['2031-05-06T07:08:09.1234Z', '2031-05-06T07:08:09.123Z'],
    ['2031-05-06T07:08:09+05:30', '2031-05-06T01:38:09.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('validUntil %s is stored as %s (D9)', async (validUntil, stored) => {
    const { id } = await app.license({ validUntil: inDays(1) });
    const { result } = await call('renew', { licenseId: id, validUntil });
    expect(result.body.license?.validUntil).toBe(stored);
  });

  it('a date that is no date-time with zone, none, or not in the future is a VALIDATION_ERROR (D9, D38)', async () => {
    const { id } = await app.license({ validUntil: inDays(1) });
    for (const validUntil of [
      ...['2031-05-06', '2031-05-06T07:08:09', '2031-02-30T00:00:00Z', 'tomorrow', '', 1_900_000_000, {}],
      ...[null, undefined, inDays(0), inDays(-1), '1970-01-01T00:00:00Z'],
    ]) {
      const error = await refused('renew', { licenseId: id, validUntil }, 'VALIDATION_ERROR');
      expect(error?.details?.issues).toMatchObject([{ path: 'validUntil' }]);
    }
    const next = new Date(app.clock.epochMs() + 1).toISOString();
    expect((await call('renew', { licenseId: id, validUntil: next })).result.status).toBe(200);
  });

  it('a date that is not in the future is refused before the license is looked for (D3)', async () => {
    const past = { validUntil: inDays(-1) };
    for (const unknown of [{ licenseId: 'lic_nope' }, { licenseKey: 'APP-0000-0000-0000-0000' }])
      await refused('renew', { ...unknown, ...past }, 'VALIDATION_ERROR');
    await refused('renew', { licenseId: 'lic_nope', licenseKey: 'APP_0000_0000', ...past }, 'INVALID_KEY');
  });
});

describe.each([
  ['revoke', () => ({})],
  ['renew', () => ({ validUntil: inDays(9) })],
])('%s names the license', (name, rest) => {
  const ask = (body: object) => ({ ...rest(), ...body });

  it('by id, by key under both names, or by all of them when they agree (D7, D39)', async () => {
    const reference: ((license: MadeLicense) => object)[] = [
      ({ id }) => ({ licenseId: id }),
      ({ key }) => ({ licenseKey: key.toLowerCase() }),
      ({ key }) => ({ key: ` ${key} ` }),
      ({ id, key }) => ({ licenseId: id, licenseKey: key, key }),
    ];
    for (const refer of reference) {
      const license = await app.license({ validUntil: inDays(1) });
      const { result, changes } = await call(name, ask(refer(license)));
      expect([result.status, result.body.license?.id]).toEqual([200, license.id]);
      expect(changes.events).toHaveLength(1);
    }
  });

  it('and 400 when neither is sent or they belong to different licenses', async () => {
    const [one, two] = [await app.license(), await app.license()];
    const differ = 'VALIDATION_ERROR';
    expect((await refused(name, rest(), differ))?.message).toBe('licenseId or licenseKey is required');
    await refused(name, ask({ licenseId: one.id, licenseKey: two.key }), differ);
    await refused(name, ask({ licenseKey: one.key, key: two.key }), differ);
    for (const wrong of [{ licenseId: 5 }, { licenseId: '' }, { licenseKey: 'short' }, { key: [] }])
      await refused(name, ask(wrong), differ);
    await refused(name, ask({ licenseId: 'x'.repeat(31) }), differ);
  });

  it('and 404 or INVALID_KEY for one that the caller may not know of (D12, D13, D19c)', async () => {
    const foreign = await app.license({}, await app.otherTenant());
    const own = await app.license();
    const confined = (await app.apiKey('FULL_ADMIN', { productIds: [(await app.product()).id] })).secret;
    for (const body of [{ licenseId: foreign.id }, { licenseKey: foreign.key }, { licenseId: 'lic_nope' }])
      await refused(name, ask(body), 'NOT_FOUND', 404);
    await refused(name, ask({ licenseKey: 'APP-0000-0000-0000-0000' }), 'NOT_FOUND', 404);
    for (const body of [{}, { licenseId: 'lic_nope' }])
      await refused(name, ask({ ...body, licenseKey: 'APP_0000_0000' }), 'INVALID_KEY');
    for (const body of [{ licenseId: own.id }, { licenseKey: own.key }])
      await refused(name, ask(body), 'NOT_FOUND', 404, confined);
  });
});
