import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { sentFields } from '#kernel/service/input.ts';
import { action, adminResource, beside } from '../admin/index.ts';
import * as adminTokens from './admin-tokens.ts';
import { adminTokenRows } from './queries.ts';
import { AdminTokenCreate, AdminTokenRevokeBody } from './schemas.ts';
import { adminTokenScreen } from './screen.ts';
import { AdminTokenView } from './view.ts';

/** @throws AppError NOT_FOUND */
async function get(ctx: Ctx, id: string): Promise<AdminTokenView> {
  await adminTokens.get(ctx, id);
  return (await adminTokenRows.find(ctx, id)) as AdminTokenView;
}

/** Tokens that programs and logins open the admin API with, for staff. */
export const adminTokenResource = adminResource<AdminTokenView, typeof AdminTokenCreate>({
  name: 'admin-tokens',
  labels: { one: 'admin token', many: 'admin tokens' },
  about: 'Bearer tokens of the admin API',
  needs: { read: 'users:read', create: 'users:write', write: 'users:write' },
  screen: adminTokenScreen,
  rows: adminTokenRows,
  ofInstallation: true,
  get,
  create: {
    schema: AdminTokenCreate,
    summary: 'Create an admin token; its secret is shown once',
    sudo: true,
    beside: {
      rawToken: z.string().describe('The secret, shown only once; send it as `Authorization: Bearer`'),
    },
    errors: ['NOT_FOUND'],
    run: (ctx, input, { note }) =>
      ctx.tx(async (ctx) => {
        const { name, role, ...given } = input;
        const asked = { ...sentFields(given), name, role };
        const { adminToken, secret } = await adminTokens.create(ctx, asked, note);
        return beside(await get(ctx, adminToken.id), { rawToken: secret });
      }),
  },
  actions: {
    revoke: action<AdminTokenView, typeof AdminTokenRevokeBody>({
      label: 'Revoke',
      summary: 'Revoke an admin token immediately and permanently',
      needs: 'users:write',
      level: 'moderate',
      where: 'both',
      sudo: true,
      input: AdminTokenRevokeBody,
      errors: [],
      when: ({ revokedAt }) => revokedAt === null,
      run: (ctx, id, { reason }, { note }) =>
        ctx.tx(async (ctx) => {
          await adminTokens.revoke(ctx, id, reason ?? note);
          return get(ctx, id);
        }),
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/admin-tokens',
      item: 'adminToken',
      view: AdminTokenView,
      toView: (token) => token,
    },
  ],
});
