import type { Ctx } from '#kernel/context.ts';
import type { MailBrand } from '#kernel/mail.ts';
import { headerText } from './address.ts';
import { brandNow, postOffice } from './post-office.ts';
import {
  escapeHtml,
  fill,
  isEmpty,
  layoutOf,
  type Paragraph,
  placesOf,
  type Template,
  type Values,
} from './template.ts';
import { templateFor } from './templates/words.ts';
import { textOfHtml } from './text-of-html.ts';

/** Whom a mail goes to. */
export interface Recipient {
  readonly address: string;
  readonly name?: string | null | undefined;
}

/** A mail as it is shown. */
export interface Rendered {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** What is rendered: a template by its key, for whom, and what its places hold. */
export interface Asked {
  readonly template: string;
  readonly locale: string;
  readonly to: Recipient;
  readonly values: Values;
  /** In place of the words in force: for a preview of what nobody has saved yet. */
  readonly words?: Template;
}

/** Values of every mail, and what only this one has. */
async function valuesOf(ctx: Ctx, { to, values }: Asked, brand: MailBrand): Promise<Values> {
  return {
    store_name: brand.storeName,
    store_url: brand.storeUrl,
    store_email: brand.storeEmail ?? '',
    brand_color: brand.color,
    logo_url: brand.logoUrl ?? '',
    year: ctx.now().slice(0, 4),
    customer_name: headerText(to.name ?? ''),
    customer_email: to.address,
    ...values,
  };
}

const wordsOf = (ctx: Ctx, { template, locale, words }: Asked): Template | Promise<Template> =>
  words ?? templateFor(ctx, template, locale);

/** The subject of a mail, on one line. */
export async function subjectOf(ctx: Ctx, asked: Asked): Promise<string> {
  const { subject } = await wordsOf(ctx, asked);
  return headerText(fill(subject, await valuesOf(ctx, asked, await brandNow(ctx)), false));
}

/** A mail in HTML and as text. @throws Error for a mail without a template */
export async function render(ctx: Ctx, asked: Asked): Promise<Rendered> {
  const { templatesDir } = postOffice(ctx);
  const brand = await brandNow(ctx);
  const values = await valuesOf(ctx, asked, brand);
  const template = await wordsOf(ctx, asked);
  const subject = headerText(fill(template.subject, values, false));
  const frame = {
    ...values,
    title: subject,
    locale: asked.locale,
    dir: /^(ar|he|fa|ur)\b/.test(asked.locale) ? 'rtl' : 'ltr',
    text_color: textOn(brand.color),
    head_html: headOf(brand),
    body_html: htmlOf(template, values, brand),
    foot_html: footOf(brand),
  };
  return { subject, html: fill(layoutOf(templatesDir), frame, true), text: textOf(template, values, brand) };
}

const headOf = ({ logoUrl, storeName, storeUrl, color }: MailBrand): string => {
  const shown =
    logoUrl === null
      ? escapeHtml(storeName)
      : `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(storeName)}" height="48" style="height:48px;max-width:240px;border:0">`;
  return `<a href="${escapeHtml(storeUrl)}" style="color:${color};font-size:20px;font-weight:700;text-decoration:none">${shown}</a>`;
};

const footOf = ({ storeName, storeUrl, storeEmail }: MailBrand): string =>
  [
    `<a href="${escapeHtml(storeUrl)}" style="color:#6b7280">${escapeHtml(storeName)}</a>`,
    ...(storeEmail === null
      ? []
      : [`<a href="mailto:${escapeHtml(storeEmail)}" style="color:#6b7280">${escapeHtml(storeEmail)}</a>`]),
  ].join(' &middot; ');

/** What of a paragraph has something to say. */
const linesIn = ({ lines, kind }: Paragraph, values: Values): readonly string[] => {
  if (kind !== 'button') return lines.filter((line) => !isEmpty(line, values));
  const [, address = ''] = lines;
  return /^https?:\/\/\S+$/.test(fill(address, values, false)) ? lines : [];
};

/** Words that lead to what follows, such as `We ship to:`, are not there where nothing follows. */
function shownOf({ paragraphs }: Template, values: Values): readonly Paragraph[] {
  const isThere = (one: Paragraph | undefined): boolean =>
    one?.kind !== 'block' || linesIn(one, values).length > 0;
  return paragraphs.filter((one, at) => !leadsOn(one) || isThere(paragraphs[at + 1]));
}

const leadsOn = ({ kind, lines }: Paragraph): boolean =>
  kind === 'text' &&
  lines.every((line) => placesOf(line).length === 0) &&
  /[:：]$/.test(textOfHtml(lines.join('')));

function htmlOf(template: Template, values: Values, brand: MailBrand): string {
  return shownOf(template, values)
    .map((one) => ({ kind: one.kind, filled: linesIn(one, values).map((line) => filledHtml(line, values)) }))
    .filter(({ filled }) => filled.length > 0)
    .map(({ kind, filled }) => paragraphHtml(kind, filled, brand))
    .join('\n');
}

/** A link leads to the web, to a mailbox or to a telephone, whatever a value says. */
const filledHtml = (line: string, values: Values): string =>
  fill(line, values, true).replaceAll(/ href="(?!https?:|mailto:|tel:)[^"]*"/gi, '');

/** @param filled lines whose values are escaped; the template's own words are HTML that an operator may write */
function paragraphHtml(kind: Paragraph['kind'], filled: readonly string[], { color }: MailBrand): string {
  const [first = '', address = ''] = filled;
  if (kind === 'heading') return `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${first}</h1>`;
  if (kind === 'block') return `<div style="margin:0 0 16px">${first}</div>`;
  if (kind === 'text') return `<p style="margin:0 0 16px">${filled.join('<br>\n')}</p>`;
  const style = `display:inline-block;padding:12px 20px;border-radius:6px;background:${color};color:${textOn(color)};text-decoration:none;font-weight:600`;
  return `<p style="margin:0 0 16px"><a href="${address}" style="${style}">${first}</a></p>`;
}

function textOf(template: Template, values: Values, brand: MailBrand): string {
  const shown = template.text
    ? [ownText(template.text, values)]
    : shownOf(template, values).map((one) => paragraphText(one, values, template.isHtml === true));
  const foot = [brand.storeName, brand.storeUrl, ...(brand.storeEmail === null ? [] : [brand.storeEmail])];
  return `${[...shown.filter((one) => one !== ''), `-- \n${foot.join('\n')}`].join('\n\n')}\n`;
}

function paragraphText(one: Paragraph, values: Values, isHtml: boolean): string {
  const lines = linesIn(one, values);
  const asText = (line: string): string => textOfHtml(fill(line, values, true));
  if (one.kind === 'block') return asText(lines.join('\n'));
  const filled = lines.map((line) => (isHtml ? asText(line) : fill(line, values, false)));
  return one.kind === 'button' ? filled.join(':\n') : filled.join('\n');
}

/** What code made as HTML is told in words. */
function ownText(text: string, values: Values): string {
  const told = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, name.endsWith('_html') ? textOfHtml(value) : value]),
  );
  const lines = text.split('\n').filter((line) => !isEmpty(line, values));
  return fill(lines.join('\n'), told, false)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** White or black, whichever is read better on a color. */
function textOn(color: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return (r * 299 + g * 587 + b * 114) / 1000 > 150 ? '#111827' : '#ffffff';
}
