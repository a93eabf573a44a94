// What a list of capabilities comes to: each under its switch, none in the way of another.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createContext } from '#kernel/bound-context.ts';
import { type Capability, capability } from '#kernel/capability.ts';
import { gather } from '#kernel/gather.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { goTo, page } from '#kernel/http/page.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { flushJob } from '#kernel/jobs/flush-job.ts';
import { createScheduler } from '#kernel/jobs/scheduler.ts';
import { setting } from '#kernel/settings.ts';
import { createSettingsStore } from '#platform/settings/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { serveEndpoints } from '../support/endpoint-server.ts';
import { job, runDue } from '../support/jobs.ts';
import { servePages } from '../support/page-server.ts';

const enabledBy = setting({
  key: 'toys.enabled',
  group: 'toys',
  description: 'Toys',
  schema: z.boolean(),
  default: true,
});

let t: TestContext;
let runs: string[];
beforeEach(async () => {
  t = await openTestContext();
  runs = [];
});
afterEach(() => t.close());

const work = (name: string) => async () => {
  runs.push(name);
  return {};
};
const toys = (): Capability =>
  capability({
    name: 'toys',
    enabledBy,
    settings: [enabledBy],
    jobs: [job('wind-up', work('wind-up')), job('tidy', work('tidy'), { everyProcess: true })],
    sees: ({ status }) => void runs.push(`toys saw ${status}`),
    shutOut: () => 30,
    flushes: { toys: async () => 3 },
  });
const other = (): Capability =>
  capability({
    name: 'other',
    jobs: [job('other', work('other'))],
    sees: ({ code }) => void runs.push(`other saw ${code}`),
    shutOut: () => 20,
  });

/** A ctx whose settings say whether toys are on. */
const where = (isOn: boolean) => {
  const pins = new Map([['toys.enabled', { text: String(isOn), by: 'test' }]]);
  const settings = createSettingsStore([enabledBy], pins, t.runtime.keyring);
  return createContext({ ...t.runtime, settings }, t.ctx.tenantId);
};
const answered = (ctx = t.ctx): Answered => ({
  ctx,
  surface: 'sample',
  service: 'sample',
  method: 'GET',
  status: 403,
  code: 'REFUSED',
  ms: 1,
});

describe('an observer', () => {
  it('sees refusals too, in the order of the list, and rests while its capability is off', () => {
    const gathered = gather([toys(), other()]);
    gathered.answered(answered(where(true)));
    gathered.answered(answered(where(false)));
    expect(runs).toEqual(['toys saw 403', 'other saw REFUSED', 'other saw REFUSED']);
  });

  it('that throws keeps nothing from the next one', () => {
    const broken = capability({
      name: 'broken',
      sees: () => {
        throw new Error('out of order');
      },
    });
    gather([broken, other()]).answered(answered());
    expect(runs).toEqual(['other saw REFUSED']);
  });
});

it('an address is shut out for the longest time that a capability which is on asks for', () => {
  const gathered = gather([other(), toys()]);
  expect(gathered.shutOutSeconds(where(true), '192.0.2.1')).toBe(30);
  expect(gathered.shutOutSeconds(where(false), '192.0.2.1')).toBe(20);
  expect(gather([]).shutOutSeconds(t.ctx, '192.0.2.1')).toBe(0);
});

it('two capabilities that seal answers are refused: one seal would replace the other', () => {
  const seals = (name: string) => capability({ name, seal: () => () => null });
  expect(() => gather([seals('wax'), seals('lead')])).toThrow('wax and lead both seal answers');
});

describe('the switch of a capability', () => {
  it('makes its endpoints unknown, those without credentials and limits too, and no others', async () => {
    const get = (path: string) =>
      endpoint({
        method: 'get',
        path,
        summary: path,
        scope: null,
        limit: null,
        replies: { 200: z.object({ path: z.string() }) },
        errors: [],
        handle: async () => ok({ path }),
      });
    for (const isOn of [true, false]) {
      const { endpoints } = gather([
        { ...toys(), enabledBy: { ...enabledBy, default: isOn }, endpoints: [get('/api/toys')] },
        { ...other(), endpoints: [get('/api/other')] },
      ]);
      const server = await serveEndpoints(endpoints, {
        settings: { get: <T>(one: { default: T }) => one.default, version: 0 },
      });
      const [toy, unknown] = [await server.send('/api/toys'), await server.send('/api/no-such')];
      expect([toy.status, (await server.send('/api/other')).status]).toEqual([isOn ? 200 : 404, 200]);
      const message = ({ body }: typeof toy) => ({ ...body, requestId: null });
      if (!isOn) expect(message(toy)).toEqual(message(unknown));
      server.close();
    }
  });

  it('makes its pages unknown, whatever the method', async () => {
    const toy = page({ path: '/toys', title: 'Toys', audience: 'public', show: async () => goTo('/shelf') });
    for (const isOn of [true, false]) {
      const server = await servePages({
        ctx: where(isOn),
        pages: gather([{ ...toys(), pages: [toy] }]).pages,
      });
      const statuses = [await server.send('/toys'), await server.send('/toys', { method: 'POST' })];
      expect(statuses.map(({ status }) => status)).toEqual(isOn ? [303, 405] : [404, 404]);
      if (!isOn) expect(statuses[0]?.text).toBe((await server.send('/no-such')).text);
      server.close();
    }
  });

  it('lets its jobs rest, and says so to who runs one by hand', async () => {
    const scheduler = createScheduler(gather([toys(), other()]).jobs, 'test');
    const [on, off] = [where(true), where(false)];
    await scheduler.prepare(t.ctx);
    await runDue(scheduler, off, 0);
    expect(runs).toEqual(['other']);
    await expect(scheduler.run(off, 'wind-up', true)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'wind-up does not run while toys.enabled is off',
      details: { hint: 'appctl settings set toys.enabled true' },
    });
    await scheduler.runOwn(off);
    expect(runs).toEqual(['other']);
    t.clock.advance(60);
    await runDue(scheduler, on, 0);
    await scheduler.runOwn(on);
    expect(runs.toSorted()).toEqual(['other', 'other', 'tidy', 'wind-up']);
  });

  it('loses nothing that waits in memory: it is flushed all the same', async () => {
    const flushing = flushJob({ name: 'flush', description: 'flush', everySeconds: 10 }, [toys()]);
    expect(await flushing.run(where(false))).toEqual({ toys: 3 });
  });
});

it('a flush that fails keeps nothing from the others; beside requests only a part is written', async () => {
  const away = new Error('away');
  const flushing = flushJob({ name: 'flush', description: 'flush', everySeconds: 10 }, [
    capability({ name: 'broken', flushes: { broken: () => Promise.reject(away) } }),
    capability({
      name: 'large',
      flushes: {
        large: { all: async () => ({ rows: Number(runs.push('all')) }), part: async () => runs.push('part') },
      },
    }),
  ]);
  await expect(flushing.run(t.ctx)).rejects.toBe(away);
  await expect(flushing.runPart?.(t.ctx)).rejects.toBe(away);
  expect(runs).toEqual(['all', 'part']);
});
