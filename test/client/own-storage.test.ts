// Storages of the application, and two clients of a process on one of them.
import { describe, expect, test } from 'vitest';
import {
  type ClientStorage,
  createMachineId,
  localStorageStorage,
  memoryStorage,
} from '../../src/client/index.ts';
import { ok, refuse, scripted } from './scripted.ts';

/** As an application may write it: it knows no `update`, and takes its time. */
function slowStorage(): ClientStorage & { values: Map<string, string> } {
  const values = new Map<string, string>();
  const later = <T>(work: () => T): Promise<T> =>
    new Promise((resolve) => setTimeout(() => resolve(work()), 2));
  return {
    values,
    get: (key) => later(() => values.get(key) ?? null),
    set: (key, value) => later(() => void values.set(key, value)),
    delete: (key) => later(() => void values.delete(key)),
  };
}

describe.each([
  ['memoryStorage', memoryStorage],
  ['one without update', slowStorage],
])('%s', (_name, make) => {
  test('has one machine id for all who ask at once', async () => {
    const storage = make();
    const ids = await Promise.all(Array.from({ length: 5 }, () => createMachineId(storage)));
    expect(new Set(ids).size).toBe(1);
    expect(await createMachineId(storage)).toBe(ids[0]);
  });

  test('loses no use of two clients that queue at once, and none is sent twice as another', async () => {
    const storage = make();
    const [one, other] = [
      scripted(() => refuse(503, 'SERVICE_UNAVAILABLE'), { storage }),
      scripted(ok, { storage }),
    ];
    await Promise.all(
      Array.from({ length: 10 }, (_, place) => (place % 2 ? one : other).client.queueUsage('export')),
    );
    const usage = { current: 1, max: null };
    for (const { serve } of [one, other]) serve(() => ok({ usage }));
    const flushed = await Promise.all([one.client.flushUsage(), other.client.flushUsage()]);
    expect(flushed.map(({ left }) => left)).toEqual([0, 0]);
    const keys = [...one.asked, ...other.asked].map(({ headers }) => headers.get('X-Idempotency-Key'));
    expect(new Set(keys).size).toBe(10);
  });
});

test('a storage that forgets what it is given is told at once', async () => {
  const forgetful: ClientStorage = { get: async () => null, set: async () => {}, delete: async () => {} };
  await expect(createMachineId(forgetful)).rejects.toMatchObject({ code: 'STORAGE' });
});

test('where there is no localStorage, every call says so and none throws at once', async () => {
  const storage = localStorageStorage();
  await expect(createMachineId(storage)).rejects.toMatchObject({ code: 'STORAGE' });
  await expect(storage.set('a', 'b')).rejects.toMatchObject({ name: 'ClientError' });
});

test('what fails later costs no access: the client asks again, and tells its developer', async () => {
  const failing = async (): Promise<never> => {
    throw new Error('the disk is full');
  };
  const { client, of } = scripted(undefined, {
    storage: { get: async () => null, set: failing, delete: failing },
  });
  expect(await client.access()).toMatchObject({ allowed: true, code: 'VALID' });
  expect(of('background-error').map(({ message }) => message)).toContain('the disk is full');
});
