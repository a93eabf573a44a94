import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { groupEvents } from './events.ts';
import { isAbout, knownCustomers, missingMembers, surplusMembers } from './matching/queries.ts';
import { countMembers, ruledGroups } from './queries.ts';
import type { CustomerGroup } from './record.ts';
import * as repo from './repository.ts';
import { MembersChange, type MembersInput } from './schemas.ts';

/** Customers of one transaction. */
const AT_ONCE = 500;

/** Brings the members of a group in line with its rule, in steps; nothing where it has none. @returns how many moved */
export async function settleGroup(ctx: Ctx, id: string): Promise<number> {
  let moved = 0;
  for (;;) {
    const step = await ctx.tx(async (ctx) => {
      const group = await repo.lockGroup(ctx, id);
      if (!group?.rule) return 0;
      const gone = await surplusMembers(ctx, id, group.rule, AT_ONCE);
      const come = await missingMembers(ctx, id, group.rule, AT_ONCE);
      await repo.removeMembers(ctx, id, gone);
      await repo.addMembers(ctx, id, come);
      return gone.length + come.length;
    });
    moved += step;
    if (step < AT_ONCE) return moved;
  }
}

/** Brings the groups with a rule in line: orders and time change whom a rule is about, too. */
export async function settleGroups(ctx: Ctx): Promise<{ groups: number; moved: number }> {
  const groups = await ruledGroups(ctx);
  let moved = 0;
  for (const { id } of groups) moved += await settleGroup(ctx, id);
  return { groups: groups.length, moved };
}

/** Brings a customer who has changed into the groups whose rules say so, and out of the others, in the same transaction. */
export async function settleCustomer(ctx: Ctx, customerId: string): Promise<void> {
  for (const { id, rule } of await ruledGroups(ctx)) {
    if (!rule) continue;
    if (await isAbout(ctx, rule, customerId)) await repo.addMembers(ctx, id, [customerId]);
    else await repo.removeMembers(ctx, id, [customerId]);
  }
}

const byHand = ({ rule, name }: CustomerGroup): void => {
  if (rule === null) return;
  throw fail('CONFLICT', `the members of ${name} follow from its rule; change the rule instead`, {
    details: { reason: 'INVALID_TRANSITION' },
  });
};

/**
 * Brings customers into a group and out of it. Somebody who is in it already, or is not, stays so.
 *
 * @returns how many it has then
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, for a group with a rule; VALIDATION_ERROR for a customer
 *   who does not exist
 */
export async function changeMembers(ctx: Ctx, id: string, input: MembersInput): Promise<{ count: number }> {
  const { add = [], remove = [] } = checkInput(MembersChange, input);
  return ctx.tx(async (ctx) => {
    const group = await repo.lockGroup(ctx, id);
    if (!group) throw fail('NOT_FOUND', `customer group ${id} does not exist`);
    byHand(group);
    const known = await knownCustomers(ctx, add);
    const wrong = add.findIndex((one) => !known.has(one));
    if (wrong >= 0) throw invalidField(`add.${wrong}`, `customer ${add[wrong]} does not exist`);
    const added = await repo.addMembers(ctx, id, [...new Set(add)]);
    const removed = await repo.removeMembers(ctx, id, remove);
    if (added + removed > 0)
      await groupEvents.tell(ctx, 'customer_group.members_changed', id, { added, removed });
    return { count: (await countMembers(ctx, [id])).get(id) ?? 0 };
  });
}

/**
 * The groups of a customer that staff choose, in place of those that they chose before; groups with a rule stay as they are.
 *
 * @throws AppError VALIDATION_ERROR for a group that does not exist, or has a rule
 */
export async function setGroupsOf(ctx: Ctx, customerId: string, groupIds: readonly string[]): Promise<void> {
  const wanted = [...new Set(groupIds)].toSorted();
  const before = await repo.handGroupsOf(ctx, customerId);
  for (const [at, id] of wanted.entries()) {
    if (before.includes(id)) continue;
    const group = await repo.lockGroup(ctx, id);
    if (!group) throw invalidField(`group_ids.${at}`, `customer group ${id} does not exist`);
    byHand(group);
    await repo.addMembers(ctx, id, [customerId]);
    await groupEvents.tell(ctx, 'customer_group.members_changed', id, { added: 1, removed: 0 });
  }
  for (const id of before.filter((one) => !wanted.includes(one))) {
    await repo.removeMembers(ctx, id, [customerId]);
    await groupEvents.tell(ctx, 'customer_group.members_changed', id, { added: 0, removed: 1 });
  }
}

/** Brings the groups of one customer, but for those of a rule, to another one. */
export async function moveGroups(ctx: Ctx, fromId: string, toId: string): Promise<void> {
  for (const id of await repo.handGroupsOf(ctx, fromId)) await repo.addMembers(ctx, id, [toId]);
  await repo.leaveAll(ctx, fromId);
}
