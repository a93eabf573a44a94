import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { linksOf } from './queries.ts';
import { type Policy, policyRecord } from './record.ts';

const Rules = storedView(policyRecord, [
  'id',
  'name',
  'heartbeatInterval',
  'heartbeatCullStrategy',
  'defaultLeaseDuration',
  'entitlements',
  'gracePeriodSeconds',
  'defaultDurationDays',
  'maxUses',
  'maxVersion',
  'maxDeactivations',
  'deactivationWindowDays',
  'offlineMaxTtlSeconds',
  'trialReuse',
  'abuseAction',
]);

/** A policy as staff see it; null means that it sets no such rule. */
export const PolicyView = later(() =>
  z
    .object({
      ...Rules.shape,
      /** How many products and licenses name it themselves, without trashed ones. */
      linked: z.object({ products: count(), licenses: count() }),
      ...storedView(policyRecord, ['createdAt', 'updatedAt']).shape,
    })
    .meta({ id: 'Policy' }),
);
export type PolicyView = z.output<typeof PolicyView>;

/** Policies with what names them. */
export async function policyViews(policies: readonly Policy[], ctx: Ctx): Promise<PolicyView[]> {
  const links = await linksOf(
    ctx,
    policies.map(({ id }) => id),
  );
  return policies.map((policy) => shownBy(PolicyView, { ...policy, linked: links(policy.id) }));
}
