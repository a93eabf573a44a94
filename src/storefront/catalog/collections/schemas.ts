import { z } from 'zod';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { idField, slugField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { COLLECTION_KINDS, COLLECTION_SORTS, MATCHES, MOST_RULES } from './record.ts';
import { RULE_FIELDS, RULE_OPS } from './rules.ts';

const title = () => text({ min: 1, max: 255, trim: true });
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();

/** Programs send prices as numbers and truths as such: they are stored as they are written. */
const value = () =>
  z.preprocess(
    (sent) => (typeof sent === 'number' || typeof sent === 'boolean' ? String(sent) : sent),
    text({ min: 1, max: 255, trim: true }),
  );

export const RuleInput = later(() =>
  z.object({ field: oneOf(RULE_FIELDS), op: oneOf(RULE_OPS), value: value() }),
);
export const rulesInput = () =>
  z
    .array(RuleInput, {
      error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of rules'),
    })
    .max(MOST_RULES);

const shape = {
  title: title(),
  slug: optional(slugField()),
  rules: optional(rulesInput()),
  match: optional(oneOf(MATCHES)),
  sort: optional(oneOf(COLLECTION_SORTS)),
  description: orNull(text({ max: 5000 })),
  /** A picture of the library. */
  mediaId: orNull(idField()),
  seoTitle: orNull(text({ max: 255 })),
  seoDescription: orNull(text({ max: 500 })),
};

/** Input that creates a collection. Its kind stays what it is. */
export const CollectionCreate = z.strictObject({ ...shape, kind: oneOf(COLLECTION_KINDS) });
export type CollectionCreateInput = z.output<typeof CollectionCreate>;

/** Input that changes a collection: absent leaves a field, null clears one that may be empty. */
export const CollectionUpdate = later(() => z.strictObject({ ...shape, title: optional(title()) }));
export type CollectionUpdateInput = z.output<typeof CollectionUpdate>;

/** Rules to try, in place of those that are stored. */
export const Trial = later(() =>
  z.strictObject({ rules: optional(rulesInput()), match: optional(oneOf(MATCHES)) }),
);
export type TrialInput = z.output<typeof Trial>;
