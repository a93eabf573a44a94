// What staff may do with the accounts of others, and what the audit log has of it (admin.md 6.1; M13, M14, M25).
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '#kernel/actor.ts';
import * as accounts from '#platform/accounts/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

const password = 'correct horse';
let at: TestContext;
let ownerId: string;
beforeAll(async () => {
  at = await openTestContext();
  ownerId = (await accounts.createOwner(at.ctx, { email: 'owner@x.test', name: 'Olga', password })).id;
});
afterAll(() => at.close());

let made = 0;
const member = (roles: string[], ctx = at.ctx) => {
  made += 1;
  return accounts.create(ctx, { email: `m${made}@x.test`, roles, password });
};
/** As somebody of the staff, with these permissions. */
const as = (id: string, permissions: Actor['permissions'], more: Partial<Actor> = {}) =>
  at.ctx.with({ actor: { kind: 'staff', id, label: 'somebody', permissions, ...more } as Actor });
const lacking = { code: 'INSUFFICIENT_SCOPE', status: 403 };

describe('whoever may change accounts, and lacks what another one has,', () => {
  const helper = () => as('usr_00000000000000000000000009', ['users:write', 'licensing:read']);

  it('gives nobody a role with more', async () => {
    await expect(member(['owner'], helper())).rejects.toMatchObject(lacking);
    await expect(accounts.invite(helper(), { email: 'i@x.test', roles: ['support'] })).rejects.toMatchObject(
      lacking,
    );
  });

  it.each<[string, (ctx: TestContext['ctx']) => Promise<unknown>]>([
    ['the password', (ctx) => accounts.resetPassword(ctx, ownerId, { password: 'another horse' })],
    ['a link to a new password', (ctx) => accounts.linkFor(ctx, 'reset-password', ownerId)],
    ['a link to sign in', (ctx) => accounts.linkFor(ctx, 'login-link', ownerId)],
    ['the address', (ctx) => accounts.update(ctx, ownerId, { email: 'mine@x.test' })],
    ['the second factor', (ctx) => accounts.resetTwoFactor(ctx, ownerId)],
    ['the sessions', (ctx) => accounts.endSessions(ctx, ownerId, null)],
    ['more guesses at the password', (ctx) => accounts.unlock(ctx, ownerId)],
  ])('does not take over the owner by %s', async (_what, work) => {
    await expect(work(helper())).rejects.toMatchObject(lacking);
    expect(await accounts.signIn(at.ctx, { email: 'owner@x.test', password })).not.toBeNull();
  });
});

it('whoever is confined to some products adds nobody who sees others', async () => {
  const scopes = { license_product: ['prd_01J9ZK3T5W8Y2QF4M6N7P0R1SV'] };
  const { scopes: given } = await member([], as(ownerId, 'all', { scopes }));
  expect(given).toEqual([{ kind: 'license_product', refId: 'prd_01J9ZK3T5W8Y2QF4M6N7P0R1SV' }]);
});

it.each(['owner@x.test\u200b', '\u202etset.x@renwo.test', 'ow\u0007ner@x.test', 'owner@x\u00ad.test'])(
  'an address that looks like another one by what nobody sees is refused: %j',
  async (email) => {
    await expect(accounts.invite(at.ctx, { email })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(accounts.update(at.ctx, ownerId, { email })).rejects.toMatchObject({ status: 400 });
  },
);

it('the audit log has each change of an account, and no secret of it', async () => {
  const { id } = await member(['viewer']);
  const { secret } = await accounts.setupTwoFactor(at.ctx, id);
  const code = generateSync({ secret, epoch: Math.floor(Date.parse(at.ctx.now()) / 1000) });
  const codes = (await accounts.confirmTwoFactor(at.ctx, id, code)) ?? [];
  const { url } = await accounts.linkFor(at.ctx, 'reset-password', id);
  await accounts.resetPassword(at.ctx, id, { password: 'another horse' });
  await accounts.resetTwoFactor(at.ctx, id);
  await accounts.endSessions(at.ctx, id, null);
  const rows = await at.database.db.knex('audit_log').where({ target_id: id });
  expect(rows.map(({ action }) => action).toSorted()).toEqual([
    'PASSWORD_CHANGED',
    'SESSIONS_ENDED',
    'STAFF_CREATED',
    'STAFF_LINK_MADE',
    'TWO_FACTOR_DISABLED',
    'TWO_FACTOR_ENABLED',
  ]);
  const text = JSON.stringify(rows);
  for (const hidden of [password, 'another horse', secret, codes[0] as string, url.slice(-43)])
    expect(text).not.toContain(hidden);
});

it('what is stored of a second factor and of a link opens neither', async () => {
  const { id } = await member([]);
  const { secret } = await accounts.setupTwoFactor(at.ctx, id);
  const code = generateSync({ secret, epoch: Math.floor(Date.parse(at.ctx.now()) / 1000) });
  const codes = (await accounts.confirmTwoFactor(at.ctx, id, code)) ?? [];
  const { url } = await accounts.linkFor(at.ctx, 'login-link', id);
  const { knex } = at.database.db;
  const rows = await Promise.all(
    ['second_factors', 'recovery_codes'].map((table) => knex(table).where({ subject_id: id })),
  );
  const text = JSON.stringify([...rows, await knex('one_time_tokens').where({ subject_id: id })]);
  for (const hidden of [secret, codes[0] as string, (codes[0] as string).replaceAll('-', ''), url.slice(-43)])
    expect(text).not.toContain(hidden);
});

it('a deleted account leaves no second factor behind', async () => {
  const { id } = await member([]);
  await accounts.setupTwoFactor(at.ctx, id);
  await accounts.remove(at.ctx, id);
  expect(await at.database.db.knex('second_factors').where({ subject_id: id })).toEqual([]);
});

it('of two who take one address at once, one gets it', async () => {
  const make = () => accounts.create(at.ctx, { email: 'Same@x.test', password }).catch(({ code }) => code);
  const results = await Promise.all([make(), make()]);
  expect(results.filter((one) => one === 'CONFLICT')).toHaveLength(1);
});
