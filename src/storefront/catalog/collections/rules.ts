import { PRODUCT_TYPES } from '../products/index.ts';

export const RULE_FIELDS = ['title', 'brand', 'type', 'tag', 'category', 'price_cents', 'on_sale'] as const;
export type RuleField = (typeof RULE_FIELDS)[number];
export const RULE_OPS = ['is', 'is_not', 'contains', 'starts_with', 'less_than', 'greater_than'] as const;
export type RuleOp = (typeof RULE_OPS)[number];

/** What holds of the products of a collection. */
export interface Rule {
  readonly field: RuleField;
  readonly op: RuleOp;
  /** Of a category its id, of a price minor units, of `on_sale` `true` or `false`. */
  readonly value: string;
}

const TEXT: readonly RuleOp[] = ['is', 'is_not', 'contains', 'starts_with'];
const EQUAL: readonly RuleOp[] = ['is', 'is_not'];

/** By what each field is compared. */
export const opsOf: Record<RuleField, readonly RuleOp[]> = {
  title: TEXT,
  brand: TEXT,
  type: EQUAL,
  tag: EQUAL,
  category: EQUAL,
  price_cents: ['is', 'less_than', 'greater_than'],
  on_sale: ['is'],
};

/** What is wrong with a rule, but for a category that does not exist; null when nothing is. */
export function problemOf({ field, op, value }: Rule): { at: 'op' | 'value'; says: string } | null {
  const ops = opsOf[field];
  if (!ops.includes(op)) return { at: 'op', says: `must be one of ${ops.join(', ')} for ${field}` };
  if (field === 'price_cents' && !/^\d{1,12}$/.test(value))
    return { at: 'value', says: 'must be a whole number of minor units, such as 1999' };
  if (field === 'on_sale' && value !== 'true' && value !== 'false')
    return { at: 'value', says: 'must be true or false' };
  if (field === 'type' && !PRODUCT_TYPES.some((type) => type === value))
    return { at: 'value', says: `must be one of ${PRODUCT_TYPES.join(', ')}` };
  return null;
}
