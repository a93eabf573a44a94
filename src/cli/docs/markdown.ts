import type { Block, ReferencePage } from './pages.ts';

/** A page as a chapter of Markdown. @param level of its heading */
export function markdownPage({ title, summary, sections }: ReferencePage, level: number): string {
  const first = summary === '' ? '' : `${escaped(sentence(summary))}\n\n`;
  const rest = sections
    .filter((section) => section.title !== 'See also')
    .map((section) => sectionText(section, level + 1));
  return `${'#'.repeat(level)} ${escaped(title)}\n\n${first}${rest.join('\n\n')}\n`;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

function sectionText({ title, blocks }: ReferencePage['sections'][number], level: number): string {
  if (title === 'Synopsis')
    return blocks.map((block) => code(block.kind === 'text' ? [block.text] : [])).join('');
  return [`${'#'.repeat(level)} ${title}`, ...blocks.map(blockText)].join('\n\n');
}

function blockText(block: Block): string {
  if (block.kind === 'text') return escaped(block.text);
  if (block.kind === 'code') return code(block.lines);
  return block.terms.map(([term, text]) => `- \`${term}\`: ${escaped(text)}`).join('\n');
}

const code = (lines: readonly string[]): string => ['```sh', ...lines, '```'].join('\n');

/** What Markdown would take for itself; words in angle brackets would be HTML. */
const escaped = (text: string): string => text.replaceAll(/[\\`*_<>[\]|]/g, (sign) => `\\${sign}`);
