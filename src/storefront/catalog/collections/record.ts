import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { newMediaId } from '#platform/media/view.ts';
import { ids } from '#storefront/contract/ids.ts';
import { RULE_FIELDS, RULE_OPS } from './rules.ts';

export const COLLECTION_KINDS = ['manual', 'rule'] as const;
export const MATCHES = ['all', 'any'] as const;
/** In which order its page shows them at first; `manual`: as they were put there. */
export const COLLECTION_SORTS = [
  'manual',
  'newest',
  'price_asc',
  'price_desc',
  'name',
  'best_selling',
] as const;
export const MOST_RULES = 20;

const storedRules = z
  .array(z.strictObject({ field: z.enum(RULE_FIELDS), op: z.enum(RULE_OPS), value: z.string().max(255) }))
  .max(MOST_RULES);

/** A choice of products, made by hand or by rules (storefront-domain 4.1). */
export const collectionRecord = record(
  'collections',
  {
    id: column.id(ids.collection),
    title: column.text(255, 1),
    slug: column.text(63, 1),
    kind: column.choice(COLLECTION_KINDS),
    /** Of a collection that is filled by hand none. */
    rules: column.json(() => storedRules),
    /** Whether all rules hold of its products, or any of them. */
    match: column.choice(MATCHES),
    sort: column.choice(COLLECTION_SORTS),
    description: column.text(5000).nullable(),
    mediaId: column.id(newMediaId).references('media').nullable(),
    seoTitle: column.text(255).nullable(),
    seoDescription: column.text(500).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['slug'] },
);
export type Collection = ValuesOf<typeof collectionRecord>;
