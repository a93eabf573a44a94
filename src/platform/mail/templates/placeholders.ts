import type { MailSpec } from '#kernel/mail.ts';
import { placesOf, shippedTemplate } from '../template.ts';

/** What every mail can name (storefront-domain 14). */
export const GENERAL = [
  'store_name',
  'store_url',
  'store_email',
  'brand_color',
  'logo_url',
  'year',
  'customer_name',
  'customer_email',
] as const;

/** A place that a mail can name. */
export interface Placeholder {
  readonly name: string;
  /** Without it the mail is of no use. */
  readonly isRequired: boolean;
  /** HTML that the program makes, such as the items of an order. */
  readonly isHtml: boolean;
  /** What a preview shows in it; null for the general ones, which are those of the shop. */
  readonly sample: string | null;
}

/** Names that its shipped words have in a button, and those that it declares. */
function requiredOf({ key, required = [] }: MailSpec): ReadonlySet<string> {
  const buttons = (shippedTemplate(key, 'en', undefined)?.paragraphs ?? []).filter(
    ({ kind }) => kind === 'button',
  );
  return new Set([...required, ...buttons.flatMap(({ lines }) => placesOf(lines[1] ?? ''))]);
}

/** The places of a mail: its own, then those of every mail. */
export function placeholdersOf(mail: MailSpec): Placeholder[] {
  const required = requiredOf(mail);
  const own = mail.placeholders.map((name) => ({ name, sample: mail.sample[name] ?? '' }));
  return [...own, ...GENERAL.map((name) => ({ name, sample: null }))].map(({ name, sample }) => ({
    name,
    isRequired: required.has(name),
    isHtml: name.endsWith('_html'),
    sample,
  }));
}

/** What is to be said about places of words that somebody wrote. */
export interface PlaceFaults {
  /** Nothing is known of them: they are sent as they are typed. */
  readonly unknown: string[];
  /** The mail is of little use without them. */
  readonly missing: string[];
}

/** Compares the places of words with those of their mail. */
export function placeFaults(mail: MailSpec, { subject, html, text }: SourceTexts): PlaceFaults {
  const known = placeholdersOf(mail);
  const named = new Set([subject, html, text ?? ''].flatMap(placesOf));
  // Whoever reads the text alone needs the link as well.
  const everywhere = [html, ...(text ? [text] : [])].map((one) => new Set(placesOf(one)));
  return {
    unknown: [...named].filter((name) => !known.some((one) => one.name === name)),
    missing: known
      .filter(({ name, isRequired }) => isRequired && everywhere.some((names) => !names.has(name)))
      .map(({ name }) => name),
  };
}

/** Words as staff write them. */
export interface SourceTexts {
  readonly subject: string;
  readonly html: string;
  readonly text: string | null;
}
