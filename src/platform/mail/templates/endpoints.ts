import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { flag, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { preview, sendSample } from './preview.ts';
import { MOST_BODY } from './record.ts';
import type { Templates } from './templates.ts';
import { EmailPreview, EmailTemplateView, previewView, templateView } from './view.ts';

const base = '/api/store/email-templates';

const locale = () =>
  optional(text({ min: 1, max: 35 }).describe('a language of the shop; English by default'));
const KeyParams = z.object({ key: text({ min: 1, max: 60 }) });
const InLanguage = later(() => z.object({ locale: locale() }));
const data = <S extends z.ZodType>(schema: S) => z.object({ data: schema });
const One = data(EmailTemplateView).meta({ id: 'OneEmailTemplate' });

const subject = () => text({ min: 1, max: 1000 });
const html = () => text({ min: 1, max: MOST_BODY });
const plain = () => text({ max: MOST_BODY }).nullable().optional();

const Change = later(() =>
  z
    .object({
      subject: subject(),
      body_html: html(),
      body_text: plain().describe('absent or null: generated from the HTML'),
      enabled: optional(flag()),
      locale: locale(),
    })
    .meta({ id: 'EmailTemplateChange' }),
);

const Preview = later(() =>
  z
    .object({
      subject: optional(subject()),
      body_html: optional(html()),
      body_text: plain(),
      order_id: optional(
        text({ min: 1, max: 40 }).describe('uses the data of its emails; sample data by default'),
      ),
      locale: locale(),
    })
    .meta({ id: 'EmailPreviewRequest' }),
);

const reading = (templates: Templates): Endpoint[] => [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the email templates in one language',
    scope: 'settings:read',
    limit: null,
    query: InLanguage,
    replies: { 200: data(z.array(EmailTemplateView)).meta({ id: 'EmailTemplateList' }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) =>
      ok({ data: (await templates.list(ctx, query.locale)).map(templateView) }),
  }),
  endpoint({
    method: 'get',
    path: `${base}/{key}`,
    summary: 'Show an email template with its placeholders',
    scope: 'settings:read',
    limit: null,
    params: KeyParams,
    query: InLanguage,
    replies: { 200: One },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) =>
      ok({ data: templateView(await templates.get(ctx, params.key, query.locale)) }),
  }),
  endpoint({
    method: 'post',
    path: `${base}/{key}/preview`,
    summary: 'Preview an email with sample data or the data of an order; nothing is sent or saved',
    scope: 'settings:read',
    limit: null,
    params: KeyParams,
    body: Preview,
    bodyOptional: true,
    replies: { 200: data(EmailPreview) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params, body = {} }) {
      const { locale, order_id: aboutId, subject, body_html: html, body_text: text } = body;
      const words = {
        ...(subject !== undefined && { subject }),
        ...(html !== undefined && { html }),
        ...(text !== undefined && { text }),
      };
      const shown = await preview(ctx, await templates.get(ctx, params.key, locale), { words, aboutId });
      return ok({ data: previewView(shown) });
    },
  }),
];

const changing = (templates: Templates): Endpoint[] => [
  endpoint({
    method: 'put',
    path: `${base}/{key}`,
    summary: 'Change the text of an email in one language, or turn the email on or off',
    scope: 'settings:write',
    limit: null,
    params: KeyParams,
    body: Change,
    replies: { 200: One },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params: { key }, body }) {
      const words = { subject: body.subject, html: body.body_html, text: body.body_text };
      const changed = await templates.change(
        ctx,
        { key, locale: body.locale },
        { words, isOn: body.enabled },
      );
      return ok({ data: templateView(changed) });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/{key}/reset`,
    summary: 'Restore the default text of an email in one language',
    scope: 'settings:write',
    limit: null,
    params: KeyParams,
    body: InLanguage,
    bodyOptional: true,
    replies: { 200: One },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) =>
      ok({ data: templateView(await templates.reset(ctx, params.key, body?.locale)) }),
  }),
];

const sending = (templates: Templates): Endpoint[] => [
  endpoint({
    method: 'post',
    path: `${base}/{key}/test`,
    summary: 'Send an email with sample data to an address',
    scope: 'settings:write',
    limit: null,
    params: KeyParams,
    body: later(() =>
      z
        .object({ to: text({ min: 3, max: 254, trim: true }), locale: locale() })
        .meta({ id: 'EmailTemplateTest' }),
    ),
    replies: { 200: data(z.object({ email_log_id: z.string() })).meta({ id: 'EmailTemplateSent' }) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) =>
      ok({
        data: {
          email_log_id: await sendSample(ctx, await templates.get(ctx, params.key, body.locale), body.to),
        },
      }),
  }),
];

/** The words of mails, for staff (storefront-api.md, AK). */
export const templateEndpoints = (templates: Templates): readonly Endpoint[] => [
  ...reading(templates),
  ...changing(templates),
  ...sending(templates),
];
