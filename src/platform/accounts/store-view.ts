import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { roleIds } from '../roles/index.ts';
import { StaffView } from './view.ts';

/** An account of staff as the JSON of the store shows it (storefront-api.md 2). */
export const AdminUserView = later(() =>
  z
    .object({
      ...StaffView.pick({ id: true, email: true, name: true, status: true, timezone: true }).shape,
      role_ids: z.array(z.string()),
      /** Names of the same roles. */
      roles: z.array(z.string()),
      /** Rows that it is confined to; a kind that is absent confines to nothing. */
      scopes: z.array(z.object({ kind: StaffView.shape.scopes.element.shape.kind, ref_id: z.string() })),
      two_factor_enabled: z.boolean(),
      recovery_codes_left: count(),
      locked_until: instant().nullable(),
      must_change_password: z.boolean(),
      /** Browsers in which it is signed in. */
      sessions: count(),
      last_login_at: instant().nullable(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'AdminUser' }),
);
type AdminUserView = z.output<typeof AdminUserView>;

/** Accounts in the JSON of the store, in their order. */
export async function adminUserViews(ctx: Ctx, users: readonly StaffView[]): Promise<AdminUserView[]> {
  const idOf = await roleIds(ctx);
  return users.map((user) => ({
    id: user.id,
    email: user.email,
    name: user.name,
    status: user.status,
    timezone: user.timezone,
    role_ids: user.roles.flatMap((name) => idOf.get(name) ?? []),
    roles: user.roles,
    scopes: user.scopes.map(({ kind, refId }) => ({ kind, ref_id: refId })),
    two_factor_enabled: user.twoFactor.enabled,
    recovery_codes_left: user.twoFactor.recoveryCodesLeft,
    locked_until: user.lockedUntil,
    must_change_password: user.mustChangePassword,
    sessions: user.sessions,
    last_login_at: user.lastLoginAt,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  }));
}

/** One account in the JSON of the store. */
export const adminUserView = async (ctx: Ctx, user: StaffView): Promise<AdminUserView> =>
  (await adminUserViews(ctx, [user]))[0] as AdminUserView;
