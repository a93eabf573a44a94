// The job that ends leases which ran out: LEASE_EXPIRED once per lease, in whatever process it runs (spec, Floating
// seat lease; D75; licensing 4.5, 5.4).

import { afterAll, beforeAll, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { seats as seatsCapability } from '#licensing/licenses/seats/capability.ts';
import * as seats from '#licensing/licenses/seats/index.ts';
import { type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { failingCtx } from '../support/failing-ctx.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ listener: true });
});
afterAll(() => app.close());

const inSeconds = (seconds: number) => new Date(app.clock.epochMs() + seconds * 1000).toISOString();
const job = seatsCapability.jobs?.[0];
const run = () => app.changesBy(async () => job?.run(app.ctx));
const floating = (maxActivations: number) =>
  app.license({ type: 'FLOATING', validUntil: null, maxActivations });
const checkout = ({ key }: MadeLicense, machineId: string, leaseDuration = 60) =>
  seats.checkout(app.ctx, { licenseKey: key, machineId, leaseDuration });
const toldOf = async (id: string) =>
  (await app.eventsOf(id)).filter(({ type }) => type === 'LEASE_EXPIRED').map(({ data }) => data.details);

/** Leases that were checked out long ago, straight into their table: to make them one by one would take longer. */
async function insertLeases(license: MadeLicense, count: number, leaseExpiresAt: string): Promise<void> {
  const at = app.ctx.now();
  const rows = Array.from({ length: count }, (_, index) => ({
    id: app.ctx.newId('act'),
    tenant_id: app.ctx.tenantId,
    license_id: license.id,
    kind: 'LEASE',
    machine_id: `machine-${index}`,
    activated_at: at,
    last_seen_at: at,
    lease_expires_at: leaseExpiresAt,
    created_at: at,
  }));
  await app.instance.database.transaction(async ({ knex }) => {
    for (let first = 0; first < count; first += 500)
      await knex('license_activations').insert(rows.slice(first, first + 500));
  });
}

it('is declared to run every minute, and not at once after a clock that jumped', () => {
  expect(job).toMatchObject({ name: 'lease-expiry', everySeconds: 60, waitsAfterClockStep: true });
});

it('checked out, lease expires: the job frees the seat and tells LEASE_EXPIRED, not a millisecond before', async () => {
  const license = await floating(2);
  const { activation } = await checkout(license, 'machine-a');
  await checkout(license, 'machine-b', 3600);
  app.clock.advance(59.999);
  expect(await run()).toEqual({ result: { expired: 0, licenses: 0 }, changes: nothing });
  app.clock.advance(0.001);
  expect(await run()).toEqual({
    result: { expired: 1, licenses: 1 },
    changes: { events: ['LEASE_EXPIRED'], rows: { license_activations: '~1' } },
  });
  expect(await toldOf(license.id)).toEqual([
    {
      activationId: activation.id,
      machineId: 'machine-a',
      leaseExpiresAt: activation.leaseExpiresAt,
      metadata: null,
    },
  ]);
  expect(app.heard.at(-1)).toMatchObject({
    type: 'LEASE_EXPIRED',
    data: { licenseId: license.id, status: 'ACTIVE', machineIds: ['machine-b'] },
  });
  const row = await app.instance.database.db.knex('license_activations').where({ id: activation.id }).first();
  expect(row).toMatchObject({ end_reason: 'LEASE_EXPIRED', ended_at: app.ctx.now() });
  expect(await run()).toEqual({ result: { expired: 0, licenses: 0 }, changes: nothing });
  // The machine has no lease any more, and the others do not notice.
  const again = await checkout(license, 'machine-a');
  expect([again.activation.id === activation.id, again.seatsUsed]).toEqual([false, 2]);
  await seats.checkin(app.ctx, { licenseKey: license.key, machineId: 'machine-a' });
});

it('run by three processes at once and beside a checkout, a lease is told once', async () => {
  const made = await Promise.all(Array.from({ length: 12 }, () => floating(3)));
  for (const license of made)
    for (const machineId of ['machine-a', 'machine-b']) await checkout(license, machineId);
  app.clock.advance(60);
  const first = made[0] as MadeLicense;
  const [runs] = await Promise.all([
    Promise.all([1, 2, 3].map(() => job?.run(app.ctx))),
    checkout(first, 'machine-c', 3600),
  ]);
  const ended = runs.reduce((sum, one) => sum + (one?.expired ?? 0), 0);
  expect([ended === 24 || ended === 22, (await run()).changes]).toEqual([true, nothing]);
  for (const { id } of made) expect(await toldOf(id)).toHaveLength(2);
});

