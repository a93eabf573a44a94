import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { limits } from '#licensing/contract/limits.ts';
import { checkin } from './checkin.ts';
import { checkout } from './checkout.ts';
import { CheckinBody, CheckinReply, CheckoutBody, CheckoutReply } from './schemas.ts';

export const seatEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/license/checkout',
    summary: 'Take a floating seat, or extend its lease',
    scope: 'VALIDATE_ONLY',
    limit: limits.write,
    body: CheckoutBody,
    replies: { 200: CheckoutReply },
    errors: [
      'INVALID_KEY',
      'LICENSE_EXPIRED',
      'LICENSE_REVOKED',
      'LICENSE_SUSPENDED',
      'NOT_FLOATING',
      'NOT_FOUND',
      'SEAT_LIMIT_REACHED',
      'VALIDATION_ERROR',
    ],
    handle: async (ctx, { body }) => {
      const checkedOut = await checkout(ctx, body);
      return ok(body.nonce === undefined ? checkedOut : { ...checkedOut, nonce: body.nonce });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/v1/license/checkin',
    summary: 'Return a floating seat',
    scope: 'VALIDATE_ONLY',
    limit: limits.write,
    body: CheckinBody,
    replies: { 200: CheckinReply },
    errors: ['INVALID_KEY', 'NOT_CHECKED_OUT', 'NOT_FLOATING', 'NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const checkedIn = await checkin(ctx, body);
      return ok(body.nonce === undefined ? checkedIn : { ...checkedIn, nonce: body.nonce });
    },
  }),
];
