import type { Ctx } from '#kernel/context.ts';
import * as accounts from '#platform/accounts/index.ts';
import { adminUserRecord } from '#platform/accounts/record.ts';
import { staffResource } from '#platform/accounts/resource.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';
const STATUSES = ['active', 'invited', 'disabled'] as const;

let made = 0;
const email = () => `staff-${made++}@example.com`;
const password = 'violet-engine-42-lantern';

/** Hashing takes a tenth of a second, and nobody signs in here. */
async function joined(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(({ db }) => db.knex('admin_users').where({ id }).update({ status: 'active' }));
}

export const userSample: ResourceSample = {
  resource: staffResource,
  rows: {
    'GET /users': 'users:read',
    'GET /users/export': 'users:read',
    'GET /users/{id}': 'users:read',
    'GET /users/{id}/sessions': 'users:read',
    'POST /users': 'users:write',
    'POST /users/bulk': 'users:write',
    'PATCH /users/{id}': 'users:write',
    'DELETE /users/{id}': 'users:write',
    'POST /users/{id}/end-sessions': 'users:write',
    'POST /users/{id}/disable': 'users:write',
    'POST /users/{id}/enable': 'users:write',
    'POST /users/{id}/unlock': 'users:write',
    'POST /users/{id}/invite': 'users:write',
    'POST /users/{id}/reset-link': 'users:write',
    'POST /users/{id}/login-link': 'users:write',
    'POST /users/{id}/reset-password': 'users:write',
    'POST /users/{id}/reset-2fa': 'users:write',
  },
  async make(ctx, operation) {
    const { user } = await accounts.invite(ctx, { email: email(), roles: ['viewer'] });
    if (!operation.endsWith('/invite')) await joined(ctx, user.id);
    return { id: user.id };
  },
  bodies: {
    'POST /users': () => ({ email: email(), name: 'Ann', roles: ['viewer'] }),
    'POST /users/bulk': ({ id }) => ({ action: 'disable', ids: [id] }),
    'PATCH /users/{id}': () => ({ name: 'Bob', roles: ['viewer'], scopes: [], note: 'renamed' }),
    'POST /users/{id}/end-sessions': () => ({}),
    'POST /users/{id}/disable': () => ({ note: 'left' }),
    'POST /users/{id}/enable': () => ({}),
    'POST /users/{id}/unlock': () => ({}),
    'POST /users/{id}/invite': () => ({}),
    'POST /users/{id}/reset-link': () => ({}),
    'POST /users/{id}/login-link': () => ({ seconds: 60 }),
    'POST /users/{id}/reset-password': () => ({ password, mustChangePassword: true }),
    'POST /users/{id}/reset-2fa': () => ({}),
  },
  async seed(ctx, n) {
    const seeded: string[] = [];
    await seedRows(ctx, adminUserRecord.table, n, (i) => {
      const id = ctx.newId('usr');
      seeded.push(id);
      return adminUserRecord.write(
        {
          id,
          email: `${id.toLowerCase()}@example.com`,
          // The first characters are what a spreadsheet would run.
          name: `${i % 7 === 0 ? '=' : ''}Seeded ${i}`,
          status: STATUSES[i % 3] as (typeof STATUSES)[number],
          createdAt: i % 2 === 0 ? LONG_AGO : ctx.now(),
        },
        {
          passwordHash: null,
          founder: false,
          lastLoginAt: i % 4 === 0 ? null : i % 4 === 1 ? LONG_AGO : ctx.now(),
          sessionGeneration: 0,
          failedSignIns: 0,
          lockedUntil: null,
          mustChangePassword: false,
          updatedAt: ctx.now(),
        },
      );
    });
    const created_at = ctx.now();
    const every = (step: number) => seeded.filter((_, i) => i % step === 0);
    const factors = every(5).map((subject_id) => ({
      subject_id,
      secret_enc: 'x',
      enabled_at: created_at,
      created_at,
    }));
    const [role] = await ctx.db.knex('roles').where({ name: 'support' }).select('id');
    const held = every(3).map((admin_user_id) => ({ admin_user_id, role_id: role.id, created_at }));
    await seedRows(ctx, 'second_factors', factors.length, (i) => factors[i] ?? {});
    await seedRows(ctx, 'admin_user_roles', held.length, (i) => held[i] ?? {});
  },
  everyTenant: true,
  filters: {
    status: 'invited,disabled',
    role: 'support',
    hasTwoFactor: 'true',
    inactive: 'true',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    q: 'seeded 1',
  },
};