it('nodes are left alone, and so are leases of a license that was revoked: they ended with it', async () => {
  const node = await app.license();
  await machines.activate(app.ctx, { licenseKey: node.key, machineId: 'machine-a' });
  const [revoked, swept] = [await floating(2), await floating(2)];
  await checkout(revoked, 'machine-a');
  await checkout(swept, 'machine-a', 60);
  await checkout(swept, 'machine-b', 600);
  await licenses.revoke(app.ctx, { licenseId: revoked.id }, null);
  app.clock.advance(60);
  // A lease that ran out before the revocation is told as what it is.
  await licenses.revoke(app.ctx, { licenseId: swept.id }, null);
  expect([await toldOf(revoked.id), await toldOf(swept.id)]).toEqual([
    [],
    [expect.objectContaining({ machineId: 'machine-a' })],
  ]);
  const [event] = (await app.eventsOf(swept.id)).filter(({ type }) => type === 'LICENSE_REVOKED');
  expect(event?.data.details).toEqual({ reason: null, deactivatedMachineIds: ['machine-b'] });
  app.clock.advance(600);
  expect((await run()).changes).toEqual(nothing);
});

it('leases of every tenant and of every status of their license are ended', async () => {
  const other = await app.otherTenant();
  const foreign = await app.license({ type: 'FLOATING', validUntil: null }, other);
  await seats.checkout(other, { licenseKey: foreign.key, machineId: 'machine-a', leaseDuration: 60 });
  const suspended = await floating(1);
  await checkout(suspended, 'machine-a');
  await licenses.suspend(app.ctx, suspended.id, { reason: 'ADMIN', note: null });
  app.clock.advance(60);
  expect((await run()).result).toEqual({ expired: 2, licenses: 2 });
  expect(await toldOf(foreign.id)).toHaveLength(1);
  const event = app.heard.filter(({ subject }) => subject === foreign.id).at(-1);
  expect(event).toMatchObject({ type: 'LEASE_EXPIRED', tenantId: other.tenantId });
  expect(app.heard.filter(({ subject }) => subject === suspended.id).at(-1)?.data.status).toBe('SUSPENDED');
});

it('thousands of leases: one run looks at 5,000, the next takes the rest; none is told twice', async () => {
  const full = await Promise.all(Array.from({ length: 5 }, () => floating(1000)));
  const last = await floating(2);
  for (const license of full) await insertLeases(license, 1000, inSeconds(30));
  await insertLeases(last, 2, inSeconds(60));
  app.clock.advance(60);
  const before = app.heard.length;
  expect(await job?.run(app.ctx)).toEqual({ expired: 5000, licenses: 5 });
  expect(await job?.run(app.ctx)).toEqual({ expired: 2, licenses: 1 });
  expect(await job?.run(app.ctx)).toEqual({ expired: 0, licenses: 0 });
  const told = app.heard.slice(before).map(({ data }) => data.details as { activationId: string });
  expect([told.length, new Set(told.map(({ activationId }) => activationId)).size]).toEqual([5002, 5002]);
});

it('a license whose leases cannot be ended keeps no other from it, and is tried again by the next run', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => floating(1)));
  for (const license of made) await checkout(license, 'machine-a');
  app.clock.advance(60);
  const broken = new Error('this license is broken');
  // As many as work at the same time.
  const failing = failingCtx(app.ctx, (number) => (number <= 4 ? broken : null));
  await expect(job?.run(failing)).rejects.toMatchObject({ counts: { expired: 4, licenses: 4, failed: 4 } });
  expect((await run()).result).toEqual({ expired: 4, licenses: 4 });
  for (const { id } of made) expect(await toldOf(id)).toHaveLength(1);
});

it('a run in which nothing succeeds ends as a failure, after few attempts', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => floating(1)));
  for (const license of made) await checkout(license, 'machine-a');
  app.clock.advance(60);
  const broken = new Error('no database');
  let attempts = 0;
  const failing = failingCtx(app.ctx, () => {
    attempts += 1;
    return broken;
  });
  await expect(job?.run(failing)).rejects.toBe(broken);
  expect(attempts).toBeLessThan(14);
  expect((await run()).result).toEqual({ expired: 20, licenses: 20 });
});

it('a lease that ran out is told as what it is when staff clear a license, and not as freed by them (D75)', async () => {
  const license = await floating(2);
  await checkout(license, 'machine-a', 60);
  await checkout(license, 'machine-b', 600);
  app.clock.advance(60);
  const { result, changes } = await app.changesBy(() => machines.clear(app.ctx, license.id));
  expect(result.map(({ machineId }) => machineId)).toEqual(['machine-b']);
  expect(changes.events).toEqual(['LEASE_EXPIRED', 'LICENSE_DEACTIVATED', 'SEAT_CHECKED_IN']);
  expect(await toldOf(license.id)).toMatchObject([{ machineId: 'machine-a' }]);
});
