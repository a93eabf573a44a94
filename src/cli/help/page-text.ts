import type { Span, TextBlock } from '#kernel/views/markdown.ts';
import type { Paint } from '../frame/io.ts';
import { folded, held } from '../frame/wrap.ts';

/** As wide as most people can read a line, for what is not written to a terminal. */
const WIDE = 120;
const GAP = 2;
/** Fewer characters for the last column are no column any more. */
const NARROWEST = 24;

/**
 * A page of the manual as plain text.
 * @param width of the terminal; undefined for what is none, where lines end as the author ended them
 */
export function pageText(blocks: readonly TextBlock[], width: number | undefined, paint: Paint): string {
  const page = { width, paint };
  return blocks
    .map((block, index) => {
      const text = blockText(block, page);
      const before = blocks[index - 1];
      // Items of a list follow each other.
      const isNext =
        block.kind === 'paragraph' && block.bullet && before?.kind === 'paragraph' && before.bullet;
      return `${index === 0 ? '' : isNext ? '\n' : '\n\n'}${text}`;
    })
    .join('');
}

interface View {
  readonly width: number | undefined;
  readonly paint: Paint;
}

function blockText(block: TextBlock, view: View): string {
  switch (block.kind) {
    case 'heading':
      return view.paint('bold', lines(block.spans, { ...view, paint: (_style, text) => text }, 0).join('\n'));
    case 'code':
      return block.text.replaceAll(/^(?=.)/gm, '  ');
    case 'table':
      return tableText(block, view);
    case 'paragraph': {
      const bullet = block.bullet === undefined ? '' : `${block.bullet} `;
      return `${bullet}${lines(block.spans, view, bullet.length).join(`\n${' '.repeat(bullet.length)}`)}`;
    }
  }
}

/** @param taken characters of each line that belong to something else */
function lines(spans: readonly Span[], { width, paint }: View, taken: number): string[] {
  const text = spans.map((span) => (span.isCode ? paint('cyan', held(span.text)) : span.text)).join('');
  if (width === undefined)
    return text.split('\n').map((line) => folded(line, Number.POSITIVE_INFINITY).join(''));
  return folded(text.replaceAll('\n', ' '), Math.max(20, width - taken));
}

type Table = Extract<TextBlock, { kind: 'table' }>;

/** Columns beside each other with the last one wrapped; one value under the other where they do not fit. */
function tableText(table: Table, view: View): string {
  const { header, rows } = table;
  const plain = (cell: readonly Span[]) => cell.map(({ text }) => text).join('');
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => plain(row[column] ?? []).length)),
  );
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + GAP, 0);
  const room = (view.width ?? WIDE) - before;
  if (room < Math.min(NARROWEST, widths.at(-1) ?? 0)) return listText(table, view);
  const row = (cells: readonly (readonly Span[])[], look: View): string => {
    const left = cells.slice(0, -1).map((cell, column) => {
      const padding = ' '.repeat((widths[column] ?? 0) - plain(cell).length + GAP);
      return `${lines(cell, { ...look, width: undefined }, 0).join(' ')}${padding}`;
    });
    const last = lines(cells.at(-1) ?? [], { ...look, width: room }, 0);
    return `${left.join('')}${last.join(`\n${' '.repeat(before)}`)}`.replaceAll(/ +$/gm, '');
  };
  const title = row(header, { ...view, paint: (_style, text) => text });
  return [view.paint('bold', title), ...rows.map((cells) => row(cells, view))].join('\n');
}

/** A row is its first value with the others below it, named when there are several. */
function listText({ header, rows }: Table, view: View): string {
  const below = (cell: readonly Span[], column: number): string[] => {
    const name = header.length > 2 ? [...(header[column + 1] ?? []), { text: ': ', isCode: false }] : [];
    return lines([...name, ...cell], { ...view, width: view.width ?? WIDE }, 4).map((line) => `    ${line}`);
  };
  return rows
    .map(([first = [], ...others]) => [lines(first, view, 0).join('\n'), ...others.flatMap(below)].join('\n'))
    .join('\n');
}
