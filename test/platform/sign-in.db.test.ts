// Who may sign in: address and password, the lock after many failures, and what races with it (M13).
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOwner } from '#platform/accounts/index.ts';
import { signIn } from '#platform/accounts/sign-in.ts';
import { hashPassword, verifyPassword } from '#platform/passwords/passwords.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { refusalOf } from '../support/refusal.ts';

const email = 'Ops@x.test';
const password = 'correct horse';
let at: TestContext;
let id: string;
beforeAll(async () => {
  at = await openTestContext();
  id = (await createOwner(at.ctx, { email, name: 'Ops', password })).id;
});
afterAll(() => at.close());
beforeEach(() => changeAccount({ failed_sign_ins: 0, locked_until: null, status: 'active' }));

const account = () => at.database.db.knex('admin_users').where({ id }).first();
const changeAccount = (columns: object) =>
  at.database.transaction(async ({ knex }) => {
    await knex('admin_users').where({ id }).update(columns);
  });
const attempt = (tried: string, as = email) => signIn(at.ctx, { email: as, password: tried });
const failuresTold = async () => (await at.eventsOf(id)).filter(({ type }) => type === 'SIGN_IN_FAILED');
/** Failures are counted behind the answer. */
const failuresAre = (count: number) =>
  vi.waitFor(async () => expect((await account()).failed_sign_ins).toBe(count));

it('takes the address in any ASCII case with spaces around, and notes the time', async () => {
  const { generation } = (await attempt(password, ' oPS@X.test ')) ?? {};
  expect(generation).toBe(0);
  expect(await account()).toMatchObject({ last_login_at: at.ctx.now(), failed_sign_ins: 0 });
  expect(await at.eventsOf(id)).toContainEqual({ type: 'SIGNED_IN', data: { ip: null } });
});

it.each([
  ['another password', 'correct horsf', email],
  ['a password with a space behind', 'correct horse ', email],
  ['an unknown address', password, 'nobody@x.test'],
  ['a look-alike of the address', password, 'ſops@x.test'],
  ['no password', '', email],
  ['a password of 129 characters', 'x'.repeat(129), email],
  ['a password of a megabyte', 'x'.repeat(1_000_000), email],
])('nobody signs in with %s', async (_what, tried, as) => {
  expect(await attempt(tried, as)).toBeNull();
});

it.each(['invited', 'disabled'])('an account that is %s opens nothing', async (status) => {
  await changeAccount({ status });
  expect(await attempt(password)).toBeNull();
  expect((await account()).failed_sign_ins).toBe(0);
});

it('an account without a password opens nothing', async () => {
  const { password_hash } = await account();
  await changeAccount({ password_hash: null });
  expect(await attempt('')).toBeNull();
  await changeAccount({ password_hash });
});

it('ten failures lock the account for 15 minutes; more of them change and tell nothing', async () => {
  await attempt('wrong');
  await failuresAre(1);
  await attempt(password);
  expect(await account()).toMatchObject({ failed_sign_ins: 0 });
  // Of one moment, events are in no order: those of before are told by their number.
  const before = (await failuresTold()).length;
  await Promise.all(Array.from({ length: 12 }, () => attempt('wrong')));
  await vi.waitFor(async () => expect((await account()).locked_until).not.toBeNull());
  expect(await attempt(password)).toBeNull();
  expect(await attempt('wrong')).toBeNull();
  const told = await failuresTold();
  expect(told.filter(({ data }) => data.isLocked)).toHaveLength(1);
  expect(told).toHaveLength(before + 10);
  at.clock.advance(899);
  expect(await attempt(password)).toBeNull();
  at.clock.advance(1);
  expect(await attempt(password)).not.toBeNull();
});

it('a hash with other parameters is made anew when somebody signs in, and sessions go on', async () => {
  const old = '$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$';
  const { argon2Sync } = await import('node:crypto');
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce: Buffer.from('0123456789abcdef'),
    memory: 8,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  });
  await changeAccount({ password_hash: old + tag.toString('base64').replaceAll('=', '') });
  expect(await attempt(password)).toMatchObject({ generation: 0 });
  expect((await account()).password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await attempt(password)).toMatchObject({ generation: 0 });
});

it('a password that changes while the old one is judged does not let the old one in', async () => {
  const trying = attempt(password);
  await changeAccount({ password_hash: await hashPassword(at.ctx, 'another horse') });
  expect(await trying).toBeNull();
  await changeAccount({ password_hash: await hashPassword(at.ctx, password) });
});

it('a new password by setup ends the sessions and opens a locked account', async () => {
  await changeAccount({ locked_until: '2099-01-01T00:00:00.000Z' });
  await createOwner(at.ctx, { email, name: 'Ops', password, replace: true });
  expect(await attempt(password)).toMatchObject({ generation: 1 });
});

describe('hashing', () => {
  it('takes a password as it is: no trimming, no normalization, 128 code points', async () => {
    const long = '🔑'.repeat(128);
    const phc = await hashPassword(at.ctx, long);
    expect(await verifyPassword(at.ctx, long, phc)).toBe(true);
    expect(await verifyPassword(at.ctx, long.slice(2), phc)).toBe(false);
    const composed = await hashPassword(at.ctx, 'pass\u00e9word');
    expect(await verifyPassword(at.ctx, 'passe\u0301word', composed)).toBe(false);
  });

  it('no string of another form is the hash of a password', async () => {
    for (const phc of [null, '', 'password', '$argon2id$v=19$m=8,t=1,p=1$$', '$2b$10$abcdefghijklmnopqrstuv'])
      expect(await verifyPassword(at.ctx, '', phc)).toBe(false);
  });

  it('of 80 at once some are told to come again, in words and seconds', async () => {
    const all = await Promise.all(
      Array.from({ length: 80 }, (_, n) =>
        refusalOf(verifyPassword(at.ctx, `p${n}`, null)).catch(() => null),
      ),
    );
    const refused = all.filter((one) => one !== null);
    expect(refused.length).toBeGreaterThanOrEqual(26);
    expect(refused.length).toBeLessThanOrEqual(29);
    for (const one of refused)
      expect(one).toMatchObject({ code: 'RATE_LIMITED', status: 429, details: { retryAfterSeconds: 2 } });
  });
});
