import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { expireAmong } from '../lock.ts';
import * as repo from './repository.ts';

/** What a policy is attached to: products by id or slug, and licenses by id, up to 1000 of each. */
export interface PolicyTargets {
  productIds?: readonly string[] | undefined;
  licenseIds?: readonly string[] | undefined;
}

/** Targets of one kind in one call. */
export const MOST_POLICY_TARGETS = 1000;

interface Locked {
  products: products.PolicyLink[];
  licenses: products.PolicyLink[];
}

/**
 * Names a policy on products, on licenses, or both; another one that stood there is replaced (licensing 4.2, D64).
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
 * Takes a policy off products, licenses, or both. A target that names another policy or none is left as it is.
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
    const { products, licenses } = await lockTargets(ctx, targets);
    // What has expired did so under the policy that it had: its event tells of that one's grace.
    await expireAmong(
      ctx,
      licenses.map(({ id }) => id),
    );
    const changed = { products: products.filter(concerns), licenses: licenses.filter(concerns) };
    await write(ctx, changed, next, policy.name);
    await tell(ctx, { type, policy, next }, changed);
    return policy;
  });
}

function checkTargets({ productIds = [], licenseIds = [] }: PolicyTargets): void {
  if (productIds.length === 0 && licenseIds.length === 0) {
    throw fail('VALIDATION_ERROR', 'a product or licenses are required');
  }
  for (const [name, { length }] of Object.entries({ productIds, licenseIds })) {
    if (length > MOST_POLICY_TARGETS)
      throw fail('VALIDATION_ERROR', `${name} must have at most ${MOST_POLICY_TARGETS} items`);
  }
}

async function lockTargets(ctx: Ctx, { productIds = [], licenseIds = [] }: PolicyTargets): Promise<Locked> {
  const links = await lockProducts(ctx, productIds);
  const wanted = [...new Set(licenseIds)];
  const licenses = wanted.length === 0 ? [] : await repo.lockPolicyLinks(ctx, wanted);
  const known = new Set(licenses.map(({ id }) => id));
  const unknown = wanted.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw fail('NOT_FOUND', `license ${unknown[0]} was not found`, { details: { licenseIds: unknown } });
  }
  return { products: links, licenses };
}

/** In the order of their ids, so that two at once cannot wait for each other. */
async function lockProducts(ctx: Ctx, named: readonly string[]): Promise<products.PolicyLink[]> {
  const ids = new Set<string>();
  for (const name of named) ids.add((await products.get(ctx, name)).id);
  const locked: products.PolicyLink[] = [];
  for (const id of [...ids].sort()) {
    const link = await products.lockPolicyLink(ctx, id);
    if (!link) throw fail('NOT_FOUND', `product ${id} was not found`);
    locked.push(link);
  }
  return locked;
}

async function write(
  ctx: Ctx,
  { products: links, licenses }: Locked,
  next: string | null,
  name: string,
): Promise<void> {
  const rowIds = licenses.map(({ id }) => id);
  try {
    for (const { id } of links) await products.linkPolicy(ctx, id, next);
    if (rowIds.length > 0) await repo.linkPolicy(ctx, rowIds, next);
  } catch (error) {
    if (isForeignKeyViolation(error)) throw fail('NOT_FOUND', `policy ${name} was deleted in the meantime`);
    throw error;
  }
}

/** One event for the policy and one for each target, so that a license's own timeline tells it too. */
async function tell(
  ctx: Ctx,
  {
    type,
    policy: { id: policyId, name },
    next,
  }: { type: LinkEvent; policy: policies.Policy; next: string | null },
  { products: links, licenses }: Locked,
): Promise<void> {
  if (links.length + licenses.length === 0) return;
  const idsOf = (targets: readonly products.PolicyLink[]) => targets.map(({ id }) => id);
  const data = { policyId, name, productIds: idsOf(links), licenseIds: idsOf(licenses) };
  await policies.policyEvents.tell(ctx, type, policyId, data);
  for (const [target, changed] of [['products', links] as const, ['licenses', licenses] as const]) {
    for (const link of changed) {
      const told = { target, before: { policyId: link.policyId }, after: { policyId: next } };
      await policies.policyEvents.tell(ctx, type, link.id, { policyId, name }, told);
    }
  }
}
