import { listAssets, readAsset } from '#kernel/assets.ts';
import type { Picture, RenderedMarkdown, Span, TextBlock } from '#kernel/views/markdown.ts';
import { createStaticFiles } from '#kernel/views/static-files.ts';
import { allTopics, type Topic } from './contents.ts';

/** A page with a line that holds what was looked for. */
export interface Found extends Topic {
  readonly line: string;
}

// Imported when a page is read: nearly every other command and request does without.
const markdown = () => import('#kernel/views/markdown.ts');

/** The Markdown of a page. @throws Error when there is no such page */
export const readPage = (topic: string): string => readAsset(`templates/help/${topic}.md`).toString('utf8');

/** All shipped files of the manual, for `filesOf`. */
export const helpFiles = (): readonly string[] => listAssets('templates/help');

/** Names of the files that come with a page. @param shipped looked up once for all pages */
export function filesOf(topic: string, shipped = helpFiles()): string[] {
  const folder = `templates/help/${topic}/`;
  return shipped.filter((key) => key.startsWith(folder)).map((key) => key.slice(folder.length));
}

/** A file that comes with a page, as it is. @throws Error when there is no such file */
export const readPageFile = (topic: string, name: string): Buffer =>
  readAsset(`templates/help/${topic}/${name}`);

/** What stands below the title of a page, for a browser. @throws Error when there is no such page */
export async function pageHtml(topic: string): Promise<RenderedMarkdown> {
  const body = readPage(topic).replace(/^# .*\n/, '');
  return (await markdown()).renderMarkdown(body, addressOf, pictureOf);
}

const PICTURE = /^\.\.\/assets\/(help\/[\w-]+\.png)$/;
// Where a PNG says its width and height (PNG specification, 11.2.2).
const WIDTH_AT = 16;
const HEIGHT_AT = 20;

/**
 * A picture of a page, at the address that browsers keep.
 * @param href as pages name it: `../assets/help/licenses.png`, which works in the repository too
 * @throws Error when there is no such picture
 */
export function pictureOf(href: string): Picture {
  const [, name] = PICTURE.exec(href) ?? [];
  if (name === undefined) throw new Error(`${href} is not a picture in the manual`);
  const bytes = readAsset(`templates/assets/${name}`);
  return {
    address: createStaticFiles(undefined).addressOf(name),
    width: bytes.readUInt32BE(WIDTH_AT),
    height: bytes.readUInt32BE(HEIGHT_AT),
  };
}

/** Pages name each other, and the files that come with them, as the repository has them. */
const addressOf = (href: string): string =>
  href.replace(/^([\w-]+)\.md(?=#|$)/, '/help/$1').replace(/^(?=[\w-]+\/)/, '/help/');

/** The parts of a page as plain text, for a terminal. @throws Error when there is no such page */
export async function pageBlocks(topic: string): Promise<TextBlock[]> {
  return (await markdown()).markdownBlocks(readPage(topic));
}

/**
 * Searches every page, regardless of case: for the phrase, and where no page has that, for lines with all its words.
 * @returns each page with the line that matches best, in the order of the table of contents
 */
export async function searchPages(phrase: string): Promise<Found[]> {
  const { textOf } = await markdown();
  const pages = await Promise.all(
    allTopics.map(async ({ topic, title }) => {
      const lines = (await pageBlocks(topic)).flatMap((block) => linesOf(block, textOf));
      return { topic, title, lines: [title, ...lines] };
    }),
  );
  const whole = phrase.toLowerCase();
  const words = whole.split(/\s+/);
  const having = (holds: (line: string) => boolean): Found[] =>
    pages.flatMap(({ lines, ...page }) => {
      const line = lines.find((one) => holds(one.toLowerCase()));
      return line === undefined ? [] : [{ ...page, line }];
    });
  const found = having((line) => line.includes(whole));
  return found.length > 0 ? found : having((line) => words.every((word) => line.includes(word)));
}

function linesOf(block: TextBlock, textOf: (spans: readonly Span[]) => string): string[] {
  if (block.kind === 'table') return [block.header, ...block.rows].map((row) => row.map(textOf).join('  '));
  if (block.kind === 'code') return block.text.split('\n').map((line) => line.trim());
  // A sentence may go on behind the end of a line of the source.
  return [textOf(block.spans).replaceAll('\n', ' ')];
}
