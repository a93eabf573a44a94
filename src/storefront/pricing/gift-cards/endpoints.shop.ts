/** What everybody may ask of a gift card (storefront-api.md, L). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { balanceOf } from './balance.ts';
import { STATUSES } from './record.ts';
import { TypedCode } from './schemas.ts';

const Balance = later(() =>
  z
    .object({
      last4: z.string(),
      balance_cents: count(),
      currency: z.string(),
      expires_at: instant().nullable(),
      status: z.enum(STATUSES),
    })
    .meta({ id: 'GiftCardBalance' }),
);

export const giftCardEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/shop/gift-cards/balance',
    summary: 'Show what is left on a gift card',
    scope: null,
    limit: limits.giftCardBalance,
    // Unknown fields of a body are ignored (Z2).
    body: TypedCode.meta({ id: 'GiftCardBalanceBody' }),
    replies: { 200: z.object({ data: Balance }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body: { code } }) => {
      const { last4, freeCents, currency, expiresAt, status } = await balanceOf(ctx, code);
      return ok({ data: { last4, balance_cents: freeCents, currency, expires_at: expiresAt, status } });
    },
  }),
];
