/** Links that are mailed to customers, and what they do (storefront-api.md, B and C). */
import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { requireRoom } from '#platform/passwords/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import * as accounts from '#storefront/people/accounts/index.ts';
import { AUTH, languageOf, open } from './browser.ts';
import { EmailBody, ResetBody, TokenBody } from './schemas.ts';

const Sent = { 200: z.object({ data: z.object({ sent: z.literal(true) }) }) };
const sent = () => ok({ data: { sent: true as const } });
/** The token is the credential: no cookie is read, and none is needed. */
const byToken = {
  method: 'post',
  scope: null,
  limit: limits.mailLink,
  errors: ['VALIDATION_ERROR'],
} as const;

export const linkEndpoints: readonly Endpoint[] = [
  endpoint({
    ...byToken,
    path: `${AUTH}/verify-email`,
    summary: 'Verify an email address with the emailed token',
    body: TokenBody,
    replies: { 200: z.object({ data: z.object({ verified: z.literal(true), email: z.string() }) }) },
    handle: async (ctx, { body }) => {
      const { email } = await accounts.verifyEmail(ctx, body.token);
      return ok({ data: { verified: true as const, email } });
    },
  }),
  endpoint({
    ...open,
    method: 'post',
    path: `${AUTH}/resend-verification`,
    summary: 'Resend the link to verify an email address',
    description: 'The answer is the same for every address.',
    limit: limits.resendVerification,
    body: EmailBody,
    replies: Sent,
    handle: async (ctx, { body, visitor }) => {
      await accounts.resendVerification(ctx, body.email, await languageOf(visitor));
      return sent();
    },
  }),
  endpoint({
    ...open,
    method: 'post',
    path: `${AUTH}/forgot-password`,
    summary: 'Email a link to reset the password',
    description: 'The answer is the same for every address.',
    limit: limits.forgotPassword,
    body: EmailBody,
    replies: Sent,
    handle: async (ctx, { body, visitor }) => {
      await accounts.forgotPassword(ctx, body.email, await languageOf(visitor));
      return sent();
    },
  }),
  endpoint({
    ...byToken,
    path: `${AUTH}/reset-password`,
    summary: 'Set a new password with the emailed token',
    description: 'All sessions of the customer end. Two-factor sign-in stays on.',
    requireRoom,
    body: ResetBody,
    replies: { 200: z.object({ data: z.object({ reset: z.literal(true) }) }) },
    handle: async (ctx, { body }) => {
      await accounts.resetPassword(ctx, body.token, body.password);
      return ok({ data: { reset: true as const } });
    },
  }),
  endpoint({
    ...byToken,
    path: '/api/shop/account/change-email/confirm',
    summary: 'Change the email address with the token emailed to the new address',
    body: TokenBody,
    replies: { 200: z.object({ data: z.object({ email: z.string() }) }) },
    handle: async (ctx, { body }) => ok({ data: await accounts.confirmEmailChange(ctx, body.token) }),
  }),
];
