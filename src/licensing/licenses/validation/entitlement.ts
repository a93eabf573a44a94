import type { Ctx } from '#kernel/context.ts';
import type { Json } from '#kernel/http/json-object.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { refusal } from '../decision/index.ts';
import { factsOf, judge, resolveKey } from '../standing/index.ts';
import type { ValidateEntitlementInput } from './schemas.ts';

export interface EntitlementAnswer {
  /** Whether the license is usable, grace included. */
  valid: boolean;
  /** Whether the entitlement is there and not false, whatever the license's status. */
  entitled: boolean;
  /** As stored; null when it is not there. */
  value: Json;
  grace?: true;
}

/**
 * Whether a license holds an entitlement, from its own features or its policy. Read-only: takes no lock and writes
 * nothing (spec POST /api/v1/license/validate-entitlement; D26, D36, D82, C13).
 *
 * @throws AppError NOT_FOUND, INVALID_KEY; never because of the license's status (D37)
 */
export async function validateEntitlement(
  ctx: Ctx,
  { licenseKey, entitlement }: ValidateEntitlementInput,
): Promise<EntitlementAnswer> {
  const now = ctx.now();
  const resolved = await resolveKey(ctx, licenseKey, '', now);
  const facts = factsOf(resolved, { entitlement }, ctx.settings.get(defaultLeaseSeconds));
  const decision = judge(ctx, 'validate-entitlement', facts, now, '');
  if (!decision.entitlement) throw refusal('validate-entitlement', decision);
  return { ...decision.entitlement, ...(decision.grace && { grace: true }) };
}
