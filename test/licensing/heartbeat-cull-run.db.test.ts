// The job that finds machines which missed their heartbeat: how a run goes on past many machines and past failures.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { heartbeats } from '#licensing/licenses/heartbeats/capability.ts';
import type { TestApp } from '../support/app.ts';
import { failingCtx } from '../support/failing-ctx.ts';
import { none, openCulling } from './culling.ts';

type Culling = Awaited<ReturnType<typeof openCulling>>;

let app: TestApp;
let run: Culling['run'];
let watched: Culling['watched'];
let lapse: Culling['lapse'];
let liveOf: Culling['liveOf'];
let forget: Culling['forget'];
beforeAll(async () => {
  ({ app, run, watched, lapse, liveOf, forget } = await openCulling());
});
afterAll(() => app.close());
beforeEach(() => forget());

/** Runs the job with transactions that fail as told. */
const runFailing = (failure: (number: number) => Error | null) =>
  heartbeats.jobs?.[0]?.run(failingCtx(app.ctx, failure));

const broken = new Error('this license is broken');

it('one run goes through as many windows as it takes', async () => {
  const { id } = await watched('DEACTIVATE_DEAD', { maxActivations: 1000 });
  const { database } = app.instance;
  const row = await database.db.knex('license_activations').where({ license_id: id }).first();
  const crowd = Array.from({ length: 600 }, (_, index) => ({
    ...row,
    id: app.ctx.newId('act'),
    machine_id: `machine-${2000 + index}`,
  }));
  await database.transaction(async ({ knex }) => {
    for (let i = 0; i < crowd.length; i += 100)
      await knex('license_activations').insert(crowd.slice(i, i + 100));
  });
  lapse();
  expect((await run()).result).toEqual({ ...none, deactivated: 601 });
  expect(await liveOf(id)).toEqual([]);
});

it('licenses of a transaction that fails are culled one by one', async () => {
  const made = [await watched('DEACTIVATE_DEAD'), await watched('DEACTIVATE_DEAD')];
  lapse();
  const first = (number: number) => (number === 1 ? broken : null);
  expect(await runFailing(first)).toEqual({ ...none, deactivated: 2 });
  for (const { id } of made) expect(await liveOf(id)).toEqual([]);
});

it('a license that cannot be culled keeps no other from it, and is tried again by the next run', async () => {
  const made = [await watched('DEACTIVATE_DEAD'), await watched('DEACTIVATE_DEAD')];
  lapse();
  // The group, then the first of the two alone.
  const twice = (number: number) => (number <= 2 ? broken : null);
  await expect(runFailing(twice)).rejects.toMatchObject({ counts: { ...none, deactivated: 1, failed: 1 } });
  expect((await Promise.all(made.map(({ id }) => liveOf(id)))).flat()).toHaveLength(1);
  expect((await run()).result).toEqual({ ...none, deactivated: 1 });
});

it('a run in which nothing succeeds ends as a failure', async () => {
  await Promise.all(Array.from({ length: 14 }, () => watched('DEACTIVATE_DEAD')));
  lapse();
  await expect(runFailing(() => broken)).rejects.toBe(broken);
  expect((await run()).result).toEqual({ ...none, deactivated: 14 });
});
