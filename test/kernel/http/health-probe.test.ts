// How often a health check asks the database, and what it makes of the answer (D32).
import { expect, it } from 'vitest';
import { createHealthProbe, faultOf } from '#kernel/http/health.ts';
import { checkClock } from '#platform/health/machine-checks.ts';

it('asks every 400 ms at most however many callers come, and a result serves a second of them', async () => {
  let now = 0;
  const asked: { works(): void; fails(): void }[] = [];
  const probe = createHealthProbe(
    () => new Promise((works, fails) => asked.push({ works, fails: () => fails(new Error('away')) })),
    () => now,
  );
  const first = Promise.all([probe(), probe(), probe()]);
  asked[0]?.works();
  expect([await first, asked.length]).toEqual([[true, true, true], 1]);
  now = 399;
  expect([await probe(), asked.length]).toEqual([true, 1]);
  // The next one begins while the first still serves, until it is answered.
  now = 400;
  expect([await probe(), asked.length]).toEqual([true, 2]);
  asked[1]?.fails();
  await Promise.resolve();
  now = 401;
  await expect.poll(probe).toBe(false);
  expect(asked.length).toBe(2);
  // One that is older than a second serves nobody, and of those under way the one that began first is the next to know.
  now = 1401;
  const late = probe();
  now = 1900;
  const later = probe();
  expect(asked.length).toBe(4);
  asked[2]?.fails();
  expect(await Promise.all([late, later])).toEqual([false, false]);
  asked[3]?.works();
  await expect.poll(probe).toBe(true);
});

it('says no when no answer comes', async () => {
  expect(await createHealthProbe(() => new Promise(() => undefined))()).toBe(false);
});

it('a clock before 1970 is a fault, for health and for doctor; a first process that is silent, for health', () => {
  const in1958 = Date.parse('1958-03-01T00:00:00Z');
  expect(faultOf(true, in1958)).toBe('The clock of the server is wrong');
  expect(faultOf(true, 0, true)).toBe('The first process of the server does not respond');
  expect([faultOf(true, 0), faultOf(false, 0)]).toEqual([null, 'The database cannot be read or written']);
  expect(checkClock(in1958, 0, null)).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('1970'),
  });
});
