// POST /api/v1/license/checkout and /checkin: the spec's table "Floating seat lease" and what leases do in time
// (D59, D61, D62, D73 to D77; licensing 5.2); refusals in their order and the bounds of the fields (D7, D10, D12, D37,
// D51, D72; licensing 6.6).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subscribes } from '#licensing/contract/events.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';

const DAY = 86_400;
let app: TestApp;
let apiKey: string;
beforeAll(async () => {
  app = await startApp({ listener: true });
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
const extended: Changes = { events: [], rows: { license_activations: '~1' } };
const checkedIn: Changes = { events: ['SEAT_CHECKED_IN'], rows: { license_activations: '~1' } };
const lastEvent = async (id: string, type: string) =>
  (await app.eventsOf(id)).filter((event) => event.type === type).at(-1)?.data;
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

describe('the table "Floating seat lease"', () => {
  it('none, checkout, a seat is free: checked out, lease set, SEAT_CHECKED_OUT', async () => {
    const { id, key } = await floating({ maxActivations: 3 });
    const { result, changes } = await checkout({ key, machineName: 'Ann’s desk' });
    expect(result.status).toBe(200);
    expect(result.body).toEqual({
      success: true,
      message: 'Seat checked out',
      activation: {
        id: expect.stringMatching(/^act_[0-9A-Z]{26}$/),
        machineId: 'machine-a',
        leaseExpiresAt: inSeconds(3600),
      },
      seatsUsed: 1,
      seatsTotal: 3,
      seatsAvailable: 2,
    });
    expect(changes).toEqual(checkedOut);
    const told = await lastEvent(id, 'SEAT_CHECKED_OUT');
    expect(told).toMatchObject({
      licenseId: id,
      status: 'ACTIVE',
      details: {
        activationId: result.body.activation?.id,
        machineId: 'machine-a',
        machineName: 'Ann’s desk',
        leaseExpiresAt: inSeconds(3600),
        seatsUsed: 1,
        seatsTotal: 3,
      },
    });
    expect(JSON.stringify(told)).not.toContain(key);
    expect(app.heard.at(-1)?.data).toMatchObject({ machineIds: ['machine-a'] });
  });

  it('checked out, checkout of the same machineId: lease extended, same id, no event', async () => {
    const { key } = await floating();
    const first = (await checkout({ key, machineName: 'first', metadata: { a: 1 } })).result.body;
    app.clock.advance(60);
    const { result, changes } = await checkout({ key, machineName: 'second', metadata: { b: 2 } });
    expect(result.body).toEqual({
      ...first,
      activation: { ...first.activation, leaseExpiresAt: inSeconds(3600) },
    });
    expect(changes).toEqual(extended);
    // What the checkout said stays: an extension moves the lease and the time of the last sign of life.
    const { metadata, ...row } = await rowOf(first.activation?.id);
    expect(JSON.parse(metadata)).toEqual({ a: 1 });
    expect(row).toMatchObject({
      machine_name: 'first',
      last_seen_at: app.ctx.now(),
      activated_at: inSeconds(-60),
    });
  });

  it('checked out, checkin: none, seat freed, SEAT_CHECKED_IN', async () => {
    const { id, key } = await floating({ maxActivations: 2 });
    const { activation } = (await checkout({ key, machineName: 'desk' })).result.body;
    await checkout({ key, machineId: 'machine-b' });
    const { result, changes } = await checkin({ key });
    expect([result.status, result.body]).toEqual([
      200,
      { success: true, message: 'Seat checked in', seatsUsed: 1, seatsTotal: 2, seatsAvailable: 1 },
    ]);
    expect(changes).toEqual(checkedIn);
    expect((await lastEvent(id, 'SEAT_CHECKED_IN'))?.details).toEqual({
      activationId: activation?.id,
      machineId: 'machine-a',
      machineName: 'desk',
      leaseExpiresAt: activation?.leaseExpiresAt,
      metadata: null,
      seatsUsed: 1,
      seatsTotal: 2,
    });
    expect(app.heard.at(-1)?.data).toMatchObject({ machineIds: ['machine-b'] });
    expect(await rowOf(activation?.id)).toMatchObject({ end_reason: 'CHECKIN', ended_at: app.ctx.now() });
    // The machine takes a new seat, with a new id.
    const again = await checkout({ key });
    expect(again.changes).toEqual(checkedOut);
    expect(again.result.body.activation?.id).not.toBe(activation?.id);
  });

  it('checked out, lease expires: the next checkout ends it and tells LEASE_EXPIRED once', async () => {
    const { id, key } = await floating();
    const { activation } = (await checkout({ key })).result.body;
    app.clock.advance(3600);
    const { result, changes } = await checkout({ key, machineId: 'machine-b' });
    expect([result.status, changes]).toEqual([
      200,
      { events: ['LEASE_EXPIRED', 'SEAT_CHECKED_OUT'], rows: { license_activations: '+1 ~1' } },
    ]);
    expect((await lastEvent(id, 'LEASE_EXPIRED'))?.details).toEqual({
      activationId: activation?.id,
      machineId: 'machine-a',
      leaseExpiresAt: activation?.leaseExpiresAt,
      metadata: null,
    });
    expect((await checkout({ key, machineId: 'machine-b' })).changes).toEqual({ events: [], rows: {} });
  });

  it('none, checkout, all seats used: SEAT_LIMIT_REACHED, with the seats at the top level', async () => {
    const { id, key } = await floating({ maxActivations: 2 });
    await checkout({ key, machineId: 'machine-b', leaseDuration: 600 });
    await checkout({ key, machineId: 'machine-c', leaseDuration: 60 });
    const told = app.heard.length;
    const body = await refused('checkout', { key, machineName: 'late' }, 'SEAT_LIMIT_REACHED', 400, {
      events: ['SEAT_DENIED'],
      rows: {},
    });
    expect(body).toEqual({
      success: false,
      error: {
        code: 'SEAT_LIMIT_REACHED',
        message: 'All floating seats are in use',
        details: { seatsUsed: 2, seatsTotal: 2, nextLeaseExpiresAt: inSeconds(60) },
      },
      seatsUsed: 2,
      seatsTotal: 2,
      seatsAvailable: 0,
      requestId: expect.stringMatching(/^req_/),
    });
    expect(await lastEvent(id, 'SEAT_DENIED')).toEqual({
      details: { machineId: 'machine-a', machineName: 'late', seatsUsed: 2, seatsTotal: 2 },
    });
    // It is a line of the timeline only: no subscription, not even one that names it, lets a webhook have it (D77).
    const names = app.heard.slice(told).map(({ type }) => type);
    expect(names.filter((name) => subscribes(['*', 'SEAT_DENIED', 'LICENSE_SHORTENED'], name))).toEqual([]);
    // A machine that holds its seat still extends it.
    expect((await checkout({ key, machineId: 'machine-c' })).changes).toEqual(extended);
  });
});

describe('lease', () => {
  const endOf = async (body: object) => (await checkout(body)).result.body.activation?.leaseExpiresAt;

  it('request, else policy, else setting (D73)', async () => {
    const policy = await app.policy({ defaultLeaseDuration: 2 * DAY });
    const { key } = await floating({ maxActivations: 9, policyId: policy.id });
    expect(await endOf({ key })).toBe(inSeconds(2 * DAY));
    expect(await endOf({ key, machineId: 'machine-b', leaseDuration: 90 })).toBe(inSeconds(90));
    expect(await endOf({ key, machineId: 'machine-c', leaseDuration: null })).toBe(inSeconds(2 * DAY));
    const plain = await floating();
    expect(await endOf({ key: plain.key })).toBe(inSeconds(3600));
  });

  it('an extension never ends earlier than before (D74)', async () => {
    const { key } = await floating();
    const first = await endOf({ key, leaseDuration: 600 });
    expect(await endOf({ key, leaseDuration: 60 })).toBe(first);
    app.clock.advance(541);
    expect(await endOf({ key, leaseDuration: 60 })).toBe(inSeconds(60));
  });

  it('never outlasts the license, nor its grace (D74)', async () => {
    const end = inSeconds(600);
    const bare = await floating({ validUntil: end });
    expect(await endOf({ key: bare.key })).toBe(end);
    expect(await endOf({ key: bare.key, leaseDuration: 2_592_000 })).toBe(end);
    const graced = await floating({ validUntil: end, gracePeriodSeconds: 60 });
    expect(await endOf({ key: graced.key })).toBe(inSeconds(660));
    app.clock.advance(600);
    // In grace a new lease and an extension are given, up to its end (D36); a license without grace has expired.
    expect(await endOf({ key: graced.key })).toBe(inSeconds(60));
    await refused('checkout', { key: bare.key }, 'LICENSE_EXPIRED', 400, {
      events: ['LEASE_EXPIRED', 'LICENSE_EXPIRED'],
      rows: { licenses: '~1', license_activations: '~1' },
    });
    await checkin({ key: graced.key });
    expect(await endOf({ key: graced.key, machineId: 'machine-b' })).toBe(inSeconds(60));
    app.clock.advance(60);
    const late = await refused('checkout', { key: graced.key }, 'LICENSE_EXPIRED', 400, {
      events: ['LEASE_EXPIRED'],
      rows: { license_activations: '~1' },
    });
    expect(late.error?.details).toEqual({ expiredAt: end, graceExpiresAt: inSeconds(0) });
  });

  it('that ran out and was not swept neither counts nor can be used (D75)', async () => {
    const { key } = await floating({ maxActivations: 2 });
    await checkout({ key, machineId: 'machine-b', leaseDuration: 7200 });
    const first = (await checkout({ key, leaseDuration: 60 })).result.body.activation;
    app.clock.advance(59.999);
    expect((await call('validate', { key })).result.body).toMatchObject({
      valid: true,
      floating: { seatsUsed: 2 },
    });
    app.clock.advance(0.001);
    expect((await call('validate', { key })).result.body).toMatchObject({
      valid: false,
      code: 'NOT_ACTIVATED',
      activation: null,
      floating: { seatsUsed: 1, seatsAvailable: 1, leaseExpiresAt: null },
    });
    const body = await refused('checkin', { key }, 'NOT_CHECKED_OUT');
    expect(body.error?.details).toEqual({ lastLeaseExpiredAt: first?.leaseExpiresAt });
    await refused('heartbeat', { key }, 'NOT_ACTIVATED');
    await refused('deactivate', { key }, 'DEACTIVATION_FAILED');
    // Not extended: the old one ends, and the machine gets another.
    const next = await checkout({ key });
    expect(next.changes.events).toEqual(['LEASE_EXPIRED', 'SEAT_CHECKED_OUT']);
    expect(next.result.body.activation?.id).not.toBe(first?.id);
    expect(next.result.body.seatsUsed).toBe(2);
  });

  it('activate takes one too, which checkout extends and both endings free (D59, D62)', async () => {
    const { key } = await floating({ maxActivations: 2 });
    const { activation } = (await call('activate', { licenseKey: key })).result.body;
    app.clock.advance(10);
    const { result, changes } = await checkout({ key });
    expect(changes).toEqual(extended);
    expect(result.body.activation).toEqual({
      id: activation?.id,
      machineId: 'machine-a',
      leaseExpiresAt: inSeconds(3600),
    });
    expect((await checkin({ key })).changes).toEqual(checkedIn);
    await checkout({ key });
    expect((await call('deactivate', { licenseKey: key })).changes).toEqual({
      events: ['LICENSE_DEACTIVATED', 'SEAT_CHECKED_IN'],
      rows: { license_activations: '~1' },
    });
  });
});

describe('maxActivations lowered below the use (D61)', () => {
  it('leases stay and are extended, new ones are refused until enough are given back', async () => {
    const { id, key } = await floating({ maxActivations: 3 });
    for (const machineId of ['machine-a', 'machine-b', 'machine-c']) await checkout({ key, machineId });
    await app.instance.database.transaction(({ knex }) =>
      knex('licenses').where({ id }).update({ max_activations: 1 }),
    );
    const extension = await checkout({ key });
    expect(extension.result.body).toMatchObject({ seatsUsed: 3, seatsTotal: 1, seatsAvailable: 0 });
    const denied = { events: ['SEAT_DENIED'], rows: {} };
    const body = await refused(
      'checkout',
      { key, machineId: 'machine-d' },
      'SEAT_LIMIT_REACHED',
      400,
      denied,
    );
    expect(body).toMatchObject({ seatsUsed: 3, seatsTotal: 1, seatsAvailable: 0 });
    expect((await checkin({ key })).result.body).toMatchObject({ seatsUsed: 2, seatsAvailable: 0 });
    await checkin({ key, machineId: 'machine-b' });
    await refused('checkout', { key }, 'SEAT_LIMIT_REACHED', 400, denied);
    expect((await checkin({ key, machineId: 'machine-c' })).result.body.seatsAvailable).toBe(1);
    expect((await checkout({ key })).changes).toEqual(checkedOut);
  });
});

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
