// Work that may not all run at once: order, bound, and places that are given back.
import { expect, it } from 'vitest';
import { createSemaphore, QueueFull } from '#kernel/semaphore.ts';

/** Work that ends when it is told to. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { run: () => promise, end: resolve };
}

it('runs as many as may at once, the others in the order of asking', async () => {
  const semaphore = createSemaphore({ atOnce: 2, waiting: 10 });
  const works = [held(), held(), held(), held()];
  const began: number[] = [];
  const begin = (at: number, run: () => Promise<void>) => () => {
    began.push(at);
    return run();
  };
  const runs = works.map(({ run }, at) => semaphore.run(begin(at, run)));
  await Promise.resolve();
  expect(began).toEqual([0, 1]);
  works[1]?.end();
  await runs[1];
  expect(began).toEqual([0, 1, 2]);
  works[2]?.end();
  await runs[2];
  expect(began).toEqual([0, 1, 2, 3]);
  for (const { end } of works) end();
  await Promise.all(runs);
});

it('refuses at once whoever finds the queue full, and takes the next one when there is room', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 2 });
  const first = held();
  const runs = [semaphore.run(first.run), semaphore.run(async () => 2)];
  expect(semaphore.isFull).toBe(false);
  runs.push(semaphore.run(async () => 3));
  expect(semaphore.isFull).toBe(true);
  await expect(semaphore.run(async () => 4)).rejects.toThrow(QueueFull);
  first.end();
  expect(await Promise.all(runs)).toEqual([undefined, 2, 3]);
  expect(semaphore.isFull).toBe(false);
  expect(await semaphore.run(async () => 5)).toBe(5);
});

it('gives the place of a failure to the next one', async () => {
  const semaphore = createSemaphore({ atOnce: 1, waiting: 1 });
  const failing = semaphore.run(() => Promise.reject(new Error('no')));
  const next = semaphore.run(async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});
