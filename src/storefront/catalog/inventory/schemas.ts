import { z } from 'zod';
import { flag, integer, oneOf, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ADJUST_REASONS, MOST_UNITS } from './record.ts';

export const MOST_ADJUSTED = 500;

const note = () => text({ max: 500, trim: true }).nullable().optional();
const units = () => integer(-MOST_UNITS, MOST_UNITS);

/** Input that changes stock by a number of units, or to what was counted. */
export const Adjustment = later(() =>
  z.strictObject({
    delta: optional(units()),
    setTo: optional(units()),
    reason: oneOf(ADJUST_REASONS),
    note: note(),
  }),
);
export type AdjustmentInput = z.output<typeof Adjustment>;

/** Input that changes how a variant is sold: absent leaves a rule, null takes the threshold of the settings. */
export const Rules = later(() =>
  z.strictObject({
    trackInventory: optional(flag()),
    allowBackorder: optional(flag()),
    lowStockThreshold: integer(0, 1_000_000).nullable().optional(),
  }),
);
export type RulesInput = z.output<typeof Rules>;

/** What is in stock of a new variant. A number of units means that they are tracked, unless it says otherwise. */
export const stockShape = {
  stock: optional(integer(0, MOST_UNITS)),
  trackInventory: optional(flag()),
  allowBackorder: optional(flag()),
};
export interface StockInput {
  readonly stock?: number | undefined;
  readonly trackInventory?: boolean | undefined;
  readonly allowBackorder?: boolean | undefined;
}

/** Input that changes the stock of many variants, each named by its id or its SKU. */
export const BulkAdjustment = later(() =>
  z.strictObject({
    items: z
      .array(
        z.strictObject({
          variantId: optional(text({ min: 1, max: 30 })),
          sku: optional(text({ min: 1, max: 100 })),
          delta: optional(units()),
          setTo: optional(units()),
        }),
        {
          error: ({ input }) => (input === undefined ? 'is required' : 'must be a list'),
        },
      )
      .min(1)
      .max(MOST_ADJUSTED),
    reason: oneOf(ADJUST_REASONS),
    note: note(),
  }),
);
export type BulkAdjustmentInput = z.output<typeof BulkAdjustment>;

export const Release = later(() =>
  z.strictObject({
    reason: optional(text({ max: 500, trim: true })),
  }),
);
