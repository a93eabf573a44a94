import { MARGIN, type Sheet, type Style } from './sheet.ts';

/** A column of a table; one without a width takes what is left. */
export interface Column {
  readonly title: string;
  readonly width?: number;
  readonly align?: 'left' | 'right';
}

/** A cell: a text, or one with a smaller one below it. */
export type Cell = string | { readonly text: string; readonly below: string };

const GAP = 6;
const PAD = 4;
const SIZE = 8.5;
const BELOW: Style = { size: 7.5, color: '#6b7280' };

/**
 * Writes a table that goes on over pages, each of which begins with its head.
 *
 * @param place left edge and width; the whole sheet when absent
 */
export function writeTable(
  sheet: Sheet,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  place: { readonly x: number; readonly width: number } = { x: MARGIN, width: sheet.width },
): void {
  const fixed = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  const free = place.width - fixed - GAP * (columns.length - 1);
  const boxes: { x: number; width: number; align: 'left' | 'right' }[] = [];
  let x = place.x;
  for (const { width = free, align = 'left' } of columns) {
    boxes.push({ x, width, align });
    x += width + GAP;
  }
  const head = () => writeHead(sheet, columns, boxes, place);
  const heights = rows.map((row) => heightOf(sheet, row, boxes));
  // A head without a row below it says nothing.
  if (!sheet.fits(24 + (heights[0] ?? 0))) sheet.newPage();
  head();
  for (const [at, row] of rows.entries()) {
    const height = heights[at] ?? 0;
    if (!sheet.fits(height)) {
      sheet.newPage();
      head();
    }
    writeRow(sheet, row, boxes);
    sheet.y += height;
    sheet.rule(sheet.y - 1, place.x, place.width, '#e5e7eb');
  }
}

type Boxes = readonly { readonly x: number; readonly width: number; readonly align: 'left' | 'right' }[];

function writeHead(
  sheet: Sheet,
  columns: readonly Column[],
  boxes: Boxes,
  { x, width }: { x: number; width: number },
): void {
  const style: Style = { size: 8, bold: true, color: '#374151' };
  const height = Math.max(
    ...columns.map(({ title }, at) => sheet.heightOf(title, boxes[at]?.width ?? 0, style)),
  );
  for (const [at, { title }] of columns.entries()) {
    const box = boxes[at];
    if (box) sheet.put(title, { ...box, y: sheet.y }, { ...style, align: box.align });
  }
  sheet.y += height + PAD;
  sheet.rule(sheet.y - 1, x, width, '#9ca3af');
}

function heightOf(sheet: Sheet, row: readonly Cell[], boxes: Boxes): number {
  const heights = row.map((cell, at) => {
    const width = boxes[at]?.width ?? 0;
    if (typeof cell === 'string') return sheet.heightOf(cell, width, { size: SIZE });
    return sheet.heightOf(cell.text, width, { size: SIZE }) + sheet.heightOf(cell.below, width, BELOW);
  });
  return Math.max(...heights) + 2 * PAD;
}

function writeRow(sheet: Sheet, row: readonly Cell[], boxes: Boxes): void {
  for (const [at, cell] of row.entries()) {
    const box = boxes[at];
    if (!box) continue;
    const { align, ...place } = box;
    const y = sheet.y + PAD;
    const text = typeof cell === 'string' ? cell : cell.text;
    const height = sheet.put(text, { ...place, y }, { size: SIZE, align });
    if (typeof cell !== 'string') sheet.put(cell.below, { ...place, y: y + height }, { ...BELOW, align });
  }
}
