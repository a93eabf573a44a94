import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { counterSeen, raiseCounter, readCounter } from '#kernel/db/counters.ts';
import { startApp, type TestApp } from '../../support/app.ts';

const NAME = 'shop-catalog-test';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.ctx.tx(({ db }) => db.knex('counters').insert({ name: NAME, value: 1 }));
});
afterAll(() => app.close());

const request = (): Ctx =>
  app.ctx.with({ origin: { requestId: null, ip: null, userAgent: null, route: null, trail: {} } });

it('a request sees a counter as it found it, and the next one as it is', async () => {
  const one = request();
  expect(await counterSeen(one, NAME)).toBe(1);
  await request().tx((ctx) => raiseCounter(ctx, NAME));
  expect([await counterSeen(one, NAME), await readCounter(one, NAME)]).toEqual([1, 2]);
  expect(await counterSeen(request(), NAME)).toBe(2);
});

it('what a request raises it sees', async () => {
  const one = request();
  const before = await counterSeen(one, NAME);
  await one.tx((ctx) => raiseCounter(ctx, NAME));
  expect(await counterSeen(one, NAME)).toBe(before + 1);
});

it('outside of requests it is always read, and one that is unknown is 0', async () => {
  const before = await counterSeen(app.ctx, NAME);
  await app.ctx.tx((ctx) => raiseCounter(ctx, NAME));
  expect(await counterSeen(app.ctx, NAME)).toBe(before + 1);
  expect([await counterSeen(app.ctx, 'nothing'), await counterSeen(request(), 'nothing')]).toEqual([0, 0]);
});
