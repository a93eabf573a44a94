import type { Ctx } from '#kernel/context.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { LicenseFacts, PolicyFacts } from '#licensing/licenses/decision/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { findStanding, type Standing } from '#licensing/licenses/standing/index.ts';
import { policyFactsOf } from '../policies/index.ts';
import { withLicenseChanges, withPolicyChanges } from './overlay.ts';
import type { CheckedSimulation, DraftInput } from './schemas.ts';

/** Whose policy governs a license (D64). */
export type PolicySource = 'license' | 'product' | 'none';

/** A license, real or not, as it would stand with all changes made. */
export interface Scene extends Pick<Standing, 'policy' | 'activation' | 'used'> {
  license: Standing['license'];
  product: Pick<Standing['product'], 'id' | 'status' | 'licensingMode' | 'criticalUpdatesForExpired'>;
  policySource: PolicySource;
}

/**
 * Sets the scene of a simulation: reads, never writes.
 *
 * @param at ISO 8601 UTC, the moment whose leases count
 * @throws AppError NOT_FOUND for a license, product or policy that the caller may not know of; VALIDATION_ERROR when
 *   changed rules of the policy contradict each other
 */
export async function sceneOf(ctx: Ctx, asked: CheckedSimulation, at: string): Promise<Scene> {
  const { license = {}, policy = {} } = asked.changes ?? {};
  const start = asked.draft
    ? await fromDraft(ctx, asked.draft)
    : await fromStored(ctx, asked.licenseId ?? '', asked.machineId ?? '', at);
  const { policyId, ...fields } = license;
  const governed = policyId === undefined ? start : await governedBy(ctx, start, policyId);
  return {
    ...governed,
    license: withLicenseChanges(governed.license, fields, at),
    policy: withPolicyChanges(governed.policy, policy),
  };
}

async function fromStored(ctx: Ctx, id: string, machineId: string, at: string): Promise<Scene> {
  const { policyId } = await licenses.get(ctx, id);
  const standing = await findStanding(ctx, { id }, machineId, at);
  if (!standing) throw fail('NOT_FOUND', `license ${id} was not found`);
  return { ...standing, policySource: sourceOf(policyId, standing.policy) };
}

const sourceOf = (ownPolicyId: string | null, policy: PolicyFacts | null): PolicySource => {
  if (policy === null) return 'none';
  return ownPolicyId === null ? 'product' : 'license';
};

async function fromDraft(ctx: Ctx, draft: DraftInput): Promise<Scene> {
  const product = await products.get(ctx, draft.productId);
  const { policyId = null } = draft;
  const governing = policyId ?? product.policyId;
  const policy = governing === null ? null : policyFactsOf(await policies.get(ctx, governing));
  return {
    license: draftLicense(ctx, draft, product),
    product,
    policy,
    policySource: sourceOf(policyId, policy),
    activation: null,
    used: 0,
  };
}

const draftLicense = (ctx: Ctx, draft: DraftInput, product: products.Product): Scene['license'] => ({
  id: 'draft',
  tenantId: ctx.tenantId,
  customerId: null,
  status: draft.status ?? 'ACTIVE',
  type: draft.type,
  tier: draft.tier,
  validUntil: draft.validUntil ?? null,
  maxActivations: draft.maxActivations ?? product.defaultMaxActivations,
  maxVersion: draft.maxVersion ?? null,
  maxUses: draft.maxUses ?? null,
  currentUses: 0,
  features: (draft.features ?? null) as LicenseFacts['features'],
  gracePeriodSeconds: null,
  suspendedAt: null,
  revokedAt: null,
});

/** As if the license named this policy, or none of its own any more. */
async function governedBy(ctx: Ctx, scene: Scene, policyId: string | null): Promise<Scene> {
  if (policyId !== null) {
    const policy = policyFactsOf(await policies.get(ctx, policyId));
    return { ...scene, policy, policySource: 'license' };
  }
  const product = await products.get(ctx, scene.product.id);
  const policy = product.policyId === null ? null : policyFactsOf(await policies.get(ctx, product.policyId));
  return { ...scene, policy, policySource: sourceOf(null, policy) };
}
