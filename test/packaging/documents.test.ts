// Documents as PDF from the bundle of the executable, with no package beside it: its library finds files at computed
// places, which no bundler follows.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FONT_FILES } from '#kernel/vendored-fonts.ts';
import { bundleBasics, unusedPlugin } from '../../bin/bundle.ts';
import { packedPlugin, packPackages } from '../../bin/packed.ts';
import { pagesOf } from '../support/pdf-text.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const root = join(import.meta.dirname, '../..');

let folder: string;
beforeAll(() => {
  folder = scratchFolder('appctl-documents-');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = `
import { writeFileSync } from 'node:fs';
import { invoicePdf } from './src/storefront/orders/documents/index.ts';
const line = { sku: 'MUG-1', title: 'Κούπα', variant: null, quantity: 1, unitCents: 1000, discountCents: 0, netCents: 1000, taxPpm: [190000], taxCents: 190, totalCents: 1190 };
const seller = { name: 'The Shop', address: [], email: null, phone: null, taxId: null, logo: null };
const model = { number: 'INV-1', orderNumber: null, refersTo: null, date: '2026-03-01T12:00:00.000Z', timeZone: 'UTC', locale: 'en', currency: 'EUR', country: 'DE', seller, billing: ['Ann'], shipping: null, lines: [line], subtotalCents: 1000, discounts: [], shippingCents: 0, taxes: [], taxCents: 190, totalCents: 1190, giftCards: [], paidCents: 1190, dueCents: 0, note: null, exempt: null };
invoicePdf(model).then((pdf) => writeFileSync('out.pdf', pdf));
`;

test('an invoice is made by the bundle alone', async () => {
  const place = join(folder, 'a', 'b');
  mkdirSync(place, { recursive: true });
  await build({
    ...bundleBasics(root),
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    format: 'cjs',
    outfile: join(place, 'main.cjs'),
    charset: 'ascii',
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': 'importMetaUrl' },
    banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [unusedPlugin, packedPlugin],
  });
  for (const key of Object.values(FONT_FILES)) cpSync(join(root, key), join(folder, key));
  for (const [key, file] of await packPackages(root, place, 'pdfkit')) {
    mkdirSync(join(folder, 'packed'), { recursive: true });
    cpSync(file, join(folder, key));
  }
  writeFileSync(join(folder, 'package.json'), '{}');
  execFileSync(process.execPath, [join(place, 'main.cjs')], { cwd: folder, env: {} });
  const text = pagesOf(readFileSync(join(folder, 'out.pdf'))).join('\n');
  for (const said of ['Invoice', 'Κούπα', '€11.90']) expect(text).toContain(said);
});
