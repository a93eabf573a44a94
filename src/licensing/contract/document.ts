import type { Contract } from '#kernel/http/surface.ts';
import { envelopeContract } from '#kernel/service/envelope.ts';
import { fail } from './errors.ts';
import { type Access, accesses } from './scopes.ts';

/** An inbound event is answered 200 also when it is refused: its reply says itself whether it succeeded (D102). */
const saysSuccess = (schema: { properties?: object }): boolean => 'success' in (schema.properties ?? {});

/** What the OpenAPI document of the license API says beyond its endpoints (spec, Conventions, Errors). */
export const licensingContract: Contract = {
  ...envelopeContract,
  description:
    'Creates, activates, validates, meters, renews and revokes license keys. Every answer says `success`; a refusal ' +
    'has `error.code`, `error.message`, usually `error.details`, and `requestId`. Explain a refusal with ' +
    '`appctl license why`. Each field has its bounds; lengths count Unicode characters, and values beyond a bound are ' +
    'refused with VALIDATION_ERROR, never cut.',
  credential: {
    name: 'apiKey',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'Created by `appctl apikey create --service license`; its scope decides what it can do',
    },
  },
  tags: {
    license: 'Licenses, their machines, seats and usage',
    products: 'Products that can be licensed',
    updates: 'Signed updates, authenticated by the license key',
    webhooks: 'Events of payment processors',
  },
  success: (schema) => (saysSuccess(schema) ? schema : envelopeContract.success(schema)),
  errors: fail.table,
  credentialErrors: [
    'API_KEY_REQUIRED',
    'INVALID_API_KEY',
    'API_KEY_REVOKED',
    'API_KEY_EXPIRED',
    'IP_NOT_ALLOWED',
    'INSUFFICIENT_SCOPE',
  ],
  commonErrors: ['RATE_LIMITED', 'SERVER_ERROR'],
  scopes: (needed) => accesses[needed as Access].scopes,
};
