// The live tail: what is committed is shown at once, to whoever may see it and for as long as that is so.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { listen, tailTimes } from '#licensing/insight/events/feed.ts';
import { streamEvents } from '#licensing/insight/events/stream.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { create, createOwner, disable, setRoles } from '#platform/accounts/index.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { openInstance } from '../../src/app/instance.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { type EventStream, openEventStream } from '../support/event-stream.ts';
import { openPanel } from '../support/panel.ts';
import { seedRows } from '../support/resource-sample.ts';

const right = { email: 'ops@x.test', password: 'correct horse' };

let app: TestApp;
let viewer: MadeKey;
let ownerId: string;
const opened: EventStream[] = [];
beforeAll(async () => {
  app = await startApp();
  hasten(app.ctx);
  ownerId = (await createOwner(app.ctx, { ...right, name: 'Ops' })).id;
});
beforeEach(async () => {
  viewer = await app.adminToken('viewer');
});
afterAll(async () => {
  for (const stream of opened) stream.close();
  await app.close();
});

/** As short as a test may wait. */
const hasten = (ctx: Ctx) => Object.assign(ctx.memory.of(tailTimes), { pollMs: 10, checkMs: 20 });

const bearer = ({ secret }: MadeKey, more: Record<string, string> = {}) => ({
  Authorization: `Bearer ${secret}`,
  ...more,
});

async function open(query = '', headers: Record<string, string> = bearer(viewer), of = app) {
  const stream = await openEventStream(`${of.url}/api/v1/admin/events/stream${query}`, headers);
  opened.push(stream);
  return stream;
}

const revoke = (id: string, ctx: Ctx = app.ctx) => licenses.revoke(ctx, { licenseId: id }, null);

