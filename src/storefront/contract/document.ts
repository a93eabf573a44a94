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
    'The shop: what shoppers see under /api/shop, what staff and their programs do under /api/store. A success carries ' +
    '`data`, a list `pagination` beside it; a refusal carries `error`, `error_code` and mostly `details` with ' +
    '`reason` or `fields`. `appctl apikey create --service store` makes the key; the session cookie of the panel ' +
    'opens it too, and a write then needs the header X-CSRF-Token: `GET /api/shop/session` returns the token before a ' +
    'sign-in, the sign-in the one after it. An operation with `x-sudo` asks a person for the password again after ten ' +
    'minutes: `POST /api/store/auth/sudo`. Unknown fields of a body are ignored. Amounts are ' +
    'whole numbers of the smallest unit of the currency.',
  credential: {
    name: 'apiKey',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      description: 'Made by `appctl apikey create --service store`; its scopes decide what it opens',
    },
  },
  session: sessionSchemes,
  tags: {
    config: 'What pages of a shop need to know of it',
    settings: 'Settings of the shop',
    features: 'Parts of the shop that can be switched off',
    auth: 'Signing in and out, and the own account',
    permissions: 'What a role can hold',
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
