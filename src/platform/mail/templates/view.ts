import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { Previewed } from './preview.ts';
import type { EditedTemplate } from './templates.ts';

const names = () => z.array(z.string());

/** A mail with its words in one language (storefront-api.md, AK). */
export const EmailTemplateView = later(() =>
  z
    .object({
      key: z.string(),
      locale: z.string(),
      subject: z.string(),
      body_html: z.string(),
      body_text: z.string().nullable().describe('null: generated from the HTML'),
      enabled: z.boolean(),
      can_disable: z.boolean(),
      is_changed: z.boolean().describe('whether staff changed the text'),
      is_fallback: z
        .boolean()
        .describe('not translated into this language, so this is the English text that readers get'),
      changed_locales: names(),
      placeholders: z.array(
        z.object({
          name: z.string(),
          required: z.boolean(),
          html: z.boolean(),
          sample: z.string().nullable(),
        }),
      ),
      unknown_placeholders: names(),
      missing_placeholders: names(),
      updated_at: instant().nullable(),
      updated_by: z.string().nullable(),
    })
    .meta({ id: 'EmailTemplate' }),
);

export const templateView = (one: EditedTemplate): z.output<typeof EmailTemplateView> => ({
  key: one.mail.key,
  locale: one.locale,
  subject: one.subject,
  body_html: one.html,
  body_text: one.text,
  enabled: one.isOn,
  can_disable: one.canBeOff,
  is_changed: one.isOwn,
  is_fallback: one.isFallback,
  changed_locales: [...one.ownLocales],
  placeholders: one.placeholders.map(({ name, isRequired, isHtml, sample }) => ({
    name,
    required: isRequired,
    html: isHtml,
    sample,
  })),
  unknown_placeholders: one.faults.unknown,
  missing_placeholders: one.faults.missing,
  updated_at: one.updatedAt,
  updated_by: one.updatedBy,
});

/** A mail as it would be. */
export const EmailPreview = later(() =>
  z
    .object({
      subject: z.string(),
      html: z.string(),
      text: z.string(),
      unknown_placeholders: names(),
      missing_placeholders: names(),
    })
    .meta({ id: 'EmailPreview' }),
);

export const previewView = ({
  subject,
  html,
  text,
  unknown,
  missing,
}: Previewed): z.output<typeof EmailPreview> => ({
  subject,
  html,
  text,
  unknown_placeholders: [...unknown],
  missing_placeholders: [...missing],
});
