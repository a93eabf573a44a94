import { type Figures, figuresOf } from './figures.ts';
import type { DocumentModel, DocumentOptions } from './model.ts';
import { itemCell, writeHead, writeMissing, writeParagraph } from './parts.ts';
import { MARGIN, pdfOf, type Sheet } from './sheet.ts';
import { type Column, writeTable } from './table.ts';
import { type Words, wordsOf } from './words.ts';

type Kind = 'invoice' | 'creditNote';

/** An invoice (storefront-domain 15). The same model gives the same bytes. */
export const invoicePdf = (model: DocumentModel, options: DocumentOptions = {}): Promise<Buffer> =>
  moneyPdf(model, 'invoice', options);

/** What takes an invoice back, or a part of it: its amounts are those that go back. */
export const creditNotePdf = (model: DocumentModel, options: DocumentOptions = {}): Promise<Buffer> =>
  moneyPdf(model, 'creditNote', options);

function moneyPdf(model: DocumentModel, kind: Kind, options: DocumentOptions): Promise<Buffer> {
  const words = wordsOf(model.locale);
  const figures = figuresOf(model);
  return pdfOf(model, `${words[kind]} ${model.number}`, options, (sheet) => {
    sheet.newPage();
    writeHead(sheet, model, words[kind], { words, figures, withBilling: true });
    writeTable(
      sheet,
      columnsOf(words),
      model.lines.map((line) => [
        itemCell(line),
        line.quantity === 0 ? '' : String(line.quantity),
        line.quantity === 0 ? '' : figures.money(line.unitCents),
        line.discountCents === 0 ? '' : figures.money(-line.discountCents),
        figures.money(line.netCents),
        line.taxPpm.map(figures.percent).join(' + '),
        figures.money(line.taxCents),
        figures.money(line.totalCents),
      ]),
    );
    writeSums(sheet, model, kind, words, figures);
    writeTaxes(sheet, model, words, figures);
    if (model.exempt !== null) writeParagraph(sheet, words.tax, model.exempt || words.exempt);
    writeParagraph(sheet, words.note, model.note ?? '');
    writeMissing(sheet, words);
    sheet.numberPages(0, words.page);
  });
}

const columnsOf = (words: Words): Column[] => [
  { title: words.item },
  { title: words.quantity, width: 30, align: 'right' },
  { title: words.unit, width: 56, align: 'right' },
  { title: words.discount, width: 52, align: 'right' },
  { title: words.net, width: 56, align: 'right' },
  { title: words.taxRate, width: 40, align: 'right' },
  { title: words.tax, width: 48, align: 'right' },
  { title: words.total, width: 60, align: 'right' },
];

/** What is added and taken away on the way to what is due. */
function writeSums(sheet: Sheet, model: DocumentModel, kind: Kind, words: Words, figures: Figures): void {
  const { money } = figures;
  const sums: [label: string, amount: string, bold?: true][] = [
    [words.subtotal, money(model.subtotalCents)],
    ...model.discounts.map(({ label, amountCents }): [string, string] => [label, money(-amountCents)]),
    [words.shipping, money(model.shippingCents)],
    [words.tax, money(model.taxCents)],
    [kind === 'invoice' ? words.total : words.refunded, money(model.totalCents), true],
  ];
  if (kind === 'invoice') {
    sums.push(
      ...model.giftCards.map(({ label, amountCents }): [string, string] => [label, money(-amountCents)]),
    );
    if (model.paidCents !== 0) sums.push([words.paid, money(-model.paidCents)]);
    sums.push([words.due, money(model.dueCents), true]);
  }
  sheet.y += 10;
  const width = Math.min(260, sheet.width);
  const x = MARGIN + sheet.width - width;
  for (const [label, amount, bold = false] of sums) {
    const height = sheet.heightOf(label, width - 100, { bold }) + 3;
    if (!sheet.fits(height)) sheet.newPage();
    sheet.put(label, { x, y: sheet.y, width: width - 100 }, { bold });
    sheet.put(amount, { x: x + width - 100, y: sheet.y, width: 100 }, { bold, align: 'right' });
    sheet.y += height;
  }
}

/** What came together at each rate. */
function writeTaxes(sheet: Sheet, { taxes }: DocumentModel, words: Words, { money, percent }: Figures): void {
  if (taxes.length === 0) return;
  sheet.y += 14;
  const columns: Column[] = [
    { title: words.tax },
    { title: words.rate, width: 50, align: 'right' },
    { title: words.net, width: 80, align: 'right' },
    { title: words.tax, width: 80, align: 'right' },
  ];
  const rows = taxes.map(({ name, ratePpm, netCents, taxCents }) => [
    name,
    percent(ratePpm),
    money(netCents),
    money(taxCents),
  ]);
  writeTable(sheet, columns, rows, { x: MARGIN, width: Math.min(360, sheet.width) });
}
