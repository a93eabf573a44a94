import type { Ctx } from '#kernel/context.ts';
import type { MailSpec } from '#kernel/mail.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { languages, loadLanguages } from '../../languages/index.ts';
import { cleanHtml } from '../../rich-text/index.ts';
import { noteChange, refresh } from '../../settings/index.ts';
import { headerText } from '../address.ts';
import { templateHtml } from '../html-template.ts';
import { postOffice } from '../post-office.ts';
import { FALLBACK, shippedTemplate, type Template } from '../template.ts';
import { templateEvents } from './events.ts';
import { requireGuarded } from './guarded-places.ts';
import { type PlaceFaults, type Placeholder, placeFaults, placeholdersOf } from './placeholders.ts';
import { MOST_BODY, MOST_SUBJECT, type OwnTemplate } from './record.ts';
import * as repo from './repository.ts';
import { canBeOff, isOn } from './switches.ts';
import { ownTemplates } from './words.ts';

/** A mail with its words in one language, as staff edit them. */
export interface EditedTemplate {
  readonly mail: MailSpec;
  readonly locale: string;
  readonly subject: string;
  readonly html: string;
  /** Null: made of the HTML. */
  readonly text: string | null;
  readonly isOn: boolean;
  readonly canBeOff: boolean;
  /** Staff wrote these words. */
  readonly isOwn: boolean;
  /** It has no words in this language: these are English, which its readers get. */
  readonly isFallback: boolean;
  /** Languages in which staff wrote words of their own. */
  readonly ownLocales: readonly string[];
  readonly placeholders: readonly Placeholder[];
  readonly faults: PlaceFaults;
  readonly updatedAt: string | null;
  readonly updatedBy: string | null;
}

/** Words that staff want a mail to have. */
export interface Words {
  readonly subject: string;
  readonly html: string;
  readonly text?: string | null | undefined;
}

/** The mails of a program, by what is asked for: each is edited in each language of the shop. */
export class Templates {
  readonly #mails: readonly MailSpec[];

  constructor(mails: readonly MailSpec[]) {
    this.#mails = mails;
  }

  /** @throws AppError NOT_FOUND */
  mail(key: string): MailSpec {
    const found = this.#mails.find((one) => one.key === key);
    if (found) return found;
    throw fail('NOT_FOUND', `email template ${key.slice(0, 60)} does not exist`);
  }

