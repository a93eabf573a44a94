import { figuresOf } from './figures.ts';
import type { DocumentModel, DocumentOptions } from './model.ts';
import { itemCell, writeHead, writeMissing, writeParagraph } from './parts.ts';
import { pdfOf, type Sheet } from './sheet.ts';
import { writeTable } from './table.ts';
import { wordsOf } from './words.ts';

/**
 * What goes into the parcel, without amounts. Of several orders each begins on a page of its own.
 *
 * @throws Error without any order
 */
export function packingSlipPdf(
  models: DocumentModel | readonly DocumentModel[],
  options: DocumentOptions = {},
): Promise<Buffer> {
  const all: readonly DocumentModel[] = 'lines' in models ? [models] : models;
  const [first] = all;
  if (!first) throw new Error('a packing slip needs an order');
  const title =
    all.length === 1
      ? `${wordsOf(first.locale).packingSlip} ${first.number}`
      : wordsOf(first.locale).packingSlip;
  return pdfOf(first, title, options, (sheet) => {
    for (const model of all) writeSlip(sheet, model);
  });
}

function writeSlip(sheet: Sheet, model: DocumentModel): void {
  const words = wordsOf(model.locale);
  const from = sheet.pages;
  sheet.newPage();
  writeHead(sheet, model, words.packingSlip, {
    words,
    figures: figuresOf(model),
    withBilling: model.shipping === null,
  });
  const columns = [{ title: words.item }, { title: words.quantity, width: 60, align: 'right' as const }];
  writeTable(
    sheet,
    columns,
    model.lines.map((line) => [itemCell(line), String(line.quantity)]),
  );
  writeParagraph(sheet, words.note, model.note ?? '');
  writeMissing(sheet, words);
  sheet.numberPages(from, words.page);
}
