/** Mails whose words staff edit as HTML: the same paragraphs as those of the files, read from and written as HTML. */
import type { Paragraph, Template } from './template.ts';

/** What begins a paragraph of its own; everything else is part of the words around it. */
const BLOCKS =
  /<(\/?)(h[1-6]|p|div|ul|ol|table|blockquote|pre|hr|section|article|details|figure|dl|address)\b[^>]*>/g;
const PLACE_OF_HTML = /^\{[a-z][a-z0-9_]{0,40}_html\}$/;
const LINK_ALONE = /^<a href="([^"]+)"[^>]*>([^<]+)<\/a>$/;
const LINE_END = /\s*<br\s*\/?>\s*/;

/** A template as HTML: what `templateOfHtml` reads is the same again. */
export const templateHtml = ({ paragraphs }: Template): string => paragraphs.map(htmlOfParagraph).join('\n');

function htmlOfParagraph({ kind, lines }: Paragraph): string {
  const [first = '', address = ''] = lines;
  if (kind === 'heading') return `<h1>${first}</h1>`;
  if (kind === 'button') return `<p><a href="${address}">${first}</a></p>`;
  if (kind === 'text') return `<p>${lines.join('<br />\n')}</p>`;
  // Two of them in a row stay two.
  return PLACE_OF_HTML.test(first) ? `<p>${first}</p>` : first;
}

/**
 * Reads what staff wrote: a heading, a link alone in its paragraph (a button), a place of HTML alone, and words. Other
 * elements are shown as they are.
 *
 * @param html as `cleanHtml` leaves it: every element that begins also ends
 */
export const templateOfHtml = (subject: string, html: string, text: string | null): Template => ({
  subject,
  paragraphs: piecesOf(html).map(paragraphOfPiece),
  isHtml: true,
  text,
});

/** Elements on the outside, and the words between them. */
function piecesOf(html: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  const take = (end: number): void => {
    const piece = html.slice(from, end).trim();
    if (piece !== '') pieces.push(piece);
    from = end;
  };
  for (const { 0: tag, 1: slash, 2: name, index } of html.matchAll(BLOCKS)) {
    if (slash === '' && depth === 0) take(index);
    if (slash === '' && name !== 'hr') depth += 1;
    if (slash === '/' && depth > 0) depth -= 1;
    if (depth === 0) take(index + tag.length);
  }
  take(html.length);
  return pieces;
}

function paragraphOfPiece(piece: string): Paragraph {
  const heading = /^<h1>(.*)<\/h1>$/s.exec(piece)?.[1];
  if (heading !== undefined) return { kind: 'heading', lines: [heading] };
  const inner = /^<p>(.*)<\/p>$/s.exec(piece)?.[1] ?? (piece.startsWith('<') ? null : piece);
  if (inner === null) return startsWithBlock(piece) ? { kind: 'block', lines: [piece] } : wordsOf(piece);
  return wordsOf(inner.trim());
}

const startsWithBlock = (piece: string): boolean => piece.search(BLOCKS) === 0;

function wordsOf(inner: string): Paragraph {
  const button = LINK_ALONE.exec(inner);
  if (button) return { kind: 'button', lines: [button[2] ?? '', button[1] ?? ''] };
  if (PLACE_OF_HTML.test(inner)) return { kind: 'block', lines: [inner] };
  return { kind: 'text', lines: inner.split(LINE_END) };
}
