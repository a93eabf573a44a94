import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { groupEvents } from './events.ts';
import { groupRows } from './queries.ts';
import type { CustomerGroup } from './record.ts';
import * as repo from './repository.ts';
import { GroupCreate, type GroupCreateInput, GroupUpdate, type GroupUpdateInput } from './schemas.ts';
import { settleGroup } from './settling.ts';

/** A group. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<CustomerGroup> =>
  (await groupRows.find(ctx, id)) ?? missing(id);

export function missing(id: string): never {
  throw fail('NOT_FOUND', `customer group ${id} does not exist`);
}

type Said = Pick<GroupUpdateInput, 'rule'>;

const ruleIn = ({ rule }: Said): CustomerGroup['rule'] =>
  rule ? { ...rule, match: rule.match ?? 'all' } : null;

/** @throws AppError CONFLICT, reason DUPLICATE; VALIDATION_ERROR for a price list that does not exist */
async function storing({ name, priceListId }: CustomerGroup, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isUniqueViolation(error))
      throw fail('CONFLICT', `another group is called ${name}; choose another name`, {
        details: { reason: 'DUPLICATE' },
      });
    if (isForeignKeyViolation(error))
      throw invalidField('price_list_id', `price list ${priceListId} does not exist`);
    throw error;
  }
}

const toldOf = ({ name, taxExempt, priceListId }: CustomerGroup) => ({ name, taxExempt, priceListId });

/**
 * Makes a group; a rule fills it at once.
 *
 * @throws AppError VALIDATION_ERROR; CONFLICT, reason DUPLICATE, for a name that another one has
 */
export async function create(ctx: Ctx, input: GroupCreateInput): Promise<CustomerGroup> {
  const { name, priceListId = null, taxExempt = false, rule } = checkInput(GroupCreate, input);
  const now = ctx.now();
  const group: CustomerGroup = {
    id: ctx.newId(ids.customerGroup),
    name,
    rule: ruleIn({ rule }),
    priceListId,
    taxExempt,
    createdAt: now,
    updatedAt: now,
  };
  await ctx.tx(async (ctx) => {
    await storing(group, () => repo.insertGroup(ctx, group));
    await groupEvents.tell(ctx, 'customer_group.created', group.id, toldOf(group), { after: group });
  });
  await settleGroup(ctx, group.id);
  return group;
}

/**
 * Changes a group; another rule brings other members at once. A group that loses its rule keeps its members.
 *
 * @throws AppError NOT_FOUND; otherwise as `create`
 */
export async function change(ctx: Ctx, id: string, input: GroupUpdateInput): Promise<CustomerGroup> {
  const { rule, ...sent } = sentFields(checkInput(GroupUpdate, input));
  const after = await ctx.tx(async (ctx) => {
    const before = (await repo.lockGroup(ctx, id)) ?? missing(id);
    const wanted = { ...before, ...sent, ...(rule !== undefined && { rule: ruleIn({ rule }) }) };
    if (JSON.stringify(wanted) === JSON.stringify(before)) return before;
    const after = { ...wanted, updatedAt: ctx.now() };
    await storing(after, () => repo.updateGroup(ctx, after));
    await groupEvents.tell(ctx, 'customer_group.updated', id, toldOf(after), { before, after });
    return after;
  });
  if (rule !== undefined) await settleGroup(ctx, id);
  return after;
}

/** Removes a group; its members stay customers. @throws AppError NOT_FOUND */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockGroup(ctx, id)) ?? missing(id);
    await repo.deleteGroup(ctx, id);
    await groupEvents.tell(ctx, 'customer_group.deleted', id, toldOf(before), { before });
  });
}
