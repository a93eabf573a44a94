import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_STATUSES, LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { MINT_STATUSES, WANTED } from '../minting/index.ts';
import type { MintOf } from './queries.ts';

const maybe = () => z.string().nullable();

/** The license of a unit of an order, as staff see it: never with the whole key. */
export const LicenseMintView = later(() =>
  z
    .object({
      id: z.string(),
      order_id: z.string(),
      order_number: maybe(),
      order_item_id: maybe().describe('null for a license that was created by hand'),
      email: z.string(),
      customer_id: maybe(),
      title: maybe(),
      sku: maybe(),
      unit_no: count(),
      status: z.enum(MINT_STATUSES),
      wanted: z.enum(WANTED).describe('Differs from the status while the change is pending'),
      reason: maybe(),
      hold_ref: maybe().describe('The return or payment that suspended it'),
      error: maybe().describe('Why it could not be created or changed'),
      attempts: count(),
      next_attempt_at: instant().nullable(),
      license_id: maybe(),
      renews: maybe().describe('The license that it extended, instead of creating a new one'),
      product: maybe(),
      key_masked: maybe(),
      license_status: z
        .enum(LICENSE_STATUSES)
        .nullable()
        .describe('null when it was not created, or was deleted'),
      type: z.enum(LICENSE_TYPES).nullable(),
      tier: z.enum(LICENSE_TIERS).nullable(),
      valid_until: instant().nullable(),
      activations_used: count().nullable(),
      max_activations: count().nullable(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'LicenseMint' }),
);
export type LicenseMintShown = z.output<typeof LicenseMintView>;

/** Licenses of orders as staff see them: one question for all of them. */
export async function mintViews(rows: readonly MintOf[], ctx: Ctx): Promise<LicenseMintShown[]> {
  const ids = rows.flatMap(({ licenseId, renews }) => licenseId ?? renews ?? []);
  const cards = ids.length === 0 ? [] : await licenses.cardsOf(ctx, { ids });
  const known = new Map(cards.map((card) => [card.id, card]));
  return rows.map((row) => shown(row, known.get(row.licenseId ?? row.renews ?? '') ?? null));
}

const shown = (row: MintOf, card: licenses.LicenseCard | null): LicenseMintShown => ({
  id: row.id,
  order_id: row.orderId,
  order_number: row.orderNumber,
  order_item_id: row.orderItemId,
  email: row.email,
  customer_id: row.customerId,
  title: row.title,
  sku: row.sku,
  unit_no: row.unitNo,
  status: row.status,
  wanted: row.wanted,
  reason: row.reason,
  hold_ref: row.holdRef,
  error: row.error,
  attempts: row.attempts,
  next_attempt_at: row.nextAttemptAt,
  license_id: row.licenseId,
  renews: row.renews,
  product: card?.product.name ?? null,
  key_masked: card?.keyMasked ?? null,
  license_status: card?.status ?? null,
  type: card?.type ?? null,
  tier: card?.tier ?? null,
  valid_until: card?.validUntil ?? null,
  activations_used: card?.activationsUsed ?? null,
  max_activations: card?.maxActivations ?? null,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});
