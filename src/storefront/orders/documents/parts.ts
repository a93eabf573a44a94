import type { Figures } from './figures.ts';
import type { DocumentLine, DocumentModel } from './model.ts';
import { MARGIN, type Sheet } from './sheet.ts';
import type { Cell } from './table.ts';
import type { Words } from './words.ts';

const GREY = '#6b7280';
const LOGO: readonly [number, number] = [150, 48];

/** What every document begins with: whose it is, what it is, and whom it is for. */
export function writeHead(
  sheet: Sheet,
  model: DocumentModel,
  title: string,
  { words, figures, withBilling }: { words: Words; figures: Figures; withBilling: boolean },
): void {
  const top = sheet.y;
  const left = Math.floor(sheet.width / 2);
  const right = { x: MARGIN + left, width: sheet.width - left };
  const facts: [string, string | null][] = [
    [words.number, model.number],
    [words.date, figures.day(model.date)],
    [words.order, model.orderNumber === model.number ? null : model.orderNumber],
    [words.refersTo, model.refersTo],
  ];
  let y = top + sheet.put(title, { ...right, y: top }, { size: 18, bold: true, align: 'right' }) + 4;
  for (const [label, value] of facts) {
    if (value === null) continue;
    y += sheet.put(`${label}: ${value}`, { ...right, y }, { align: 'right' });
  }
  const below = Math.max(y, writeSeller(sheet, model, left - 12));
  sheet.y = below + 18;
  writeAddresses(sheet, model, words, withBilling);
}

/** @returns where it ends */
function writeSeller(sheet: Sheet, { seller }: DocumentModel, width: number): number {
  const { logo, name, address, email, phone, taxId } = seller;
  let y = sheet.y;
  const isShown = logo !== null && sheet.picture(logo, { x: MARGIN, y }, LOGO);
  if (isShown) y += LOGO[1] + 6;
  y += sheet.put(name, { x: MARGIN, y, width }, { size: isShown ? 9 : 14, bold: true });
  const lines = [...address, email ?? '', phone ?? '', taxId ?? ''].filter((line) => line !== '');
  return y + sheet.put(lines.join('\n'), { x: MARGIN, y, width }, { size: 8, color: GREY });
}

function writeAddresses(sheet: Sheet, model: DocumentModel, words: Words, withBilling: boolean): void {
  const width = Math.floor(sheet.width / 2) - 12;
  const all: [string, readonly string[]][] = [];
  if (withBilling) all.push([words.billTo, model.billing]);
  if (model.shipping) all.push([words.shipTo, model.shipping]);
  let bottom = sheet.y;
  for (const [at, [label, lines]] of all.entries()) {
    const x = MARGIN + at * (width + 24);
    const height = sheet.put(label, { x, y: sheet.y, width }, { size: 8, bold: true, color: GREY });
    const y = sheet.y + height + 1;
    bottom = Math.max(bottom, y + sheet.put(lines.join('\n'), { x, y, width }));
  }
  sheet.y = bottom + 18;
}

/** Title, with variant and SKU below it. */
export const itemCell = ({ title, variant, sku }: DocumentLine): Cell => ({
  text: title,
  below: [variant ?? '', sku].filter((part) => part !== '').join(' · '),
});

/** A paragraph over the whole width, on the next page where this one is full. */
export function writeParagraph(sheet: Sheet, label: string, text: string): void {
  if (text === '') return;
  const { width } = sheet;
  const height = sheet.heightOf(label, width, { size: 8, bold: true }) + sheet.heightOf(text, width);
  if (!sheet.fits(height + 12)) sheet.newPage();
  sheet.y += 12;
  sheet.y += sheet.put(label, { x: MARGIN, y: sheet.y, width }, { size: 8, bold: true, color: GREY });
  sheet.y += sheet.put(text, { x: MARGIN, y: sheet.y, width });
}

/** Says which letters are missing: whoever reads a box in their place must know that it is no mistake of the order. */
export function writeMissing(sheet: Sheet, words: Words): void {
  const codes = sheet
    .takeMissing()
    .map((letter) => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  const shown = codes.slice(0, 20).join(' ');
  if (codes.length > 0) writeParagraph(sheet, words.missing, codes.length > 20 ? `${shown} …` : shown);
}
