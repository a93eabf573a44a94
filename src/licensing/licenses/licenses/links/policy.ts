import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { expireAmong } from '../lock.ts';
import * as repo from './repository.ts';

/** What a policy is attached to: a product by id or slug, and up to 1000 licenses by id. */
export interface PolicyTargets {
  product?: string | undefined;
  licenseIds?: readonly string[] | undefined;
}

const MOST_LICENSES = 1000;

interface Locked {
  product: products.PolicyLink | null;
  licenses: products.PolicyLink[];
}

/**
 * Names a policy on a product, on licenses, or both; another one that stood there is replaced (licensing 4.2, D64).
 * All targets change or none does.
 *
 * @throws AppError NOT_FOUND for the policy or a target; VALIDATION_ERROR without a target or with too many
 */
export const attachPolicy = (ctx: Ctx, idOrName: string, targets: PolicyTargets): Promise<policies.Policy> =>
  change(ctx, idOrName, targets, 'POLICY_ATTACHED', (policyId) => ({
    concerns: (linked) => linked.policyId !== policyId,
    next: policyId,
  }));

/**
 * Takes a policy off a product, licenses, or both. A target that names another policy or none is left as it is.
 *
 * @throws as `attachPolicy`
 */
export const detachPolicy = (ctx: Ctx, idOrName: string, targets: PolicyTargets): Promise<policies.Policy> =>
  change(ctx, idOrName, targets, 'POLICY_DETACHED', (policyId) => ({
    concerns: (linked) => linked.policyId === policyId,
    next: null,
  }));

type LinkEvent = 'POLICY_ATTACHED' | 'POLICY_DETACHED';

interface Plan {
  /** Whether a target has to change. */
  concerns: (linked: products.PolicyLink) => boolean;
  next: string | null;
}

async function change(
  ctx: Ctx,
  idOrName: string,
  targets: PolicyTargets,
  type: LinkEvent,
  planFor: (policyId: string) => Plan,
): Promise<policies.Policy> {
  checkTargets(targets);
  return ctx.tx(async (ctx) => {
    // The policy is not locked: whoever changes a product holds the product first, and this has to be the same order.
    const policy = await policies.get(ctx, idOrName);
    const { concerns, next } = planFor(policy.id);
    const { product, licenses } = await lockTargets(ctx, targets);
    // What has expired did so under the policy that it had: its event tells of that one's grace.
    await expireAmong(
      ctx,
      licenses.map(({ id }) => id),
    );
    const changed = {
      product: product && concerns(product) ? product : null,
      licenses: licenses.filter(concerns),
    };
    await write(ctx, changed, next, policy.name);
    await tell(ctx, type, policy, changed);
    return policy;
  });
}

function checkTargets({ product, licenseIds = [] }: PolicyTargets): void {
  if (product === undefined && licenseIds.length === 0) {
    throw fail('VALIDATION_ERROR', 'a product or licenses must be named');
  }
  if (licenseIds.length > MOST_LICENSES) {
    throw fail('VALIDATION_ERROR', `licenseIds must have at most ${MOST_LICENSES} items`);
  }
}

async function lockTargets(ctx: Ctx, { product, licenseIds = [] }: PolicyTargets): Promise<Locked> {
  const found = product === undefined ? null : await products.lockPolicyLink(ctx, product);
  if (product !== undefined && !found) throw fail('NOT_FOUND', `there is no product ${product}`);
  const wanted = [...new Set(licenseIds)];
  const licenses = wanted.length === 0 ? [] : await repo.lockPolicyLinks(ctx, wanted);
  const known = new Set(licenses.map(({ id }) => id));
  const unknown = wanted.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw fail('NOT_FOUND', `there is no license ${unknown[0]}`, { details: { licenseIds: unknown } });
  }
  return { product: found, licenses };
}

async function write(
  ctx: Ctx,
  { product, licenses }: Locked,
  next: string | null,
  name: string,
): Promise<void> {
  const rowIds = licenses.map(({ id }) => id);
  try {
    if (product) await products.linkPolicy(ctx, product.id, next);
    if (rowIds.length > 0) await repo.linkPolicy(ctx, rowIds, next);
  } catch (error) {
    if (isForeignKeyViolation(error)) throw fail('NOT_FOUND', `policy ${name} was deleted meanwhile`);
    throw error;
  }
}

/** One event for the policy and one for each target, so that a license's own timeline tells it too. */
async function tell(
  ctx: Ctx,
  type: LinkEvent,
  policy: policies.Policy,
  { product, licenses }: Locked,
): Promise<void> {
  const targets = product ? [product, ...licenses] : licenses;
  if (targets.length === 0) return;
  const subjects = [policy.id, ...targets.map(({ id }) => id)];
  const data = {
    policyId: policy.id,
    name: policy.name,
    productId: product?.id ?? null,
    licenseIds: licenses.map(({ id }) => id),
  };
  for (const subject of subjects) {
    const own = subject === policy.id ? data : { policyId: policy.id, name: policy.name };
    await policies.policyEvents.tell(ctx, type, subject, own);
  }
}
