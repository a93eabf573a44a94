/** The words of mails: files with a few marks, and a replacer in place of a language (reliability M28). */
import { readTemplate } from '#kernel/assets.ts';

/** One paragraph of a mail, with its places open. */
export interface Paragraph {
  readonly kind: 'heading' | 'text' | 'button' | 'block';
  /** Of a button its words and its address. */
  readonly lines: readonly string[];
}

export interface Template {
  readonly subject: string;
  readonly paragraphs: readonly Paragraph[];
  /** Its lines are HTML that staff wrote, which the text of the mail is made of. */
  readonly isHtml?: true;
  /** The text that staff wrote for those who read no HTML; it is made of the paragraphs without. */
  readonly text?: string | null;
}

/** In which every mail has words. */
export const FALLBACK = 'en';
const PLACE = /\{([a-z][a-z0-9_]{0,40})\}/g;
const BUTTON = /^\[([^\]]+)\]\(([^)\s]+)\)$/;
const BLOCK = /^\{[a-z][a-z0-9_]{0,40}_html\}$/;

export const escapeHtml = (text: string): string =>
  text.replaceAll(
    /[&<>"']/g,
    (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter] ?? '&#39;',
  );

/** Values by the names of their places. */
export type Values = Readonly<Record<string, string>>;

/**
 * Puts values in their places, in one pass: what a value says is not looked at again. What is not known stays as it
 * was typed.
 *
 * @param isHtml escapes the values, but for those that code made as HTML
 */
export const fill = (text: string, values: Values, isHtml: boolean): string =>
  text.replaceAll(PLACE, (all, name: string) => {
    if (!Object.hasOwn(values, name)) return all;
    const value = values[name] ?? '';
    return isHtml && !name.endsWith('_html') ? escapeHtml(value) : value;
  });

/** Names of the places of a text. */
export const placesOf = (text: string): string[] => [...text.matchAll(PLACE)].map(([, name = '']) => name);

/** A line that is made of nothing but empty values is not there: `Discount: {discount}` without a discount. */
export function isEmpty(line: string, values: Values): boolean {
  const names = placesOf(line);
  return names.length > 0 && names.every((name) => Object.hasOwn(values, name) && values[name] === '');
}

/**
 * Reads a template.
 *
 * @param source `Subject: …`, then paragraphs with an empty line between them; `# ` begins a heading, `[words](address)`
 *   alone is a button, `{name_html}` alone a block
 * @throws Error without a subject
 */
export function parseTemplate(source: string): Template {
  const [head = '', ...blocks] = source
    .replaceAll('\r\n', '\n')
    .trim()
    .split(/\n{2,}/);
  const subject = /^Subject: (.+)$/.exec(head)?.[1];
  if (subject === undefined) throw new Error('a mail template must begin with "Subject: " and its subject');
  return { subject, paragraphs: blocks.map(paragraphOf) };
}

function paragraphOf(block: string): Paragraph {
  const button = BUTTON.exec(block);
  if (button) return { kind: 'button', lines: [button[1] ?? '', button[2] ?? ''] };
  if (BLOCK.test(block)) return { kind: 'block', lines: [block] };
  if (block.startsWith('# ')) return { kind: 'heading', lines: [block.slice(2)] };
  return { kind: 'text', lines: block.split('\n') };
}

/** Files by their path and the operator's folder: read once. */
const read = new Map<string, Template | null>();

/** Languages in which words are looked for, best first: the reader's, the same without its country, English. */
export const languagesFor = (locale: string): string[] =>
  [...new Set([locale, locale.split('-', 1)[0] ?? '', FALLBACK])].filter((one) => /^[\w-]{1,35}$/.test(one));

/** The shipped words of a mail in exactly this language, or those that the operator's folder has in their place. */
export const shippedTemplate = (key: string, language: string, dir: string | undefined): Template | null =>
  templateFile(`mail/${key}.${language}.md`, dir);

function templateFile(path: string, dir: string | undefined): Template | null {
  const known = `${dir ?? ''}\0${path}`;
  const before = read.get(known);
  if (before !== undefined) return before;
  const source = fileText(path, dir);
  const template = source === null ? null : parseTemplate(source);
  read.set(known, template);
  return template;
}

function fileText(path: string, dir: string | undefined): string | null {
  try {
    return readTemplate(path, dir).toString('utf8');
  } catch {
    return null;
  }
}

/** The frame around every mail in HTML. */
export const layoutOf = (dir: string | undefined): string =>
  readTemplate('mail/layout.html', dir).toString('utf8');