  /** Every mail with its words in a language. @throws AppError VALIDATION_ERROR for a language that there is not */
  async list(ctx: Ctx, locale = FALLBACK): Promise<EditedTemplate[]> {
    await requireLanguage(locale);
    await refresh(ctx);
    return Promise.all(this.#mails.map((mail) => edited(ctx, mail, locale)));
  }

  /** One mail with its words in a language. @throws AppError NOT_FOUND; VALIDATION_ERROR */
  async get(ctx: Ctx, key: string, locale = FALLBACK): Promise<EditedTemplate> {
    const mail = this.mail(key);
    await requireLanguage(locale);
    await refresh(ctx);
    return edited(ctx, mail, locale);
  }

  /**
   * Gives a mail other words in a language, and says whether it is sent. Every server follows within two seconds.
   *
   * @param words absent: they stay as they are
   * @throws AppError NOT_FOUND; VALIDATION_ERROR
   */
  async change(
    ctx: Ctx,
    { key, locale = FALLBACK }: { readonly key: string; readonly locale?: string | undefined },
    { words, isOn: on }: { readonly words?: Words | undefined; readonly isOn?: boolean | undefined },
  ): Promise<EditedTemplate> {
    const mail = this.mail(key);
    await requireLanguage(locale);
    if (on === false && !canBeOff(mail))
      throw invalidField('enabled', 'this email cannot be turned off: its recipients wait for it');
    const tidied = words && (await tidy(mail, words));
    await refresh(ctx);
    const wasOn = await isOn(ctx, mail);
    await ctx.tx(async (ctx) => {
      // Its row is the lock under which two that change the same one take turns.
      await noteChange(ctx);
      if (tidied) await write(ctx, mail, locale, tidied);
      if (on !== undefined && on !== wasOn) await switchTo(ctx, mail, on);
    });
    return this.get(ctx, key, locale);
  }

  /** Gives a mail its shipped words again, in one language. @throws AppError NOT_FOUND; VALIDATION_ERROR */
  async reset(ctx: Ctx, key: string, locale = FALLBACK): Promise<EditedTemplate> {
    this.mail(key);
    await requireLanguage(locale);
    await ctx.tx(async (ctx) => {
      await noteChange(ctx);
      const before = await repo.findTemplate(ctx, key, locale);
      if (!before) return;
      await repo.deleteTemplate(ctx, key, locale);
      await templateEvents.tell(ctx, 'EMAIL_TEMPLATE_RESET', key, { locale }, { before });
    });
    return this.get(ctx, key, locale);
  }
}

async function write(
  ctx: Ctx,
  { key }: MailSpec,
  locale: string,
  words: Pick<OwnTemplate, 'subject' | 'bodyHtml' | 'bodyText'>,
): Promise<void> {
  const before = await repo.findTemplate(ctx, key, locale);
  const now = ctx.now();
  const after: OwnTemplate = {
    key,
    locale,
    ...words,
    updatedBy: ctx.actor.label,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  const isSame =
    before?.subject === after.subject &&
    before.bodyHtml === after.bodyHtml &&
    before.bodyText === after.bodyText;
  if (isSame) return;
  await repo.putTemplate(ctx, after);
  const sides = { ...(before && { before }), after };
  await templateEvents.tell(ctx, 'EMAIL_TEMPLATE_CHANGED', key, { locale }, sides);
}

async function switchTo(ctx: Ctx, { key }: MailSpec, isOn: boolean): Promise<void> {
  const now = ctx.now();
  await repo.putSwitch(ctx, { key, isOn, updatedBy: ctx.actor.label, createdAt: now, updatedAt: now });
  await templateEvents.tell(ctx, 'EMAIL_SWITCHED', key, { isOn });
}

/**
 * What is stored: one line, allowed elements alone, no empty text, nothing that sends what is secret elsewhere.
 *
 * @throws AppError VALIDATION_ERROR
 */
export async function tidy(mail: MailSpec, { subject, html, text }: Words) {
  const line = headerText(subject);
  if (line === '') throw invalidField('subject', 'must not be empty');
  if ([...subject.trim()].length > MOST_SUBJECT)
    throw invalidField('subject', `must have at most ${MOST_SUBJECT} characters`);
  const bodyHtml = await cleanHtml(html.replaceAll('\r\n', '\n'));
  if (bodyHtml === '') throw invalidField('body_html', 'must not be empty');
  if (bodyHtml.length > MOST_BODY)
    throw invalidField('body_html', `must have at most ${MOST_BODY} characters`);
  const bodyText = text?.replaceAll('\r\n', '\n').trim() || null;
  requireGuarded(mail, { html: bodyHtml, text: bodyText });
  return { subject: line, bodyHtml, bodyText };
}

/** @throws AppError VALIDATION_ERROR */
async function requireLanguage(locale: string): Promise<void> {
  await loadLanguages();
  const codes = languages().map(({ code }) => code);
  if (!codes.includes(locale))
    throw invalidField('locale', `must be a language of the shop: ${codes.join(', ')}`);
}

async function edited(ctx: Ctx, mail: MailSpec, locale: string): Promise<EditedTemplate> {
  const all = (await ownTemplates(ctx)).filter(({ key }) => key === mail.key);
  const own = all.find((one) => one.locale === locale);
  const { template, isFallback } = shippedOf(ctx, mail, locale);
  const subject = own?.subject ?? template.subject;
  const html = own?.bodyHtml ?? templateHtml(template);
  const text = own?.bodyText ?? null;
  return {
    mail,
    locale,
    ...{ subject, html, text },
    isOn: await isOn(ctx, mail),
    canBeOff: canBeOff(mail),
    isOwn: own !== undefined,
    isFallback: own === undefined && isFallback,
    ownLocales: all.map((one) => one.locale).sort(),
    placeholders: placeholdersOf(mail),
    faults: placeFaults(mail, { subject, html, text }),
    updatedAt: own?.updatedAt ?? null,
    updatedBy: own?.updatedBy ?? null,
  };
}

/** @throws Error for a mail without any words, which no test lets pass */
function shippedOf(ctx: Ctx, { key }: MailSpec, locale: string) {
  const { templatesDir } = postOffice(ctx);
  const found = shippedTemplate(key, locale, templatesDir);
  const template: Template | null = found ?? shippedTemplate(key, FALLBACK, templatesDir);
  if (!template) throw new Error(`mail ${key} has no template`);
  return { template, isFallback: found === null };
}
