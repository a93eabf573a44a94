// How often a health check asks the database, and what it makes of the answer (D32).
import { expect, it } from 'vitest';
import { createHealthProbe, faultOf } from '#kernel/http/health.ts';
import { checkClock } from '#platform/health/machine-checks.ts';

it('asks once a second however many callers come, and says no when the answer does not come', async () => {
  let now = 0;
  let asked = 0;
  const silence = new Promise<void>(() => undefined);
  const answers = [Promise.resolve(), Promise.reject(new Error('away')), silence, Promise.resolve()];
  const probe = createHealthProbe(
    () => {
      asked += 1;
      return answers[asked - 1] as Promise<void>;
    },
    () => now,
  );
  expect(await Promise.all([probe(), probe(), probe()])).toEqual([true, true, true]);
  now = 249;
  expect([await probe(), asked]).toEqual([true, 1]);
  // The next one begins while the first still serves, and serves after it.
  now = 250;
  expect([await probe(), asked]).toEqual([true, 2]);
  now = 1000;
  expect([await probe(), asked]).toEqual([true, 2]);
  now = 1001;
  expect([await probe(), asked]).toEqual([false, 3]);
  now = 2001;
  expect([await probe(), asked]).toEqual([false, 4]);
  // One that is older than a second serves nobody.
  answers.push(Promise.resolve());
  now = 9000;
  expect([await probe(), asked]).toEqual([true, 5]);
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
