// When what capabilities declare for Prometheus is read, and what is answered when it cannot be.
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { createMetricReader } from '#kernel/http/read-metrics.ts';
import { counters, gauges, type MetricGroup } from '#kernel/metric.ts';
import { setting } from '#kernel/settings.ts';
import { type TestClock, testClock } from '../../support/context.ts';
import { parseMetrics } from '../../support/metrics-text.ts';

const isOn = setting({
  key: 'toys.enabled',
  group: 'toys',
  description: 'Toys',
  schema: z.boolean(),
  default: true,
});

let clock: TestClock;
let failures: unknown[];
let toysAreOn: boolean;
let reads: number;
beforeEach(() => {
  clock = testClock();
  failures = [];
  toysAreOn = true;
  reads = 0;
});

/** All that a reader asks of a ctx. */
const ctx = { settings: { get: () => toysAreOn, version: 1 } } as unknown as Ctx;

const readerOf = (groups: readonly MetricGroup[], longestMs?: number) => {
  const onFailure = (error: unknown) => void failures.push((error as Error).message);
  const reader = createMetricReader(groups, { ctx, clock, onFailure, ...(longestMs && { longestMs }) });
  return async () => parseMetrics(await (await reader.read()).metrics());
};

const toys = (read: () => Promise<number>): MetricGroup =>
  gauges({ toys: { help: 'Toys', labels: ['color'] } }, async () => {
    const value = await read();
    return { toys: [{ labels: { color: 'red "1"' }, value }] };
  });
const counting = () => toys(async () => ++reads);

it('a reading counts for ten seconds; several who ask at once share it', async () => {
  const read = readerOf([counting()]);
  const both = await Promise.all([read(), read()]);
  expect(both.map(({ samples }) => samples)).toEqual([
    [{ name: 'toys', labels: { color: 'red \\"1\\"' }, value: 1 }],
    [{ name: 'toys', labels: { color: 'red \\"1\\"' }, value: 1 }],
  ]);
  clock.advance(9);
  expect((await read()).samples[0]?.value).toBe(1);
  clock.advance(1);
  expect((await read()).samples[0]?.value).toBe(2);
});

it('what took long is read less often: a hundredth of the time is spent on it', async () => {
  const read = readerOf([
    toys(async () => {
      clock.advance(2);
      return ++reads;
    }),
  ]);
  await read();
  clock.advance(199);
  expect((await read()).samples[0]?.value).toBe(1);
  clock.advance(1);
  expect((await read()).samples[0]?.value).toBe(2);
});

it('what is counted in memory is read each time, as a counter', async () => {
  const read = readerOf([
    counters({ rings_total: { help: 'Rings' } }, () => ({ rings_total: [{ value: ++reads }] })),
  ]);
  const first = await read();
  expect([first.types.get('rings_total'), first.value('rings_total')]).toEqual(['counter', 1]);
  expect((await read()).value('rings_total')).toBe(2);
});

it('what cannot be read is missing, not zero and not as it last was; the others are there', async () => {
  let isAway = false;
  const fails = toys(async () => {
    if (isAway) throw new Error('away');
    return 1;
  });
  const read = readerOf([
    fails,
    gauges({ dolls: { help: 'Dolls' } }, async () => ({ dolls: [{ value: 7 }] })),
  ]);
  expect((await read()).types.has('toys')).toBe(true);
  isAway = true;
  clock.advance(10);
  const { types, value } = await read();
  expect([types.has('toys'), value('dolls'), failures]).toEqual([false, 7, ['away']]);
  isAway = false;
  expect((await read()).types.has('toys')).toBe(true);
});

it('who asks while the database hangs gets what there is, and hung questions are not asked again', async () => {
  const never = toys(() => {
    reads += 1;
    return new Promise<never>(() => undefined);
  });
  let dolls = 0;
  const answers = gauges({ dolls: { help: 'Dolls' } }, async () => ({ dolls: [{ value: ++dolls }] }));
  const read = readerOf([never, answers], 1);
  for (const expected of [1, 2]) {
    const { types, value } = await read();
    expect([types.has('toys'), value('dolls')]).toEqual([false, expected]);
    clock.advance(10);
  }
  expect([reads, failures]).toEqual([1, ['no answer within 1 ms', 'no answer within 1 ms']]);
});

it('of what is switched off nothing is read or told', async () => {
  const read = readerOf([{ ...counting(), enabledBy: isOn }]);
  toysAreOn = false;
  expect([(await read()).types.has('toys'), reads]).toEqual([false, 0]);
  toysAreOn = true;
  expect((await read()).types.has('toys')).toBe(true);
});
