import { z } from 'zod';
import { flag, oneOf, optional, report, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { MATCHES, MOST_CONDITIONS, problemOf, RULE_FIELDS, RULE_OPS } from './rule.ts';

const id = () => text({ min: 1, max: 30 });
const name = () => text({ min: 1, max: 100, trim: true });

const Rule = later(() =>
  z
    .object({
      match: optional(oneOf(MATCHES)),
      conditions: z
        .array(
          z.object({
            field: oneOf(RULE_FIELDS),
            op: oneOf(RULE_OPS),
            value: text({ min: 1, max: 1000, trim: true }),
          }),
          { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') },
        )
        .min(1, 'needs at least one condition')
        .max(MOST_CONDITIONS),
    })
    .check((checked) => {
      for (const [at, condition] of checked.value.conditions.entries()) {
        const problem = problemOf(condition);
        if (problem) report(checked, 'invalid', problem.says, ['conditions', at, problem.at]);
      }
    }),
);

const shape = {
  name: name(),
  /** null: staff choose the members. */
  rule: Rule.nullable().optional(),
  priceListId: id().nullable().optional(),
  taxExempt: optional(flag()),
};

/** Input that creates a group. */
export const GroupCreate = z.strictObject(shape);
export type GroupCreateInput = z.output<typeof GroupCreate>;

/** Input that changes one: absent leaves a field, null clears it. */
export const GroupUpdate = z.strictObject({ ...shape, name: optional(name()) });
export type GroupUpdateInput = z.output<typeof GroupUpdate>;

const members = () => optional(z.array(id()).max(1000, 'must have at most 1000 entries'));

/** Who comes into a group and who leaves it. */
export const MembersChange = later(() => z.strictObject({ add: members(), remove: members() }));
export type MembersInput = z.output<typeof MembersChange>;
