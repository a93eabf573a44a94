// The job that persists EXPIRED: once per date, in whatever process it runs (D34; licensing 5.4).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as customers from '#licensing/catalog/customers/index.ts';
import { licenses as licensesCapability } from '#licensing/licenses/licenses/capability.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as seats from '#licensing/licenses/seats/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { newestEvents } from '../support/timeline.ts';

const DAY = 86_400;
let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const expiry = licensesCapability.jobs?.[0];
const run = () => app.changesBy(async () => expiry?.run(app.ctx));
const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
/** In the order in which they were written. */
const timelineOf = (id: string) => newestEvents(app.ctx, id, 1000);
/** A refusal whose transaction was committed. */
const refused = (call: Promise<unknown>) => expect(call).rejects.toThrow();
const statusOf = async (id: string) =>
  (await app.instance.database.db.knex('licenses').where({ id }).first('status')).status;

it('writes the status and one event at the date, and neither a second before nor twice', async () => {
  const validUntil = inDays(1);
  const { id } = await app.license({ validUntil, gracePeriodSeconds: 60 });
  app.clock.advance(DAY - 0.001);
  expect(await run()).toEqual({ result: { expired: 0, announced: 0 }, changes: { events: [], rows: {} } });
  app.clock.advance(0.001);
  expect(await run()).toEqual({
    result: { expired: 1, announced: 1 },
    changes: { events: ['LICENSE_EXPIRED'], rows: { licenses: '~1' } },
  });
  expect(await statusOf(id)).toBe('EXPIRED');
  expect((await app.eventsOf(id)).at(-1)?.data).toMatchObject({
    status: 'EXPIRED',
    details: { validUntil, graceExpiresAt: new Date(Date.parse(validUntil) + 60_000).toISOString() },
  });
  expect((await run()).changes).toEqual({ events: [], rows: {} });
});

it('run by three processes at once, many licenses are told once each', async () => {
  const made = await Promise.all(Array.from({ length: 12 }, () => app.license({ validUntil: inDays(1) })));
  app.clock.advance(DAY);
  const { result, changes } = await app.changesBy(() =>
    Promise.all([1, 2, 3].map(() => expiry?.run(app.ctx))),
  );
  expect(result.reduce((sum, one) => sum + (one?.announced ?? 0), 0)).toBe(made.length);
  expect(changes.events).toEqual(made.map(() => 'LICENSE_EXPIRED'));
});

it('a new date after a renewal is told again; suspended, revoked and trashed licenses are left alone', async () => {
  const [renewed, suspended, revoked, trashed] = await Promise.all(
    Array.from({ length: 4 }, () => app.license({ validUntil: inDays(1) })),
  );
  await licenses.suspend(app.ctx, String(suspended?.id), { reason: 'ADMIN', note: null });
  await licenses.revoke(app.ctx, { licenseId: String(revoked?.id) }, null);
  await app.instance.database.transaction(({ knex }) =>
    knex('licenses').where({ id: trashed?.id }).update({ deleted_at: app.ctx.now() }),
  );
  app.clock.advance(DAY);
  expect((await run()).result).toEqual({ expired: 1, announced: 1 });
  await licenses.renew(app.ctx, { licenseId: String(renewed?.id) }, inDays(1));
  app.clock.advance(DAY);
  expect((await run()).result).toEqual({ expired: 1, announced: 1 });
  const told = (await app.eventsOf(String(renewed?.id))).filter(({ type }) => type === 'LICENSE_EXPIRED');
  expect(told).toHaveLength(2);
});

