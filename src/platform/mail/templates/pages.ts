import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { languages, loadLanguages } from '../../languages/index.ts';
import { lastAbout } from '../queries.ts';
import { type Previewed, preview, sendSample } from './preview.ts';
import { MOST_BODY, MOST_SUBJECT } from './record.ts';
import type { EditedTemplate, Templates } from './templates.ts';

export const TEMPLATES_PATH = '/store/settings/email-templates';
const MOST_ABOUT = 10;

const shared = {
  audience: { staff: 'settings:read' },
  layout: 'layouts/panel',
  help: 'send-mail',
} as const;

/** The previewed mail has its styles beside its elements; it is shown in a frame in which nothing runs. */
const FRAMED = {
  headers: {
    'Content-Security-Policy':
      "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  },
};

/** What a person calls a mail: `Order confirmation`, `Staff: new order`. */
export function nameOfMail(key: string): string {
  const words = key.replaceAll('_', ' ');
  if (key.startsWith('admin_')) return `Staff: ${words.slice('admin '.length)}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const mayWrite = ({ actor }: Ctx): boolean => allows(actor, 'settings:write');

function requireWrite(ctx: Ctx): void {
  if (!mayWrite(ctx))
    throw new AppError('AUTH_FORBIDDEN', 403, 'Your account lacks the permission settings:write');
}

const listPage = (templates: Templates): Page =>
  page({
    ...shared,
    path: TEMPLATES_PATH,
    title: 'Email templates',
    async show(ctx) {
      const all = await templates.list(ctx);
      return show('platform/email-templates', {
        rows: all
          .map((one) => ({
            href: `${TEMPLATES_PATH}/${one.mail.key}`,
            key: one.mail.key,
            name: nameOfMail(one.mail.key),
            subject: one.subject,
            status: one.canBeOff ? (one.isOn ? 'On' : 'Off') : 'Always on',
            isOff: !one.isOn,
            changed: one.ownLocales.join(', '),
          }))
          .toSorted((a, b) => a.name.localeCompare(b.name)),
      });
    },
  });

const DONE: Readonly<Record<string, string>> = {
  saved: 'The email was saved.',
  reset: 'The default text was restored.',
  tested: 'The test email is on its way.',
};

interface Extra {
  readonly preview?: Previewed;
  readonly done?: string | undefined;
  /** What somebody typed and did not save. */
  readonly typed?: Edit;
}

async function shown(ctx: Ctx, one: EditedTemplate, extra: Extra): Promise<Shown> {
  await loadLanguages();
  const { mail, locale } = one;
  const about = allows(ctx.actor, 'orders:read') ? await lastAbout(ctx, mail.key, MOST_ABOUT) : [];
  return show(
    'platform/email-template',
    {
      title: nameOfMail(mail.key),
      path: `${TEMPLATES_PATH}/${mail.key}`,
      listPath: TEMPLATES_PATH,
      one: { ...one, key: mail.key },
      lang: locale,
      languages: languages().map(({ code, name }) => ({
        code,
        name: one.ownLocales.includes(code) ? `${name} (changed)` : name,
        isChosen: code === locale,
      })),
      abouts: [
        { value: '', label: 'A sample' },
        ...about.map(({ relatedId, subject }) => ({ value: relatedId ?? '', label: subject })),
      ],
      mostSubject: MOST_SUBJECT,
      mayWrite: mayWrite(ctx),
      done: DONE[extra.done ?? ''] ?? null,
      preview: extra.preview ?? null,
    },
    {
      values: extra.typed ?? {
        subject: one.subject,
        body_html: one.html,
        body_text: one.text ?? '',
        enabled: one.isOn ? 'true' : '',
      },
      ...(extra.preview && { head: FRAMED }),
    },
  );
}

const EditForm = later(() =>
  z.object({
    lang: z.string().max(35),
    do: z.enum(['save', 'preview', 'reset', 'test']),
    subject: z.string().max(1000).optional().meta({ title: 'Subject' }),
    body_html: z.string().max(MOST_BODY).optional().meta({ title: 'HTML' }),
    body_text: z.string().max(MOST_BODY).optional().meta({ title: 'Text', blank: true }),
    enabled: z.literal('true').optional(),
    about: z.string().max(40).optional(),
    to: z.string().trim().max(254).optional().meta({ title: 'Send a test to' }),
  }),
);
type Edit = z.output<typeof EditForm>;

const wordsOf = ({ subject = '', body_html: html = '', body_text: text = '' }: Edit) => ({
  subject,
  html,
  text,
});

/** Refusals of the use cases name fields as the API calls them, which are those of the form. */
async function act(ctx: Ctx, templates: Templates, key: string, form: Edit): Promise<string> {
  requireWrite(ctx);
  const { lang: locale } = form;
  if (form.do === 'reset') {
    await templates.reset(ctx, key, locale);
    return 'reset';
  }
  const one = await templates.get(ctx, key, locale);
  if (form.do === 'test') {
    if (!form.to) throw refuseForm('Enter an email address', { to: 'Enter an email address' });
    await sendSample(ctx, one, form.to);
    return 'tested';
  }
  const isOn = one.canBeOff ? form.enabled === 'true' : undefined;
  const words = wordsOf(form);
  const isAsBefore =
    words.subject === one.subject &&
    words.html.replaceAll('\r\n', '\n') === one.html &&
    words.text.replaceAll('\r\n', '\n') === (one.text ?? '');
  // Who switches it off alone has no words of his own: the shipped ones may become better.
  await templates.change(ctx, { key, locale }, { words: isAsBefore ? undefined : words, isOn });
  return 'saved';
}

const editPage = (templates: Templates): Page =>
  page({
    ...shared,
    path: `${TEMPLATES_PATH}/{key}`,
    title: 'Email template',
    params: z.object({ key: text({ min: 1, max: 60 }) }),
    query: later(() =>
      z.object({ lang: z.string().max(35).optional(), done: z.string().max(10).optional() }),
    ),
    form: EditForm,
    formBytes: 1024 * 1024,
    async show(ctx, { params, query }) {
      return shown(ctx, await templates.get(ctx, params.key, query.lang), { done: query.done });
    },
    async submit(ctx, { params: { key }, form }) {
      if (form.do === 'preview') {
        const one = await templates.get(ctx, key, form.lang);
        const words = mayWrite(ctx) ? wordsOf(form) : undefined;
        const aboutId = form.about || undefined;
        return shown(ctx, one, {
          preview: await preview(ctx, one, { words, aboutId }),
          ...(words && { typed: form }),
        });
      }
      const done = await act(ctx, templates, key, form);
      return goTo(`${TEMPLATES_PATH}/${key}?${new URLSearchParams({ lang: form.lang, done })}`);
    },
  });

/** The words of mails in the panel */
export const templatePages = (templates: Templates): readonly Page[] => [
  listPage(templates),
  editPage(templates),
];