it('shows what is committed here and by another process, as the list does', async () => {
  const stream = await open();
  expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect(stream.headers).toMatchObject({
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(stream.headers['content-encoding']).toBeUndefined();
  const { id } = await app.license();
  const told: string[] = [];
  while (!told.includes('LICENSE_CREATED')) {
    const one = await stream.next();
    told.push(one?.event.type ?? 'none');
    if (one?.event.type === 'LICENSE_CREATED') {
      const { body } = await app.admin(`/events?licenseId=${id}`, viewer);
      expect(body.items).toEqual([one.event]);
    }
  }
  const { config, ctx } = app.instance;
  const other = await openInstance({ config, log: ctx.log, clock: app.clock, mode: 'prepare' });
  await revoke(id, other.ctx);
  expect((await stream.next())?.event).toMatchObject({ type: 'LICENSE_REVOKED', subject: id });
  await other.close();
});

it('narrows by the filters of the list, and refuses what the list refuses', async () => {
  const [one, two] = [await app.license(), await app.license()];
  const stream = await open(`?type=LICENSE_REVOKED&licenseId=${two.id}`);
  await revoke(one.id);
  await revoke(two.id);
  expect((await stream.next())?.event).toMatchObject({ type: 'LICENSE_REVOKED', subject: two.id });
  for (const query of ['?colour=red', '?from=yesterday', '?type=a&type=b'])
    expect((await open(query)).status).toBe(400);
  expect((await open('', bearer(viewer, { 'Last-Event-ID': 'x' }))).status).toBe(400);
});

it('shows nobody what the list would not: other products, other tenants', async () => {
  const [mine, theirs] = [await app.product(), await app.product()];
  const [own, foreign] = [
    await app.license({ productId: mine.id }),
    await app.license({ productId: theirs.id }),
  ];
  const scoped = await open('', bearer(await app.adminToken('viewer', { productIds: [mine.id] })));
  const other = await app.otherTenant();
  const elsewhere = await open('', bearer(await app.adminToken('viewer', {}, other)));
  const { id } = await app.license({}, other);
  await revoke(foreign.id);
  await revoke(own.id);
  expect((await scoped.next())?.event.subject).toBe(own.id);
  const seen = [];
  while (seen.at(-1) !== id) seen.push((await elsewhere.next())?.event.subject);
  expect(seen).not.toContain(own.id);
});

describe('after a break', () => {
  it('goes on with what was missed, each once, and what was committed late', async () => {
    const { id } = await app.license();
    const first = await open(`?licenseId=${id}`);
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    const seen = await first.next();
    first.close();
    app.clock.advance(2);
    await licenses.reinstate(app.ctx, id);
    // Its transaction began before what was shown, and ended after.
    const late = app.ctx.newId('evt');
    await seedRows(app.ctx, 'events', 1, () => ({
      id: late,
      type: 'LATE',
      service: 'license',
      tenant_id: app.ctx.tenantId,
      subject: id,
      at: new Date(Date.parse(seen?.event.at ?? '') - 1).toISOString(),
      actor_kind: 'job',
      data: '{}',
    }));
    const again = await open(`?licenseId=${id}`, bearer(viewer, { 'Last-Event-ID': seen?.place ?? '' }));
    const missed = [await again.next(), await again.next()].map((one) => one?.event.type);
    expect(missed).toEqual(['LATE', 'LICENSE_REINSTATED']);
    await revoke(id);
    const next = await again.next();
    expect(next?.event.type).toBe('LICENSE_REVOKED');
    again.close();
    const third = await open(`?licenseId=${id}`, bearer(viewer, { 'Last-Event-ID': next?.place ?? '' }));
    app.clock.advance(1);
    await licenses.trash(app.ctx, id, null);
    expect((await third.next())?.event.type).toBe('LICENSE_DELETED');
  });

  it('begins at a time that is named, page after page, and ends with one that has passed', async () => {
    const { id } = await app.license();
    await seedRows(app.ctx, 'events', 250, (i) => ({
      id: app.ctx.newId('evt'),
      type: `OLD_${i}`,
      service: 'license',
      tenant_id: app.ctx.tenantId,
      subject: id,
      at: `2020-01-01T00:00:0${Math.floor(i / 100)}.000Z`,
      actor_kind: 'job',
      data: '{}',
    }));
    const stream = await open(`?licenseId=${id}&from=2019-01-01T00:00:00Z&to=2021-01-01T00:00:00Z`);
    const types: string[] = [];
    for (let one = await stream.next(); one; one = await stream.next()) types.push(one.event.type);
    expect(types).toEqual(Array.from({ length: 250 }, (_, i) => `OLD_${i}`));
    expect(await stream.end()).toBe(true);
  });
});

describe('ends', () => {
  const login = async () => {
    const panel = openPanel(app);
    expect((await panel.signIn(right)).status).toBe(200);
    return { panel, headers: { Cookie: `cart_session=${panel.session()}` } };
  };

  it('when its token is revoked', async () => {
    const stream = await open();
    await adminTokens.revoke(app.ctx, viewer.id);
    expect(await stream.end()).toBe(true);
    expect((await open()).status).toBe(401);
  });

  it('when its person signs out', async () => {
    const { panel, headers } = await login();
    const stream = await open('', headers);
    expect(stream.status).toBe(200);
    expect((await panel.post('/auth/logout')).status).toBeLessThan(300);
    expect(await stream.end()).toBe(true);
    expect((await open('', headers)).status).toBe(401);
  });

  it('when its person loses the permission, or is disabled', async () => {
    const second = await create(app.ctx, {
      email: 'two@x.test',
      password: right.password,
      roles: ['viewer'],
    });
    const panel = openPanel(app);
    await panel.signIn({ email: 'two@x.test', password: right.password });
    const headers = { Cookie: `cart_session=${panel.session()}` };
    const first = await open('', headers);
    const roles = (names: string[]) => setRoles(app.ctx, second.id, names);
    await roles([]);
    expect(await first.end()).toBe(true);
    expect((await open('', headers)).status).toBe(403);
    await roles(['viewer']);
    const again = await open('', headers);
    expect(again.status).toBe(200);
    await disable(app.ctx, second.id);
    expect(await again.end()).toBe(true);
  });

  it('without keeping an idle session alive', async () => {
    const { headers } = await login();
    const stream = await open('', headers);
    const seenAt = async () =>
      (await app.instance.database.db.knex('sessions').where({ admin_user_id: ownerId })).map(
        ({ last_seen_at }) => last_seen_at,
      );
    const before = await seenAt();
    app.clock.advance(119 * 60);
    const { id } = await app.license();
    while ((await stream.next())?.event.subject !== id);
    expect(await seenAt()).toEqual(before);
    app.clock.advance(2 * 60);
    expect(await stream.end()).toBe(true);
  });

  it('when the server stops, at once and in order', async () => {
    const own = await startApp();
    const token = await own.adminToken('viewer');
    const stream = await open('', bearer(token), own);
    const ended = stream.end();
    await own.close();
    expect(await ended).toBe(true);
  });
});

it('sends a comment now and then, answers HEAD with the head alone', async () => {
  const times = app.ctx.memory.of(tailTimes);
  times.beatMs = 20;
  const stream = await open();
  expect(await stream.comment()).toBe(':');
  times.beatMs = 15_000;
  const head = await app.admin('/events/stream', viewer, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
});

it('gives one caller five, and a place that is free again to the next', async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => open()));
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const sixth = await app.admin('/events/stream', viewer);
  expect([sixth.status, sixth.body.error?.code, sixth.body.error?.message]).toEqual([
    429,
    'RATE_LIMITED',
    'you have 5 live tails open, which is the maximum: close one',
  ]);
  expect((await open('', bearer(await app.adminToken('viewer')))).status).toBe(200);
  streams[0]?.close();
  const ask = async (): Promise<number> => {
    const one = await open('?to=2020-01-01T00:00:00Z');
    return one.status === 429 ? ask() : one.status;
  };
  expect(await ask()).toBe(200);
});

it('forgets what a reader does not take, and ends its stream', async () => {
  const ctx = await app.otherTenant();
  const live = { signal: new AbortController().signal, renew: async () => ctx };
  const stream = streamEvents(ctx, live, { filters: {}, place: null });
  await stream.next();
  const listener = listen(ctx);
  await seedRows(ctx, 'events', 5001, (i) => ({
    id: ctx.newId('evt'),
    type: 'FLOOD',
    service: 'license',
    tenant_id: ctx.tenantId,
    subject: `lic_${i}`,
    at: ctx.now(),
    actor_kind: 'job',
    data: '{}',
  }));
  while (!listener.isOverrun) await listener.wait(100, live.signal);
  expect(listener.take(10)).toEqual([]);
  expect((await stream.next()).done).toBe(true);
  listener.close();
});
