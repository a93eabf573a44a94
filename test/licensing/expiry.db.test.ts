// The job that persists EXPIRED: once per date, in whatever process it runs (D34; licensing 5.4).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

const DAY = 86_400;
let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const expiry = licenses.licenses.jobs?.[0];
const run = () => app.changesBy(async () => expiry?.run(app.ctx));
const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
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
