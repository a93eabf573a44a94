// Several processes that work on accounts of customers at once: one account for an address, one use of a link.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openValues } from '#platform/mail/values.ts';
import * as secondFactor from '#platform/second-factor/index.ts';
import { forgotPassword, requestEmailChange } from '#storefront/people/accounts/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import type { AccountWork } from '../support/account-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Rival, startRival } from '../support/rival.ts';
import { totpCode } from '../support/totp.ts';

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
}, 120_000);
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
  // Each has a link of its own: whoever follows it has the account. Strangers have no more than five an hour sent to it.
  const mails = await knex()('email_log').where({ to_address: email }).pluck('template');
  expect(mails).toEqual(Array.from({ length: 5 }, () => 'email_verification'));
});

/** The token of the newest mail of a template. */
async function tokenIn(template: string, to: string): Promise<string> {
  const mails = knex()('email_log').where({ template, to_address: to }).orderBy('id', 'desc');
  const { id, values_enc } = await mails.first();
  const values = openValues(instance.ctx, id, values_enc) as Record<string, string>;
  return Object.values(values)
    .find((one) => one.includes('/shop/'))
    ?.split('/')
    .at(-1) as string;
}
const idOf = async () => (await knex()('customers').where({ email_norm: email }).first('id')).id as string;

it('lets one of many use a link that proves an address', async () => {
  const token = await tokenIn('email_verification', email);
  expect(await rush({ does: 'verify', token, times: 4 })).toEqual({ done: 1, TOKEN_INVALID: 7 });
});

it('lets one of many use a link to a new password', async () => {
  await forgotPassword(instance.ctx, email, 'en');
  const token = await tokenIn('password_reset', email);
  const tally = await rush({ does: 'reset', token, password: 'another fine password', times: 4 });
  expect(tally).toEqual({ reset: 1, TOKEN_INVALID: 7 });
});

it('lets one of many in with a code, and with a recovery code', async () => {
  const id = await idOf();
  const { secret } = await secondFactor.setup(instance.ctx, id, email, 'Shop');
  const at = Date.now();
  const recovery = await instance.ctx.tx((ctx) => secondFactor.confirm(ctx, id, totpCode(secret, at)));
  // The next step of time is allowed already.
  const code = totpCode(secret, at + 30_000);
  expect(await rush({ does: 'code', id, code, times: 3 })).toEqual({ in: 1, refused: 5 });
  expect(await rush({ does: 'recovery', id, code: recovery?.[0] ?? '', times: 3 })).toEqual({
    in: 1,
    refused: 5,
  });
});

it('knows a browser once, however many sign-ins come from it at once', async () => {
  const id = await idOf();
  const name = 'a'.repeat(43);
  // One that it has been given.
  await rush({ does: 'device', id, name, times: 3 });
  const rows = await knex()('customer_devices').where({ customer_id: id });
  expect(new Set(rows.map(({ token_hash }) => token_hash)).size).toBe(rows.length);
  const mails = await knex()('email_log').where({ template: 'new_sign_in', to_address: email });
  // The first sign-in of all is told to nobody.
  expect(mails).toHaveLength(rows.length - 1);
});

it('lets one of many use a link to another address', async () => {
  const to = 'moved@x.test';
  const asked = { password: 'another fine password', email: to, locale: 'en' };
  await requestEmailChange(instance.ctx, await idOf(), asked);
  const token = await tokenIn('email_change', to);
  expect(await rush({ does: 'change-email', token, times: 4 })).toEqual({ done: 1, TOKEN_INVALID: 7 });
});
