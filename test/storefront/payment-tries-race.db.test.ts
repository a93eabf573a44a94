// Several processes that try to pay for one address at once: none goes beyond the limit, and no decline is lost
// (decision 0075).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sha256Hex } from '#kernel/crypto.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Rival, startRival } from '../support/rival.ts';
import type { TriesWork } from '../support/tries-process.ts';

type Tally = Record<string, number>;

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<TriesWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  rivals = await Promise.all(
    [1, 2, 3].map(() => startRival<TriesWork, Tally>('tries-process.ts', installation.cwd, database.url)),
  );
});
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

async function rush(work: TriesWork): Promise<Tally> {
  const tally: Tally = {};
  for (const one of await Promise.all(rivals.map((rival) => rival.work(work))))
    for (const [outcome, times] of Object.entries(one)) tally[outcome] = (tally[outcome] ?? 0) + times;
  return tally;
}

const rowOf = async (kind: string, value: string) => {
  const row = await instance.database.db
    .knex('payment_tries')
    .where({ key: sha256Hex(`${kind}\n${value}`) })
    .first('points', 'declines', 'refused');
  return row as unknown;
};

it('lets 30 tries of an email address through, of 60 by three processes', async () => {
  const tally = await rush({ email: 'Rush@x.test', ip: '192.0.2.1', tries: 20, declines: 0 });
  expect(tally).toEqual({ taken: 30, TOO_MANY_ATTEMPTS: 30 });
  expect(await rowOf('email', 'rush@x.test')).toEqual({ points: 30, declines: 0, refused: 30 });
  // What was refused for the one is not counted for the other.
  expect(await rowOf('ip', '192.0.2.1')).toEqual({ points: 30, declines: 0, refused: 0 });
});

it('counts every decline of several processes, and lets nobody through after them', async () => {
  const work = { email: 'declined@x.test', ip: '2001:db8::1', tries: 0, declines: 10 };
  expect(await rush(work)).toEqual({ declined: 30 });
  expect(await rowOf('email', 'declined@x.test')).toEqual({ points: 150, declines: 30, refused: 0 });
  expect(await rowOf('ip', '2001:db8::/64')).toEqual({ points: 150, declines: 30, refused: 0 });
  expect(await rowOf('card', 'card-of-many')).toEqual({ points: 180, declines: 30, refused: 0 });
  expect(await rush({ ...work, tries: 5, declines: 0 })).toEqual({ TOO_MANY_ATTEMPTS: 15 });
  // Who takes another email address from the same network does not get through either.
  const other = { ...work, email: 'other@x.test', ip: '2001:db8::ffff', tries: 5, declines: 0 };
  expect(await rush(other)).toEqual({ TOO_MANY_ATTEMPTS: 15 });
});
