import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { countMembers } from './queries.ts';
import type { CustomerGroup } from './record.ts';
import { MATCHES, RULE_FIELDS, RULE_OPS } from './rule.ts';

/** A group of customers as staff see it. */
export const CustomerGroupView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      rule: z
        .object({
          match: z.enum(MATCHES),
          conditions: z.array(
            z.object({ field: z.enum(RULE_FIELDS), op: z.enum(RULE_OPS), value: z.string() }),
          ),
        })
        .nullable()
        .describe('Rule for members; null: staff choose the members'),
      price_list_id: z.string().nullable().describe('Price list of its members'),
      tax_exempt: z.boolean().describe('Its members pay no tax'),
      member_count: count(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'CustomerGroup' }),
);

/** Groups as staff see them: one question for all of them. */
export async function groupViews(
  groups: readonly CustomerGroup[],
  ctx: Ctx,
): Promise<z.output<typeof CustomerGroupView>[]> {
  const counts = await countMembers(
    ctx,
    groups.map(({ id }) => id),
  );
  return groups.map((group) => ({
    id: group.id,
    name: group.name,
    rule: group.rule && { match: group.rule.match, conditions: [...group.rule.conditions] },
    price_list_id: group.priceListId,
    tax_exempt: group.taxExempt,
    member_count: counts.get(group.id) ?? 0,
    created_at: group.createdAt,
    updated_at: group.updatedAt,
  }));
}
