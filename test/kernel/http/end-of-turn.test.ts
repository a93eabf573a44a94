// Requests of one turn of the event loop wait for each other, but not for more than a bounded number of them.
import { expect, test } from 'vitest';
import { endOfTurn, MOST_IN_A_TURN } from '#kernel/http/end-of-turn.ts';
import { MemoryWindows } from '#kernel/http/rate-limit-memory.ts';

test('all that came in one turn go on after the last of them has come', async () => {
  const order: string[] = [];
  const windows = new MemoryWindows({ bucket: 'read', max: 10, windowSeconds: 60, by: 'ip' });
  const come = async (name: string): Promise<void> => {
    order.push(`${name} comes`);
    await windows.consume(name);
    order.push(`${name} goes on`);
  };
  const first = come('first');
  // A callback of the same turn, with everything that follows from it.
  await new Promise<void>((resolve) => process.nextTick(() => void come('second').then(resolve)));
  await first;
  expect(order).toEqual(['first comes', 'second comes', 'first goes on', 'second goes on']);
});

test('one turn holds no more than so many, and the next one begins anew', async () => {
  let gone = 0;
  const many = Array.from({ length: MOST_IN_A_TURN + 1 }, () => endOfTurn().then(() => (gone += 1)));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await Promise.resolve();
  await Promise.resolve();
  expect(gone).toBe(MOST_IN_A_TURN);
  await Promise.all(many);
  expect(gone).toBe(MOST_IN_A_TURN + 1);
});
