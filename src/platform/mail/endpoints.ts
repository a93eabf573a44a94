import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { sendTest } from './test-mail.ts';
import { EmailTested } from './view.ts';

/** A test of the settings of mail (storefront-api.md, AJ). */
export const mailEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/store/settings/email-test',
    summary: 'Send a test email now and show whether the mail server accepted it',
    scope: 'settings:write',
    limit: null,
    body: z.object({ to: text({ min: 3, max: 254, trim: true }) }),
    replies: { 200: z.object({ data: EmailTested }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => ok({ data: await sendTest(ctx, body.to) }),
  }),
];
