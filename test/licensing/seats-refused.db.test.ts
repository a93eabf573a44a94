// What checkout and checkin refuse: codes in their order, and the bounds of their fields (D7, D10, D12, D37, D51, D72,
// D76; licensing 6.6).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';

const DAY = 86_400;
let app: TestApp;
let apiKey: string;
beforeAll(async () => {
  app = await startApp();
  apiKey = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

const inSeconds = (seconds: number) => new Date(app.clock.epochMs() + seconds * 1000).toISOString();
const call = (name: string, body: object) =>
  app.changesBy(() => app.post(`/api/v1/license/${name}`, { machineId: 'machine-a', ...body }, apiKey));
const checkout = (body: object) => call('checkout', body);
const checkin = (body: object) => call('checkin', body);
const floating = (extra: Parameters<TestApp['license']>[0] = {}) =>
  app.license({ type: 'FLOATING', validUntil: null, maxActivations: 1, ...extra });
const checkedOut: Changes = { events: ['SEAT_CHECKED_OUT'], rows: { license_activations: '+1' } };
const checkedIn: Changes = { events: ['SEAT_CHECKED_IN'], rows: { license_activations: '~1' } };
const rowOf = (id: unknown) =>
  app.instance.database.db
    .knex('license_activations')
    .where({ id: String(id) })
    .first();

/** Sends what must be refused with a code, and leaves nothing behind but `left`. */
async function refused(name: string, body: object, code: string, status = 400, left = nothing) {
  const { result, changes } = await call(name, body);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(left);
  return result.body;
}

describe('refusals, in their order (D72, D76)', () => {
  it.each(['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA'] as const)(
    'NOT_FLOATING for %s, in every status and also for a trial that was used elsewhere',
    async (type) => {
      const policy = await app.policy({ trialReuse: 'BLOCK' });
      const product = await app.product({ policyId: policy.id });
      const [own, other] = [
        await app.license({ productId: product.id, type, validUntil: inSeconds(DAY) }),
        await app.license({ productId: product.id, type, validUntil: inSeconds(DAY) }),
      ];
      await call('activate', { licenseKey: other.key });
      const details = { type, use: 'activate' };
      for (const name of ['checkout', 'checkin'])
        expect((await refused(name, { key: own.key }, 'NOT_FLOATING')).error?.details).toEqual(details);
      await licenses.revoke(app.ctx, { licenseId: own.id }, null);
      for (const name of ['checkout', 'checkin']) await refused(name, { key: own.key }, 'NOT_FLOATING');
    },
  );

  it('LICENSE_REVOKED, LICENSE_SUSPENDED, LICENSE_EXPIRED, also for a machine that holds its seat (D37)', async () => {
    const [revoked, suspended, expired] = await Promise.all(
      [1, 2, 3].map(() => floating({ validUntil: inSeconds(DAY) })),
    );
    for (const license of [revoked, suspended, expired])
      await checkout({ key: license?.key, leaseDuration: DAY });
    await licenses.revoke(app.ctx, { licenseId: String(revoked?.id) }, null);
    await licenses.suspend(app.ctx, String(suspended?.id), { reason: 'ADMIN', note: null });
    const since = app.ctx.now();
    const status = async (key: string | undefined, code: string, left = nothing) =>
      (await refused('checkout', { key }, code, 400, left)).error?.details;
    const dead = { since, expiredAt: null, grace: false };
    expect(await status(revoked?.key, 'LICENSE_REVOKED')).toEqual({ status: 'REVOKED', ...dead });
    expect(await status(suspended?.key, 'LICENSE_SUSPENDED')).toEqual({ status: 'SUSPENDED', ...dead });
    // A seat of a suspended license is kept and can be given back (D37, D40); a revoked one holds none.
    expect((await checkin({ key: suspended?.key })).changes).toEqual(checkedIn);
    await refused('checkin', { key: revoked?.key }, 'NOT_CHECKED_OUT');
    app.clock.advance(DAY);
    expect(
      await status(expired?.key, 'LICENSE_EXPIRED', {
        events: ['LEASE_EXPIRED', 'LICENSE_EXPIRED'],
        rows: { licenses: '~1', license_activations: '~1' },
      }),
    ).toEqual({ expiredAt: app.ctx.now(), graceExpiresAt: null });
  });

  it('checkin of an expired license frees the seat of its grace (D37)', async () => {
    const { key } = await floating({ validUntil: inSeconds(60), gracePeriodSeconds: 600 });
    await checkout({ key });
    app.clock.advance(60);
    const { result, changes } = await checkin({ key });
    // The first to lock it after its date persists that (D34).
    const events = ['LICENSE_EXPIRED', ...checkedIn.events];
    const rows = { ...checkedIn.rows, licenses: '~1' };
    expect([result.status, changes]).toEqual([200, { events, rows }]);
  });

  it('NOT_CHECKED_OUT tells when the last lease of the machine ran out, and of no other machine', async () => {
    const { key } = await floating({ maxActivations: 2 });
    const at = async (machineId: string) =>
      (await refused('checkin', { key, machineId }, 'NOT_CHECKED_OUT')).error?.details?.lastLeaseExpiredAt;
    expect(await at('machine-a')).toBeNull();
    const lease = (await checkout({ key, leaseDuration: 60 })).result.body.activation;
    app.clock.advance(120);
    await checkout({ key, machineId: 'machine-b' });
    expect(await at('machine-a')).toBe(lease?.leaseExpiresAt);
    await checkin({ key, machineId: 'machine-b' });
    expect(await at('machine-b')).toBeNull();
    expect(await at('MACHINE-A')).toBeNull();
  });

  it('NOT_FOUND for a key that nobody has, of another tenant, of a product outside the API key', async () => {
    const other = await app.otherTenant();
    const foreign = await app.license({ type: 'FLOATING' }, other);
    const confined = (await app.apiKey('VALIDATE_ONLY', { productIds: [(await app.product()).id] })).secret;
    const own = await floating();
    for (const name of ['checkout', 'checkin']) {
      await refused(name, { key: 'APP-0000-0000-0000-0000' }, 'NOT_FOUND', 404);
      await refused(name, { key: foreign.key }, 'NOT_FOUND', 404);
      const { result, changes } = await app.changesBy(() =>
        app.post(`/api/v1/license/${name}`, { key: own.key, machineId: 'machine-a' }, confined),
      );
      expect([result.status, result.body.error]).toEqual([
        404,
        { code: 'NOT_FOUND', message: 'License not found' },
      ]);
      expect(changes).toEqual(nothing);
    }
  });

  it('INVALID_KEY for a character that no key has (D12)', async () => {
    for (const name of ['checkout', 'checkin']) await refused(name, { key: 'APP 7F3K 9QRS' }, 'INVALID_KEY');
  });
});

describe('fields', () => {
  const long = (length: number) => 'x'.repeat(length);
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));

  it('leaseDuration: a whole number from 60 to 2,592,000', async () => {
    const { key } = await floating({ maxActivations: 9 });
    for (const leaseDuration of [60, 2_592_000]) {
      const { result } = await checkout({ key, machineId: `machine-${leaseDuration}`, leaseDuration });
      expect(result.body.activation?.leaseExpiresAt).toBe(inSeconds(leaseDuration));
    }
    for (const leaseDuration of [59, 2_592_001, 60.5, '60', true, [60], {}, -60, 0]) {
      const body = await refused('checkout', { key, leaseDuration }, 'VALIDATION_ERROR');
      expect(body.error?.details?.issues).toMatchObject([{ path: 'leaseDuration' }]);
    }
  });

  it('metadata: an object within the bounds of D51, stored with own properties only', async () => {
    const { key } = await floating({ maxActivations: 9 });
    let machine = 0;
    const stored = async (metadata: unknown) => {
      machine += 1;
      const { result } = await checkout({ key, machineId: `machine-m${machine}`, metadata });
      return (await rowOf(result.body.activation?.id)).metadata;
    };
    expect(await stored(undefined)).toBeNull();
    expect(await stored(null)).toBeNull();
    expect(await stored({})).toBe('{}');
    const odd = JSON.parse('{"__proto__": {"a": 1}, "constructor": null, "ключ 🔑": [1.5, true, "\\u00e9"]}');
    expect(JSON.parse(await stored(odd))).toEqual(odd);
    for (const largest of [keys(20), { [long(100)]: 1 }, { a: long(1000) }, { a: '\u{1F600}'.repeat(1000) }])
      expect(JSON.parse(await stored(largest))).toEqual(largest);
    for (const metadata of [
      ...[keys(21), { [long(101)]: 1 }, { '': 1 }, { a: long(1001) }, { a: [long(997)] }],
      ...['{}', [], 5, true, { a: 'b\0' }],
    ])
      await refused('checkout', { key, metadata }, 'VALIDATION_ERROR');
  });

  it('machineId, machineName and key keep their bounds, in code points (D10)', async () => {
    const { key } = await floating({ maxActivations: 9 });
    for (const fit of [
      ...[{ machineId: long(8) }, { machineId: '\u{1F600}'.repeat(255) }],
      ...[
        { machineId: 'machine-n', machineName: long(255) },
        { machineId: 'machine-o', machineName: '' },
      ],
    ])
      expect((await checkout({ key, ...fit })).changes).toEqual(checkedOut);
    for (const unfit of [
      ...[{ machineId: long(7) }, { machineId: long(256) }, { machineId: 12345678 }, { machineId: null }],
      ...[
        { machineName: long(256) },
        { machineName: 5 },
        { key: long(9) },
        { key: long(101) },
        { key: null },
      ],
      { machineId: 'machine\0a' },
    ])
      await refused('checkout', { key, ...unfit }, 'VALIDATION_ERROR');
    for (const unfit of [{ machineId: long(7) }, { machineId: null }, { key: 5 }])
      await refused('checkin', { key, ...unfit }, 'VALIDATION_ERROR');
  });

  it('the key may be named licenseKey, both names must agree, and a nonce comes back (D7, 6.13)', async () => {
    const { key } = await floating();
    const nonce = 'abcdefghijklmnop';
    expect((await checkout({ licenseKey: key.toLowerCase(), nonce })).result.body.nonce).toBe(nonce);
    await refused('checkout', { key, licenseKey: 'APP-0000-0000-0000-0000' }, 'VALIDATION_ERROR');
    await refused('checkout', { key, nonce: 'short' }, 'VALIDATION_ERROR');
    expect((await checkin({ key, nonce })).result.body.nonce).toBe(nonce);
  });
});
