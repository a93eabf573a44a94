import { sessionSchemes } from '#kernel/http/session.ts';
import type { Contract } from '#kernel/http/surface.ts';
import { envelopeContract } from '#kernel/service/envelope.ts';
import { storeCodeOf, storeFail } from '#platform/store-answers/index.ts';
import { isScope } from './scopes.ts';

const text = { type: 'string' } as const;

/** Body of a refusal. */
const failure = {
  type: 'object',
  required: ['success', 'error', 'error_code'],
  properties: {
    success: { type: 'boolean', enum: [false] },
    error: text,
    error_code: { ...text, enum: Object.keys(storeFail.table) },
    details: {
      type: 'object',
      properties: {
        reason: text,
        fields: {
          type: 'array',
          items: {
            type: 'object',
            required: ['field', 'message'],
            properties: { field: text, message: text },
          },
        },
        request_id: text,
      },
    },
  },
};

/**
 * What the OpenAPI document of the store says beyond its endpoints (storefront-api.md 1).
 *
 * @param tags what the first words of its paths stand for, as resources say it
 */
export const storeContract = (tags: Contract['tags']): Contract => ({
  description:
    'The API of the shop. Shoppers use /api/shop, staff and their programs use /api/store. A success has ' +
    '`data`, and lists also have `pagination`; an error has `error`, `error_code` and usually `details` with ' +
    '`reason` or `fields`. `appctl apikey create --service store` creates the key; the session cookie of the panel ' +
    'works too, and writes then need the header X-CSRF-Token: `GET /api/shop/session` returns the token before ' +
    'sign-in, and the sign-in returns the new one. An operation with `x-sudo` asks people for their password again after ten ' +
    'minutes: `POST /api/store/auth/sudo`. Unknown fields of a body are ignored. Amounts are ' +
    'whole numbers in the smallest unit of the currency.',
  credential: {
    name: 'apiKey',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      description: 'Created by `appctl apikey create --service store`; its scopes decide what it can do',
    },
  },
  session: sessionSchemes,
  tags: {
    config: 'Basic data for the pages of a shop',
    settings: 'Settings of the shop',
    features: 'Parts of the shop that can be turned off',
    auth: 'Signing in and out, and your account',
    permissions: 'Permissions that roles can have',
    ...tags,
  },
  schemas: envelopeContract.schemas,
  success: envelopeContract.success,
  failure,
  errors: storeFail.table,
  answered: storeCodeOf,
  credentialErrors: ['AUTH_UNAUTHORIZED', 'AUTH_FORBIDDEN'],
  commonErrors: ['RATE_LIMITED', 'INTERNAL_ERROR'],
  scopes: (needed) =>
    [needed, needed.replace(/:read$/, ':write')].filter(
      (one, at, all) => isScope(one) && all.indexOf(one) === at,
    ),
});
