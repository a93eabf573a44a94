// Limits that several processes count together: as exact as in one, whoever takes, gives back, joins or goes on.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { type CommonLogOptions, LogLost } from '#kernel/common-log.ts';
import { CommonLimits, type CommonOptions } from '#kernel/http/common-windows.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import { createRateLimiters } from '#kernel/http/rate-limiters.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const rule: RateLimit = { bucket: 'read', max: 10, windowSeconds: 60, by: 'ip' };

let scratch: string;
let failures: unknown[];
beforeEach(() => {
  scratch = scratchFolder('appctl-common-');
  failures = [];
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const optionsOf = (files: CommonLogOptions): CommonOptions => ({
  ...files,
  onFailure: (error) => failures.push(error),
});
const limitersOf = (common: CommonLimits) => createRateLimiters(common.limiter, systemClock, common);

function lead(files: Partial<CommonLogOptions> = {}): CommonLimits {
  const place = { folder: mkdtempSync(join(scratch, 'log-')), file: 0, offset: 0 };
  return new CommonLimits({ place, buckets: [] }, optionsOf({ ...files, leads: true }));
}
/** As it reaches another process. */
const joined = (first: CommonLimits): CommonLimits =>
  new CommonLimits(JSON.parse(JSON.stringify(first.state())), optionsOf({ leads: false }));

test('what is taken in one is taken in all, also by one that joins in between', async () => {
  const first = lead();
  const one = limitersOf(first);
  for (let i = 0; i < 3; i++) await one.take(rule, 'a');
  const second = joined(first);
  const two = limitersOf(second);
  const left: number[] = [];
  for (const limiters of [two, one, two, one, two, one, two])
    left.push((await limiters.take(rule, 'a')).remaining);
  expect(left).toEqual([6, 5, 4, 3, 2, 1, 0]);
  expect((await one.take(rule, 'a')).allowed).toBe(false);
  expect((await two.take(rule, 'a')).allowed).toBe(false);
  expect(await one.used(rule, 'a')).toEqual({ points: 12, resetSeconds: 60 });
  expect((await two.take(rule, 'b')).remaining).toBe(9);
  await one.giveBack(rule, 'b');
  expect((await two.take(rule, 'b')).remaining).toBe(9);
  expect(second.liveKeys.count).toBe(2);
  expect(first.liveKeys.count).toBe(2);
  first.close();
});

test('what is taken in one turn of the event loop is written at once, and counted exactly', async () => {
  const first = lead();
  const [one, two] = [limitersOf(first), limitersOf(joined(first))];
  const other = { ...rule, bucket: 'write' };
  const taken = await Promise.all([
    ...Array.from({ length: 7 }, () => one.take(rule, 'a')),
    ...Array.from({ length: 7 }, () => two.take(rule, 'a')),
    one.take(other, 'a'),
    one.take(rule, 'b'),
  ]);
  expect(taken.filter(({ allowed }) => !allowed)).toHaveLength(4);
  expect(taken.slice(0, 14).map(({ remaining }) => remaining)).toEqual([
    9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0,
  ]);
  expect(taken.slice(14).map(({ remaining }) => remaining)).toEqual([9, 9]);
  const { place } = first.state();
  const lines = readFileSync(join(place.folder, String(place.file)), 'utf8')
    .trim()
    .split('\n');
  expect(lines).toHaveLength(2);
  first.close();
});

test('what is given back comes after what was taken before it in the same turn', async () => {
  const first = lead();
  const one = limitersOf(first);
  const full = Promise.all(Array.from({ length: 10 }, () => one.take(rule, 'a')));
  await one.giveBack(rule, 'a');
  await full;
  expect(await one.take(rule, 'a')).toMatchObject({ allowed: true, remaining: 0 });
  const pending = one.take(rule, 'a');
  first.close();
  expect(await pending).toMatchObject({ allowed: false });
});

test('more than fit into one turn are counted in several, and whoever joins or follows knows them', async () => {
  const first = lead();
  const wide = { ...rule, max: 1000 };
  const one = limitersOf(first);
  const pending = Array.from({ length: 600 }, (_, i) => one.take(wide, `address ${i % 2}`));
  const second = joined(first);
  const open = limitersOf(second).openBuckets();
  expect(open[0]?.windows.map(({ points }) => points)).toEqual([300, 300]);
  const taken = await Promise.all(pending);
  expect(taken.slice(-2).map(({ remaining }) => remaining)).toEqual([700, 700]);
  first.close();
});

test('points that wait are counted where nothing can be written any more', async () => {
  const first = lead({ longBytes: 500, keptMs: 0 });
  const late = joined(first);
  const [one, other] = [limitersOf(first), limitersOf(late)];
  for (let i = 0; i < 40; i++) await one.take(rule, `key ${i}`);
  const taken = await Promise.all(Array.from({ length: 12 }, () => other.take(rule, 'a')));
  expect(failures).toEqual([expect.any(LogLost)]);
  expect(taken.filter(({ allowed }) => allowed)).toHaveLength(10);
  first.close();
});

test('a folder that went, and that somebody else has made again, is not used', async () => {
  const first = lead();
  const one = limitersOf(first);
  await one.take(rule, 'a');
  const { folder } = first.state().place;
  rmSync(folder, { recursive: true });
  mkdirSync(folder, { mode: 0o700 });
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, '1'), '');
  expect(first.state().place.file).toBe(0);
  expect((await one.take(rule, 'a')).remaining).toBe(8);
  rmSync(folder, { recursive: true });
  expect(first.state().place).toMatchObject({ folder, file: 1 });
  expect((await limitersOf(joined(first)).take(rule, 'a')).remaining).toBe(7);
  first.close();
});

