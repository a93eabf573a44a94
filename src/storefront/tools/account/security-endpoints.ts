/** What protects an account of a customer (storefront-api.md, B and C). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { instant, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { requireRoom } from '#platform/passwords/index.ts';
import { qrSvg } from '#platform/second-factor/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import * as accounts from '#storefront/people/accounts/index.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { AUTH, browserOf, languageOf } from './browser.ts';
import { ChangeEmailBody, ChangePasswordBody, CodeBody, DisableBody, PasswordBody } from './schemas.ts';

/** Each gives a password or a code once more. */
const proving = {
  customer: true,
  method: 'post',
  scope: null,
  limit: limits.customerProof,
  requireRoom,
  errors: ['VALIDATION_ERROR'],
} as const;

const SessionView = later(() =>
  z
    .object({
      id: z.string(),
      user_agent: z.string().nullable(),
      ip: z.string().nullable(),
      created_at: instant(),
      last_seen_at: instant(),
      current: z.boolean(),
    })
    .meta({ id: 'CustomerSession' }),
);

const sessions: readonly Endpoint[] = [
  endpoint({
    customer: true,
    method: 'get',
    path: `${AUTH}/sessions`,
    summary: 'List the browsers where the customer is signed in',
    scope: null,
    limit: null,
    replies: { 200: z.object({ data: z.array(SessionView) }) },
    handle: async (ctx, { visitor }) => {
      const all = await accounts.sessionsOf(ctx, customerIdOf(ctx));
      return ok({
        data: all.map(({ id, userAgent, ip, createdAt, lastSeenAt }) => ({
          id,
          user_agent: userAgent,
          ip,
          created_at: createdAt,
          last_seen_at: lastSeenAt,
          current: id === visitor?.session.id,
        })),
      });
    },
  }),
  endpoint({
    customer: true,
    method: 'delete',
    path: `${AUTH}/sessions/{id}`,
    summary: 'Sign out of another browser',
    scope: null,
    limit: null,
    params: z.object({ id: text({ min: 1, max: 40 }) }),
    replies: { 200: z.object({ data: z.object({ deleted: z.literal(true) }) }) },
    errors: ['NOT_FOUND'],
    handle: async (ctx, { params }) => {
      await accounts.endSession(ctx, customerIdOf(ctx), params.id);
      return ok({ data: { deleted: true as const } });
    },
  }),
];

const Codes = z.array(z.string()).length(10);

const secondFactor: readonly Endpoint[] = [
  endpoint({
    ...proving,
    path: `${AUTH}/2fa/setup`,
    summary: 'Start setting up two-factor sign-in',
    body: PasswordBody,
    replies: {
      200: later(() =>
        z.object({ data: z.object({ secret: z.string(), otpauth_url: z.string(), qr_svg: z.string() }) }),
      ),
    },
    handle: async (ctx, { body }) => {
      const { secret, uri } = await accounts.setupTwoFactor(ctx, customerIdOf(ctx), body.password);
      return ok({ data: { secret, otpauth_url: uri, qr_svg: await qrSvg(uri) } });
    },
  }),
  endpoint({
    ...proving,
    // Two-factor tries are counted by address, as at the sign-in.
    limit: limits.customerCode,
    path: `${AUTH}/2fa/enable`,
    summary: 'Turn on two-factor sign-in with the first code from the app',
    body: CodeBody,
    replies: { 200: z.object({ data: z.object({ enabled: z.literal(true), recovery_codes: Codes }) }) },
    handle: async (ctx, { body, visitor }) => {
      const locale = await languageOf(visitor);
      const codes = await accounts.enableTwoFactor(ctx, customerIdOf(ctx), body.code, locale);
      return ok({ data: { enabled: true as const, recovery_codes: codes } });
    },
  }),
  endpoint({
    ...proving,
    path: `${AUTH}/2fa/disable`,
    summary: 'Turn off two-factor sign-in',
    body: DisableBody,
    replies: { 200: z.object({ data: z.object({ enabled: z.literal(false) }) }) },
    handle: async (ctx, { body, visitor }) => {
      const locale = await languageOf(visitor);
      await accounts.disableTwoFactor(ctx, customerIdOf(ctx), { ...body, locale });
      return ok({ data: { enabled: false as const } });
    },
  }),
  endpoint({
    ...proving,
    path: `${AUTH}/2fa/recovery-codes`,
    summary: 'Create new recovery codes; the old ones stop working',
    body: PasswordBody,
    replies: { 200: z.object({ data: z.object({ recovery_codes: Codes }) }) },
    handle: async (ctx, { body }) =>
      ok({
        data: { recovery_codes: await accounts.renewRecoveryCodes(ctx, customerIdOf(ctx), body.password) },
      }),
  }),
];

const credentials: readonly Endpoint[] = [
  endpoint({
    ...proving,
    path: '/api/shop/account/change-password',
    summary: 'Change the password and end other sessions',
    body: ChangePasswordBody,
    replies: {
      200: z.object({
        data: z.object({
          changed: z.literal(true),
          /** Of the session, which goes on under a new id. */
          csrf_token: z.string(),
        }),
      }),
    },
    handle: async (ctx, { body, visitor }) => {
      const browser = browserOf(visitor);
      const { id, generation } = await accounts.changePassword(ctx, customerIdOf(ctx), {
        currentPassword: body.current_password,
        password: body.new_password,
      });
      await browser.session.signIn({ kind: 'customer', id, generation });
      return ok({ data: { changed: true as const, csrf_token: browser.csrfToken() } });
    },
  }),
  endpoint({
    ...proving,
    path: '/api/shop/account/change-email',
    summary: 'Request a change of the email address',
    body: ChangeEmailBody,
    replies: { 200: z.object({ data: z.object({ sent: z.literal(true) }) }) },
    handle: async (ctx, { body, visitor }) => {
      const { password, new_email: email } = body;
      const locale = await languageOf(visitor);
      await accounts.requestEmailChange(ctx, customerIdOf(ctx), { password, email, locale });
      return ok({ data: { sent: true as const } });
    },
  }),
];

export const securityEndpoints: readonly Endpoint[] = [...sessions, ...secondFactor, ...credentials];
