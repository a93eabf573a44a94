// What `appctl doctor license.invariants` says of a test's database (licensing 8.8).
import type { CheckScope, Finding } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import { integrity } from '#licensing/moving/integrity/capability.ts';

/** @returns `status: 'ok'` when stored licenses keep their rules; the message names those that do not */
export async function checkInvariants(ctx: Ctx): Promise<Finding | undefined> {
  const check = integrity.checks?.find(({ id }) => id === 'license.invariants');
  // The check asks the tables and nothing else of its scope.
  return check?.run({ opened: { ctx, current: true } } as unknown as CheckScope);
}
