// Invoices, credit notes and packing slips as PDF (storefront-domain 15).
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { logTo } from '#kernel/log.ts';
import {
  creditNotePdf,
  type DocumentLine,
  type DocumentModel,
  documentOptions,
  invoicePdf,
  packingSlipPdf,
} from '#storefront/orders/documents/index.ts';
import { pagesOf, sizesOf } from '../support/pdf-text.ts';

const line = (fields: Partial<DocumentLine> = {}): DocumentLine => ({
  sku: 'MUG-1',
  title: 'Mug',
  variant: 'Blue',
  quantity: 2,
  unitCents: 1000,
  discountCents: 200,
  netCents: 1800,
  taxPpm: [190_000],
  taxCents: 342,
  totalCents: 2142,
  ...fields,
});

const model = (fields: Partial<DocumentModel> = {}): DocumentModel => ({
  number: 'INV-2026-1',
  orderNumber: 'R-1001',
  refersTo: null,
  date: '2026-03-01T23:30:00.000Z',
  timeZone: 'UTC',
  locale: 'en',
  currency: 'EUR',
  country: 'DE',
  seller: {
    name: 'The Shop',
    address: ['Market Street 1', '10115 Berlin'],
    email: 'shop@shop.example',
    phone: null,
    taxId: 'DE123456789',
    logo: null,
  },
  billing: ['Ann Buyer', 'Road 5', '20095 Hamburg'],
  shipping: ['Bob Reader', 'Lane 7', '80331 München'],
  lines: [line()],
  subtotalCents: 1800,
  discounts: [{ label: 'Spring', amountCents: 100 }],
  shippingCents: 500,
  taxes: [{ name: 'VAT', ratePpm: 190_000, netCents: 1800, taxCents: 342 }],
  taxCents: 342,
  totalCents: 2542,
  giftCards: [{ label: 'Gift card •••• 1234', amountCents: 1000 }],
  paidCents: 1500,
  dueCents: 42,
  note: null,
  exempt: null,
  ...fields,
});

const textOf = async (pdf: Promise<Buffer>): Promise<string> => pagesOf(await pdf).join('\n');

