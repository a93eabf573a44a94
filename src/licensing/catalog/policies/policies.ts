import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { type Condition, requireUnchanged } from '#kernel/service/precondition.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import { policyEvents } from './events.ts';
import { policyRows } from './queries.ts';
import type { Policy } from './record.ts';
import * as repo from './repository.ts';
import { PolicyCreate, type PolicyCreateInput, PolicyUpdate, type PolicyUpdateInput } from './schemas.ts';

/**
 * Makes a policy (licensing 4.2). Left out: NO_ACTION, no grace, trial reuse FLAG, abuse action NONE, no other rule.
 *
 * @throws AppError VALIDATION_ERROR; CONFLICT for a taken name; INSUFFICIENT_SCOPE for who is confined to products: any
 *   product of the tenant may name a policy
 */
export async function create(ctx: Ctx, input: PolicyCreateInput): Promise<Policy> {
  requireUnconfined(ctx.actor, 'license_product');
  const checked = checkInput(PolicyCreate, input);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const policy: Policy = {
      ...NO_RULES,
      ...sentFields(checked),
      id: ctx.newId(ids.policy),
      tenantId: ctx.tenantId,
      name: checked.name,
      createdAt: now,
      updatedAt: now,
    };
    await storing(policy.name, repo.insert(ctx, policy));
    await policyEvents.tell(ctx, 'POLICY_CREATED', policy.id, { name: policy.name }, { after: policy });
    return policy;
  });
}

const NO_RULES = {
  heartbeatInterval: null,
  heartbeatCullStrategy: 'NO_ACTION',
  defaultLeaseDuration: null,
  entitlements: null,
  gracePeriodSeconds: 0,
  defaultDurationDays: null,
  maxUses: null,
  maxVersion: null,
  maxDeactivations: null,
  deactivationWindowDays: null,
  offlineMaxTtlSeconds: null,
  trialReuse: 'FLAG',
  abuseAction: 'NONE',
} as const;

/** One page of the tenant's policies, by name; `q` is looked for in the name. */
export async function list(ctx: Ctx, asked: PageAsked & { q?: string | undefined }): Promise<Page<Policy>> {
  return pageOf(asked, await policyRows.page(ctx, { ...sliceOf(asked), q: asked.q }));
}

/** The policy, or null: unknown or of another tenant. */
export const find = (ctx: Ctx, idOrName: string): Promise<Policy | null> => repo.find(ctx, idOrName);

/** @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, idOrName: string): Promise<Policy> =>
  (await repo.find(ctx, idOrName)) ?? missing(idOrName);

/**
 * Changes fields of a policy; what is not sent stays, null clears. It holds for every license that the policy
 * governs at once, because decisions read the policy, not a copy (D64).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, also when the merged rules contradict each other; CONFLICT for a
 *   taken name; PRECONDITION_FAILED when it was changed since it was read
 */
export async function update(
  ctx: Ctx,
  idOrName: string,
  input: PolicyUpdateInput,
  condition: Condition = {},
): Promise<Policy> {
  requireUnconfined(ctx.actor, 'license_product');
  // The input is judged before the policy is looked for (D3).
  const checked = checkInput(PolicyUpdate, input);
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, idOrName, condition);
    const merged = amended(before, checked);
    const diff = changesBetween(before, merged);
    if (Object.keys(diff).length === 0) return before;
    const after = { ...merged, updatedAt: ctx.now() };
    await storing(after.name, repo.update(ctx, after));
    await policyEvents.tell(ctx, 'POLICY_UPDATED', after.id, { name: after.name }, { before, after });
    return after;
  });
}

/**
 * A policy as a change would leave it; nothing is written.
 *
 * @throws AppError VALIDATION_ERROR, also when the merged rules contradict each other
 */
export function amended(before: Policy, input: PolicyUpdateInput): Policy {
  const merged: Policy = { ...before, ...sentFields(checkInput(PolicyUpdate, input)) };
  const { id, tenantId, createdAt, updatedAt, ...rules } = merged;
  checkInput(PolicyCreate, rules);
  return merged;
}

/**
 * Deletes a policy that nothing names.
 *
 * @throws AppError NOT_FOUND; CONFLICT while products or licenses name it; PRECONDITION_FAILED
 */
export async function remove(ctx: Ctx, idOrName: string, condition: Condition = {}): Promise<void> {
  requireUnconfined(ctx.actor, 'license_product');
  await ctx.tx(async (ctx) => {
    // Under the row's lock nothing can begin to name it: the foreign key has to wait.
    const policy = await lock(ctx, idOrName, condition);
    const links = await repo.countLinks(ctx, policy.id);
    if (links.products + links.licenses > 0) throw inUse(policy.name, links);
    await removeRow(ctx, policy);
    await policyEvents.tell(ctx, 'POLICY_DELETED', policy.id, { name: policy.name }, { before: policy });
  });
}

async function lock(ctx: Ctx, idOrName: string, { ifMatch }: Condition): Promise<Policy> {
  const policy = (await repo.lock(ctx, idOrName)) ?? missing(idOrName);
  requireUnchanged(policy.name, policy.updatedAt, ifMatch);
  return policy;
}

async function removeRow(ctx: Ctx, policy: Policy): Promise<void> {
  try {
    await repo.remove(ctx, policy.id);
  } catch (error) {
    if (isForeignKeyViolation(error)) throw inUse(policy.name, null);
    throw error;
  }
}

function inUse(name: string, links: { products: number; licenses: number } | null) {
  const users = links ? `${links.products} products and ${links.licenses} licenses` : 'something';
  return fail('CONFLICT', `policy ${name} is named by ${users} and cannot be deleted`, {
    details: { reason: 'IN_USE', ...links, hint: `appctl policy detach ${name}` },
  });
}

/** The index decides whether a name is free, so that two at once cannot both find it so. */
async function storing(name: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw fail('CONFLICT', `name ${name} is taken by another policy`, {
      details: { reason: 'DUPLICATE', hint: `appctl policy show ${name}` },
    });
  }
}

function missing(idOrName: string): never {
  throw fail('NOT_FOUND', `policy ${idOrName} was not found`, { details: { hint: 'appctl policy list' } });
}
