import type { Ctx } from '#kernel/context.ts';
import type { Owed } from '#kernel/http/session-keeper.ts';
import { requireAdminTwoFactor } from './local.ts';

/** What an account of staff has to do before it may do anything else (`require_admin_2fa`); null for nothing. */
export function owedBy(
  ctx: Ctx,
  account: { mustChangePassword: boolean; hasSecondFactor: boolean },
): Owed | null {
  if (account.mustChangePassword) return 'NEW_PASSWORD';
  return !account.hasSecondFactor && ctx.settings.get(requireAdminTwoFactor) ? 'SECOND_FACTOR' : null;
}