describe('a use case that comes between the date and the job persists the date first', () => {
  const note = { reason: 'ADMIN', note: null } as const;
  const machineId = 'machine-one';
  type UseCase = [name: string, told: string[], run: (id: string, key: string) => Promise<unknown>];
  const useCases: UseCase[] = [
    ['renew', ['LICENSE_RENEWED'], (id) => licenses.renew(app.ctx, { licenseId: id }, inDays(900))],
    ['extend', ['LICENSE_RENEWED'], (id) => licenses.extend(app.ctx, id, 900)],
    [
      'update of the end',
      ['LICENSE_UPDATED', 'LICENSE_RENEWED'],
      (id) => licenses.update(app.ctx, id, { validUntil: inDays(900) }),
    ],
    ['update', ['LICENSE_UPDATED'], (id) => licenses.update(app.ctx, id, { notes: 'seen' })],
    ['revoke', ['LICENSE_REVOKED'], (id) => licenses.revoke(app.ctx, { licenseId: id }, null)],
    ['suspend', ['LICENSE_SUSPENDED'], (id) => licenses.suspend(app.ctx, id, note)],
    ['reinstate', [], (id) => licenses.reinstate(app.ctx, id)],
    ['trash', ['LICENSE_DELETED'], (id) => licenses.trash(app.ctx, id, null)],
    ['replaceKey', ['KEY_REPLACED'], (id) => licenses.replaceKey(app.ctx, id, { reason: 'lost' })],
    [
      'transfer',
      ['LICENSE_TRANSFERRED'],
      (id) => licenses.transfer(app.ctx, id, { customerEmail: 'bob@x.test' }),
    ],
    [
      'changePolicy',
      ['LICENSE_UPDATED'],
      async (id) => licenses.changePolicy(app.ctx, id, { policyId: (await app.policy()).id, expiry: 'KEEP' }),
    ],
    [
      'attach of a policy',
      ['POLICY_ATTACHED'],
      async (id) => licenses.attachPolicy(app.ctx, (await app.policy()).id, { licenseIds: [id] }),
    ],
    [
      'merge of customers',
      [],
      async (id) => {
        const { customer } = await licenses.get(app.ctx, id);
        const into = await customers.create(app.ctx, { email: `into-${id}@x.test` });
        await licenses.mergeCustomers(app.ctx, customer.id, into.id);
      },
    ],
    ['clear of machines', [], (id) => machines.clear(app.ctx, id)],
    ['set of the counter', ['USAGE_SET'], (id) => usage.set(app.ctx, id, 5)],
    ['reset of a counter at 0', [], (id) => usage.reset(app.ctx, id)],
    [
      'activate in grace',
      [],
      (_, licenseKey) => refused(machines.activate(app.ctx, { licenseKey, machineId })),
    ],
    ['checkout', [], (_, licenseKey) => refused(seats.checkout(app.ctx, { licenseKey, machineId }))],
  ];

  it.each(useCases)('%s', async (_, told, work) => {
    const validUntil = inDays(1);
    const { id, key } = await app.license({
      validUntil,
      gracePeriodSeconds: 60,
      customerEmail: `of-${app.ctx.newId('cus')}@x.test`,
    });
    app.clock.advance(DAY);
    const before = (await timelineOf(id)).length;
    await work(id, key);
    const events = (await timelineOf(id)).slice(before);
    expect(events.map(({ type }) => type)).toEqual(['LICENSE_EXPIRED', ...told]);
    expect(events[0]?.data).toMatchObject({
      status: 'EXPIRED',
      details: { validUntil, graceExpiresAt: new Date(Date.parse(validUntil) + 60_000).toISOString() },
    });
    expect((await run()).changes).toEqual({ events: [], rows: {} });
  });

  it('an edit with the date that was read before is not refused for what the lock wrote', async () => {
    const { id } = await app.license({ validUntil: inDays(1) });
    app.clock.advance(DAY);
    const { updatedAt } = await licenses.get(app.ctx, id);
    const edited = await licenses.update(app.ctx, id, { notes: 'a' }, { ifMatch: updatedAt });
    expect(edited.license).toMatchObject({ storedStatus: 'EXPIRED', notes: 'a' });
    const again = licenses.update(app.ctx, id, { notes: 'b' }, { ifMatch: updatedAt });
    await expect(again).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  });

  it('validate and a license whose date has not passed write nothing of it', async () => {
    const key = await app.apiKey('VALIDATE_ONLY');
    const { id, key: licenseKey } = await app.license({ validUntil: inDays(1) });
    app.clock.advance(DAY - 0.001);
    await licenses.suspend(app.ctx, id, note);
    await licenses.reinstate(app.ctx, id);
    app.clock.advance(0.001);
    const { result, changes } = await app.changesBy(() =>
      app.post('/api/v1/license/validate', { licenseKey, machineId }, key.secret),
    );
    expect(result.body).toMatchObject({ valid: false, status: 'EXPIRED' });
    expect([changes.events, changes.rows.licenses]).toEqual([[], undefined]);
    expect(await statusOf(id)).toBe('ACTIVE');
  });
});
