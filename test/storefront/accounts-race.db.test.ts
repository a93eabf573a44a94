// Several processes that work on accounts of customers at once: one account for an address, one use of a link.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openValues } from '#platform/mail/values.ts';
import { forgotPassword } from '#storefront/people/accounts/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import type { AccountWork } from '../support/account-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<AccountWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  rivals = await Promise.all(
    [1, 2].map(() => startRival<AccountWork, Tally>('account-process.ts', installation.cwd, database.url)),
  );
});
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

async function rush(work: AccountWork): Promise<Tally> {
  const tally: Tally = {};
  for (const one of await Promise.all(rivals.map((rival) => rival.work(work))))
    for (const [outcome, times] of Object.entries(one)) tally[outcome] = (tally[outcome] ?? 0) + times;
  return tally;
}

const email = 'race@x.test';
const knex = () => instance.database.db.knex;

it('makes one account of an address that is registered many times at once', async () => {
  const said = { does: 'register', email, password: 'correct horse battery', times: 5 } as const;
  expect(await rush(said)).toEqual({ answered: 10 });
  expect(await knex()('customers').where({ email_norm: email })).toHaveLength(1);
  // Each has a link of its own: whoever follows it has the account.
  const mails = await knex()('email_log').where({ to_address: email }).pluck('template');
  expect(mails).toEqual(Array.from({ length: 10 }, () => 'email_verification'));
});

it('lets one of many use a link to a new password', async () => {
  await forgotPassword(instance.ctx, email, 'en');
  const row = await knex()('email_log').where({ template: 'password_reset', to_address: email }).first();
  const { reset_url } = openValues(instance.ctx, row.id, row.values_enc) as Record<string, string>;
  const token = reset_url?.split('/').at(-1) ?? '';
  const tally = await rush({ does: 'reset', token, password: 'another fine password', times: 4 });
  expect(tally).toEqual({ reset: 1, TOKEN_INVALID: 7 });
});
