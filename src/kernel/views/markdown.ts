import ejs from 'ejs';
import { Marked, type Token, type Tokens } from 'marked';

/** A heading of a page, with the name that a link after `#` reaches it by. */
export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly id: string;
}

/** A page as HTML, and its headings in order. */
export interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** A piece of a line: words, or code such as a command. */
export interface Span {
  readonly text: string;
  readonly isCode: boolean;
}

/** A part of a page for a reader without a browser. */
export type TextBlock =
  | { readonly kind: 'heading'; readonly depth: number; readonly spans: readonly Span[] }
  | { readonly kind: 'paragraph'; readonly spans: readonly Span[]; readonly bullet?: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly header: readonly Span[][]; readonly rows: readonly Span[][][] };

/** A picture as a page loads it: its address, and its size in pixels, so that nothing moves when it comes. */
export interface Picture {
  readonly address: string;
  readonly width: number;
  readonly height: number;
}

/** What spans say, without a mark of what is code. */
export const textOf = (spans: readonly Span[]): string => spans.map(({ text }) => text).join('');

/**
 * Renders Markdown of our own for a browser. Comments are left out. Tables and code can be scrolled by keyboard, so
 * that a narrow screen scrolls them and never the page.
 * @param source Markdown (GitHub's)
 * @param link makes the address of a link from what the source says
 * @param picture finds the picture that the source names; without it there are none
 * @throws Error for raw HTML: what a page needs is said in Markdown, and nothing else reaches a browser; for a picture
 *   without words for those who do not see it
 */
export function renderMarkdown(
  source: string,
  link: (href: string) => string,
  picture?: (href: string) => Picture,
): RenderedMarkdown {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = textOf(spansOf(tokens));
        const heading = { depth, text, id: anchorOf(text, headings) };
        headings.push(heading);
        return `<h${depth} id="${heading.id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${ejs.escapeXML(text)}\n</code></pre>\n`,
      table(token) {
        const row = (cells: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`;
        const rows = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="scroll" tabindex="0"><table>\n<thead>${row(token.header, 'th')}</thead>\n<tbody>${rows}</tbody></table></div>\n`;
      },
      link({ href, tokens, raw }) {
        if (/^(?!https:)[a-z][\w+.-]*:/i.test(href)) throw notOurs('an address of this kind', raw);
        return `<a href="${ejs.escapeXML(link(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text, raw }) => {
        if (!picture || text.trim() === '' || /^[a-z][\w+.-]*:/i.test(href)) throw notOurs('this image', raw);
        const { address, width, height } = picture(href);
        return `<img src="${ejs.escapeXML(address)}" alt="${ejs.escapeXML(text)}" width="${width}" height="${height}" loading="lazy">`;
      },
      html: (token) => withoutHtml(token),
    },
  });
  return { html: marked.parse(source, { async: false }), headings };
}

/** Markdown of somebody else as HTML, with whatever HTML it holds: it is cleaned before anybody is shown it. */
export const uncleanHtml = (source: string): string => new Marked().parse(source, { async: false });

/**
 * The blocks of Markdown of our own as text, for a terminal or a search.
 * @throws Error for raw HTML, and for what the manual does not use, such as a quotation
 */
export function markdownBlocks(source: string): TextBlock[] {
  return new Marked().lexer(source).flatMap(blocksOf);
}

function blocksOf(token: Token): TextBlock[] {
  switch (token.type) {
    case 'heading':
      return [{ kind: 'heading', depth: token.depth, spans: spansOf(token.tokens ?? []) }];
    case 'paragraph':
      return [{ kind: 'paragraph', spans: spansOf(token.tokens ?? []) }];
    case 'code':
      return [{ kind: 'code', text: token.text }];
    case 'list':
      return listBlocks(token as Tokens.List);
    case 'table':
      return [tableBlock(token as Tokens.Table)];
    case 'space':
      return [];
    case 'html':
      withoutHtml(token as Tokens.HTML);
      return [];
    default:
      throw new Error(`the manual shows no ${token.type}: ${token.raw}`);
  }
}

function listBlocks({ items, ordered, start }: Tokens.List): TextBlock[] {
  return items.map((item, index) => ({
    kind: 'paragraph',
    spans: spansOf(item.tokens),
    bullet: ordered ? `${Number(start) + index}.` : '-',
  }));
}

function tableBlock({ header, rows }: Tokens.Table): TextBlock {
  const spans = (cells: readonly Tokens.TableCell[]) => cells.map(({ tokens }) => spansOf(tokens));
  return { kind: 'table', header: spans(header), rows: rows.map(spans) };
}

/** Inline tokens without their marks, links as what they say. */
const spansOf = (tokens: readonly Token[]): Span[] => tokens.flatMap(spansOfOne);

function spansOfOne(token: Token): Span[] {
  if (token.type === 'image') return [{ text: `[Picture: ${token.text}]`, isCode: false }];
  if (token.type === 'codespan') return [{ text: token.text, isCode: true }];
  if (token.type === 'html') return [{ text: withoutHtml(token as Tokens.HTML), isCode: false }];
  if ('tokens' in token && token.tokens !== undefined) return spansOf(token.tokens);
  return [{ text: 'text' in token ? token.text : token.raw, isCode: false }];
}

function withoutHtml({ raw }: { raw: string }): string {
  if (/^\s*<!--(?:(?!-->)[\s\S])*-->\s*$/.test(raw)) return '';
  throw notOurs('raw HTML', raw);
}

const notOurs = (what: string, raw: string): Error =>
  new Error(`${what} does not belong in the manual: ${raw}`);

/** As GitHub makes it, so that a link works there too. */
function anchorOf(text: string, taken: readonly Heading[]): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const before = taken.filter((one) => one.id === id || one.id.replace(/-\d+$/, '') === id).length;
  return before === 0 ? id : `${id}-${before}`;
}
