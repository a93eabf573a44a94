// Requests that many send at once leave room for those of others.
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../src/kernel/http/turns.ts';

test('of many at once a few begin in each turn of the event loop, in their order', async () => {
  const turns = new Turns();
  const begun: number[] = [];
  for (let n = 0; n < 10; n++) turns.enter(() => begun.push(n));
  expect(begun).toEqual([]);
  const seen: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await turnOfLoop();
    seen.push(begun.length);
  }
  // Whatever else the loop has to do comes between: nobody waits for all ten.
  expect(seen.map((count, at) => count - (seen[at - 1] ?? 0)).every((count) => count <= 4)).toBe(true);
  expect(seen.at(-1)).toBe(10);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('one that comes when all have begun begins as well, also from within another', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  turns.enter(() => {
    begun.push('first');
    turns.enter(() => begun.push('from within'));
  });
  for (let turn = 0; turn < 3; turn++) await turnOfLoop();
  turns.enter(() => begun.push('later'));
  await turnOfLoop();
  expect(begun).toEqual(['first', 'from within', 'later']);
});