describe('an invoice', () => {
  test('says who sold what to whom, every amount, and what is left to pay', async () => {
    const text = await textOf(invoicePdf(model()));
    for (const said of [
      'Invoice',
      'Number: INV-2026-1',
      'Order: R-1001',
      'Date: March 1, 2026',
      'The Shop',
      'DE123456789',
      'Ann Buyer',
      'Bob Reader',
      'Mug',
      'Blue · MUG-1',
      '€10.00',
      '-€2.00',
      '€18.00',
      '19%',
      '€3.42',
      '€21.42',
      'Spring',
      '-€1.00',
      '€25.42',
      'Gift card •••• 1234',
      '-€15.00',
      '€0.42',
      'Page 1 / 1',
    ])
      expect(text).toContain(said);
  });

  test('has the same bytes each time, and the date of the document in place of that of the day', async () => {
    const [one, other] = [await invoicePdf(model()), await invoicePdf(model())];
    expect(one.equals(other)).toBe(true);
    expect(one.toString('latin1')).toContain('D:20260301233000Z');
    expect((await invoicePdf(model({ number: 'INV-2' }))).equals(one)).toBe(false);
    expect(one.toString('latin1')).not.toMatch(/PDFKit/);
  });

  test('is in the language of the order, with amounts and days as that language writes them', async () => {
    const text = await textOf(invoicePdf(model({ locale: 'de-AT', timeZone: 'Europe/Vienna' })));
    for (const said of ['Rechnung', '2. März 2026', 'Zwischensumme', 'Offener Betrag'])
      expect(text).toContain(said);
    expect(text.replaceAll('\u00a0', ' ')).toContain('€ 25,42');
    expect(await textOf(invoicePdf(model({ locale: 'fi' })))).toContain('Invoice');
    for (const [locale, title, day] of [
      ['fr', 'Facture', '1 mars 2026'],
      ['es', 'Factura', '1 de marzo de 2026'],
      ['pt', 'Fatura', '1 de março de 2026'],
      // Digits and months that the built-in font does not have are not asked of it.
      ['ja', 'Invoice', 'March 1, 2026'],
      ['ar', 'Invoice', 'March 1, 2026'],
    ] as const) {
      const text = await textOf(invoicePdf(model({ locale })));
      for (const said of [title, day])
        expect([locale, text]).toEqual([locale, expect.stringContaining(said)]);
      expect([locale, text]).toEqual([locale, expect.not.stringMatching(/U\+[0-9A-F]{4}/)]);
    }
  });

  test('prints Latin, Greek and Cyrillic letters with all their accents', async () => {
    const names = [
      'Žofia Łukaszewska',
      'Ελένη Παπαδοπούλου',
      'Юлия Ёлкина',
      'Đặng Thị Hồng',
      'İbrahim Şahin',
    ];
    const text = await textOf(invoicePdf(model({ billing: names })));
    for (const name of names) expect(text).toContain(name);
    expect(text).not.toContain('Letters that the font');
  });

  test('says which letters its font does not have, and prints the others', async () => {
    const text = await textOf(invoicePdf(model({ note: 'For 测试, thanks' })));
    expect(text).toContain('Letters that the font of this document does not have');
    expect(text).toContain('U+6D4B U+8BD5');
    expect(text).toContain('thanks');
  });

  test('prints other letters with a font that the configuration names', async () => {
    const note = 'שלום, thanks';
    expect(await textOf(invoicePdf(model({ note })))).toContain('U+05E9');
    const documentFont = join(
      import.meta.dirname,
      '../../node_modules/@fontsource/noto-sans-hebrew/files/noto-sans-hebrew-hebrew-400-normal.woff',
    );
    const log = logTo({ write: () => undefined }, 'silent');
    const options = await documentOptions({ documentFont, log });
    const text = await textOf(invoicePdf(model({ note: 'שלום' }), options));
    // Set from right to left, a few letters at a time.
    expect([text.includes('U+05E9'), text.match(/[\u05d0-\u05ea]/g)?.length]).toEqual([false, 4]);
    for (const other of [
      { font: Buffer.from('no font') },
      await documentOptions({ documentFont: '/nowhere', log }),
    ])
      expect(await textOf(invoicePdf(model({ note }), other))).toContain('U+05E9');
  });

  test('of 200 lines goes on over pages, each with its head and number, and loses none', async () => {
    const lines = Array.from({ length: 200 }, (_, n) =>
      line({ sku: `SKU-${n}`, title: `Thing number ${n}` }),
    );
    const pages = pagesOf(await invoicePdf(model({ lines })));
    expect(pages.length).toBeGreaterThan(5);
    for (const [at, page] of pages.entries()) expect(page).toContain(`Page ${at + 1} / ${pages.length}`);
    const text = pages.join('\n');
    for (const { title } of lines) expect(text.split('\n')).toContain(title);
    const heads = pages.filter((page) => page.includes('Unit price'));
    expect(heads.length).toBeGreaterThanOrEqual(pages.length - 1);
  });

  test('breaks titles of any length within its column', async () => {
    const title = `${'Long words of a title '.repeat(11)}end`;
    const text = await textOf(
      invoicePdf(model({ lines: [line({ title }), line({ title: 'x'.repeat(255) })] })),
    );
    expect(text.replaceAll('\n', ' ').replaceAll(/ +/g, ' ')).toContain('Long words of a title');
    expect(text).toContain('€25.42');
  });

  test('says that no tax is charged of a buyer who is exempt', async () => {
    const free = { taxes: [], taxCents: 0, exempt: '' };
    expect(await textOf(invoicePdf(model(free)))).toContain('No tax is charged: the buyer is exempt.');
    expect(await textOf(invoicePdf(model({ ...free, exempt: 'Reverse charge' })))).toContain(
      'Reverse charge',
    );
  });

  test('is on the paper of the country of its seller', async () => {
    expect(sizesOf(await invoicePdf(model()))).toEqual(['595.28 841.89']);
    expect(sizesOf(await invoicePdf(model({ country: 'US', currency: 'USD' })))).toEqual(['612 792']);
  });

  test('shows the logo of the shop, and goes without one that cannot be read', async () => {
    const background = { r: 10, g: 120, b: 200 };
    const logo = await sharp({ create: { width: 300, height: 90, channels: 3, background } })
      .png()
      .toBuffer();
    const { seller } = model();
    const [plain, shown] = [
      await invoicePdf(model()),
      await invoicePdf(model({ seller: { ...seller, logo } })),
    ];
    expect(shown.toString('latin1')).toContain('/Subtype /Image');
    const broken = await invoicePdf(model({ seller: { ...seller, logo: Buffer.from('no picture') } }));
    expect(broken.length).toBe(plain.length);
  });

  test('writes amounts of currencies without and with three places', async () => {
    expect(await textOf(invoicePdf(model({ currency: 'JPY' })))).toContain('¥2,542');
    expect(await textOf(invoicePdf(model({ currency: 'KWD' })))).toContain('2.542');
  });
});

test('a credit note says which invoice it takes back, and what was refunded', async () => {
  const text = await textOf(creditNotePdf(model({ number: 'CN-1', refersTo: 'INV-2026-1' })));
  for (const said of ['Credit note', 'Number: CN-1', 'For invoice: INV-2026-1', 'Refunded', '€25.42'])
    expect(text).toContain(said);
  expect(text).not.toContain('Amount due');
});

describe('a packing slip', () => {
  test('says what goes where, without an amount', async () => {
    const text = await textOf(packingSlipPdf(model({ note: 'Leave it at the door' })));
    for (const said of ['Packing slip', 'Bob Reader', 'Mug', 'Leave it at the door'])
      expect(text).toContain(said);
    expect(text).not.toMatch(/€|Ann Buyer/);
  });

  test('of several orders begins each on a page of its own, with pages counted by order', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => line({ title: `Thing ${n}` }));
    const pages = pagesOf(
      await packingSlipPdf([model({ number: 'A' }), model({ number: 'B', lines }), model({ number: 'C' })]),
    );
    const numbers = pages.map((page) => /Page (\d+ \/ \d+)/.exec(page)?.[1]);
    expect(numbers[0]).toBe('1 / 1');
    expect(numbers.at(-1)).toBe('1 / 1');
    expect(numbers.slice(1, -1)).toEqual(
      numbers.slice(1, -1).map((_, at, all) => `${at + 1} / ${all.length}`),
    );
    expect(pages[0]).toContain('Number: A');
    expect(() => packingSlipPdf([])).toThrow('needs an order');
  });
});
