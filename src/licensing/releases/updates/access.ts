import type { Ctx } from '#kernel/context.ts';
import { textFault } from '#kernel/http/fields.ts';
import { fail } from '#licensing/contract/errors.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import {
  type Decision,
  decide,
  effectiveMaxVersion,
  entitlementOf,
  mergeFeatures,
  refusal,
  statusAt,
} from '#licensing/licenses/decision/index.ts';
import {
  factsOf,
  findUpdateStanding,
  judge,
  resolveUpdateKey,
  type UpdateStanding,
} from '#licensing/licenses/standing/index.ts';
import type { Release } from '../releases/index.ts';
import type { Rights } from './choose.ts';

/** What a request brings before it is judged. */
interface Presented {
  header(name: string): string | undefined;
  readonly query: unknown;
}

/** Entitlement that opens the channels before stable (D71). */
const PRERELEASE = 'prerelease';

/**
 * Opens an update endpoint by X-License-Key (spec, License key; D3, D36, D100): the key decides the tenant. What it is
 * refused for is never told: one text stands for all of it (6.6).
 *
 * @throws AppError INVALID_LICENSE for a key that is missing, unknown, or of a license that is not ACTIVE, unless its
 *   product gives critical updates to expired ones (6.8)
 */
export async function admit(ctx: Ctx, request: Presented): Promise<UpdateStanding> {
  const typed = request.header('x-license-key');
  if (!typed) throw fail('INVALID_LICENSE');
  const now = ctx.now();
  const machineId = machineOf(request);
  const standing = requireUsable(ctx, await resolveUpdateKey(ctx, typed, machineId, now), now, machineId);
  // A request that is refused for its input belongs to the license as well.
  const { license, product } = standing;
  const known = { subject: license.id, tenantId: license.tenantId, owner: product.id };
  if (ctx.origin.trail) Object.assign(ctx.origin.trail, known);
  return standing;
}

/**
 * Opens the updates of a license to the customer who owns it and has signed in: by its id, as its key would (licensing
 * 2.12).
 *
 * @throws AppError INVALID_LICENSE as `admit`
 */
export async function admitOwner(ctx: Ctx, licenseId: string): Promise<UpdateStanding> {
  const now = ctx.now();
  const standing = await findUpdateStanding(ctx, { id: licenseId }, now);
  return requireUsable(ctx, { malformed: false, standing }, now, '');
}

function requireUsable(
  ctx: Ctx,
  resolved: { malformed: boolean; standing: UpdateStanding | null },
  now: string,
  machineId: string,
): UpdateStanding {
  const { standing } = resolved;
  const facts = factsOf(resolved, {}, ctx.settings.get(defaultLeaseSeconds));
  if (standing && decide('update', facts, now).allowed) return standing;
  throw refusal('update', judge(tenantOf(ctx, standing), 'update', facts, now, machineId));
}

const tenantOf = (ctx: Ctx, standing: UpdateStanding | null): Ctx =>
  standing === null ? ctx : ctx.with({ tenantId: standing.license.tenantId });

/** The machine as a report names it: nothing of it was judged yet. */
function machineOf({ header, query }: Presented): string {
  const named = (query as Record<string, unknown>).machine_id ?? header('x-machine-id');
  const { min, max } = bounds.machineId;
  return typeof named === 'string' && textFault(named, min, max) === null ? named : '';
}

/**
 * Decides for one request of an admitted caller, and counts it (6.5).
 *
 * @param release that is asked for by its id; null for a question about any
 * @param machineId empty for none
 * @throws AppError INVALID_LICENSE; NOT_FOUND for a release that the license does not cover (D90)
 */
export function judgeUpdate(
  ctx: Ctx,
  standing: UpdateStanding,
  release: Pick<Release, 'version' | 'isCritical' | 'productId' | 'requiredEntitlements'> | null,
  machineId: string,
): Decision {
  const asked = release === null ? {} : { release };
  const facts = factsOf({ malformed: false, standing }, asked, ctx.settings.get(defaultLeaseSeconds));
  const decision = judge(tenantOf(ctx, standing), 'update', facts, ctx.now(), machineId);
  if (!decision.allowed) throw refusal('update', decision);
  return decision;
}

/**
 * Lets only the product of the license through, whatever else an address names (D90).
 *
 * @throws AppError INVALID_LICENSE
 */
export function requireProduct(ctx: Ctx, standing: UpdateStanding, slug: string, machineId: string): void {
  if (standing.product.slug !== slug) judgeUpdate(ctx, standing, FOREIGN, machineId);
}

/** A release of another product: nothing else of it counts. */
export const FOREIGN = { version: '', isCritical: false, productId: '', requiredEntitlements: [] } as const;

/** What the license opens at this moment. */
export function rightsOf(
  standing: Pick<UpdateStanding, 'license' | 'policy' | 'prereleaseNeedsBeta'>,
  now: string,
): Rights {
  const { license, policy, prereleaseNeedsBeta } = standing;
  const features = mergeFeatures(license.features, policy?.entitlements ?? null);
  return {
    maxVersion: effectiveMaxVersion(license, policy),
    features,
    prereleases:
      !prereleaseNeedsBeta || license.type === 'BETA' || entitlementOf(features, PRERELEASE).entitled,
    onlyCritical: statusAt(license, now) === 'EXPIRED',
  };
}
