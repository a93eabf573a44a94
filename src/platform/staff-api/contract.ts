import { z } from 'zod';
import { sessionSchemes } from '#kernel/http/session.ts';
import type { Contract } from '#kernel/http/surface.ts';
import { envelopeContract } from '#kernel/service/envelope.ts';
import { later } from '#kernel/sharing.ts';
import { ANY_STAFF } from '../admin/index.ts';
import { type Permission, ROLES, rolesWith } from '../permissions/index.ts';

/** Codes of a service, each with its status and default message. */
export type ErrorTable = Contract['errors'];

/**
 * What the OpenAPI document of the admin API says beyond its endpoints (licensing 4.1).
 *
 * @param errors codes of the services that stand on it
 * @param tags what the first words of its paths stand for, as resources say it
 */
export const adminContract = (errors: ErrorTable, tags: Contract['tags']): Contract => ({
  ...envelopeContract,
  errors,
  commonErrors: ['RATE_LIMITED', 'SERVER_ERROR'],
  description:
    'Products, licenses, machines, releases, webhooks and integrations, for staff and their programs. ' +
    '`appctl admin token create` creates the token; its role decides what it may do. The session cookie of a sign-in ' +
    'works too; writes then need `csrfToken` from `POST /api/v1/admin/auth/login` in X-CSRF-Token. ' +
    'An operation with `x-sudo` asks people for their password again after ten minutes. Unknown fields are refused. ' +
    'Secrets are shown once, in the answer that creates them.',
  credential: {
    name: 'adminToken',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      description: 'Created by `appctl admin token create`; its role decides what it can do',
    },
  },
  session: sessionSchemes,
  headers: later(() =>
    z.object({
      'x-tenant': z
        .string()
        .optional()
        .describe('Slug of the tenant, for tokens of the whole installation; other tokens act for their own'),
    }),
  ),
  tags: {
    auth: 'Signing in and out',
    me: 'The account of the caller',
    permissions: 'Permissions that roles can have',
    products: 'The keys that sign for a product',
    ...tags,
    stats: 'Statistics of licenses, machines and seats',
    reports: 'Renewals, churn, versions, refused seats and webhooks',
    metrics: 'Metrics of this server for Prometheus',
  },
  credentialErrors: ['UNAUTHORIZED', 'INSUFFICIENT_SCOPE'],
  scopes: (needed) => (needed === ANY_STAFF ? ROLES : rolesWith(needed as Permission)),
});
