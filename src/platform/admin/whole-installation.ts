import type { Actor } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';

/** Whether somebody sees every tenant, and all of each. */
export const seesWholeInstallation = ({ kind, isInstanceWide, scopes = {} }: Actor): boolean =>
  // Whoever works on the machine itself has the whole of it before them.
  kind === 'cli' || (isInstanceWide === true && Object.keys(scopes).length === 0);

/**
 * Demands staff of the whole installation for what concerns every tenant.
 *
 * @throws AppError INSUFFICIENT_SCOPE for the token of one tenant, and for who is confined to products
 */
export function requireWholeInstallation({ actor }: Ctx): void {
  if (seesWholeInstallation(actor)) return;
  throw fail('INSUFFICIENT_SCOPE', 'This needs access to the whole installation', {
    details: {
      reason: 'TENANT_TOKEN',
      hint:
        actor.kind === 'staff'
          ? 'ask an owner to remove the scopes of your account'
          : 'appctl admin token create --name NAME --role owner --instance',
    },
  });
}