test('windows of an earlier server reach all, whenever they come', async () => {
  const first = lead();
  const [one, two] = [limitersOf(first), limitersOf(joined(first))];
  const endsMs = systemClock.epochMs() + 30_000;
  one.reopen([{ rule, windows: [{ key: 'a', points: 4, endsMs }] }]);
  expect(await two.take(rule, 'a')).toMatchObject({ remaining: 5, resetSeconds: 30 });
  await two.take(rule, 'c');
  one.absorb([
    {
      rule,
      windows: [
        { key: 'a', points: 2, endsMs },
        { key: 'b', points: 9, endsMs },
      ],
    },
  ]);
  expect((await two.take(rule, 'a')).remaining).toBe(2);
  expect((await two.take(rule, 'b')).remaining).toBe(0);
  expect((await two.take(rule, 'b')).allowed).toBe(false);
  const open = (limiters: typeof one) =>
    limiters
      .openBuckets()[0]
      ?.windows.map(({ key, points }) => `${key} ${points}`)
      .sort();
  expect([open(one), open(two)]).toEqual(Array(2).fill(['a 8', 'b 11', 'c 1']));
  first.close();
});

test('what only another process has counted is passed on to the next server, too', async () => {
  const first = lead();
  const one = limitersOf(first);
  await limitersOf(joined(first)).take(rule, 'a');
  expect(one.openBuckets()).toEqual([
    { rule, windows: [{ key: 'a', points: 1, endsMs: expect.any(Number) }] },
  ]);
  first.close();
});

test('one that cannot follow any more counts by itself, and says so', async () => {
  const first = lead({ longBytes: 500, keptMs: 0 });
  const one = limitersOf(first);
  const late = limitersOf(joined(first));
  for (let i = 0; i < 40; i++) await one.take(rule, `key ${i}`);
  expect(failures).toEqual([]);
  expect(await late.take(rule, 'key 1')).toMatchObject({ allowed: true });
  expect(failures).toEqual([expect.any(LogLost)]);
  first.close();
  first.catchUp();
  expect((await one.take(rule, 'key 1')).remaining).toBe(8);
  expect(failures).toHaveLength(1);
});
