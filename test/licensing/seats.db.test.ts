// POST /api/v1/license/checkout and /checkin: the spec's table "Floating seat lease" and what leases do in time
// (D59, D61, D62, D73 to D77; licensing 5.2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subscribes } from '#licensing/contract/events.ts';
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
