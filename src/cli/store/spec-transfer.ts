import { outOptions } from '../export/stream-options.ts';
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';
import { productFilters } from './spec-product.ts';

const media = (summary: string): OptionSpec => ({ name: 'media', value: 'DIR', summary, complete: 'file' });

export const transferCommands: readonly CommandSpec[] = [
  {
    path: 'store product export',
    summary: 'write complete products to a file that can be imported again',
    description:
      'Writes JSON Lines: categories and collections first, then each product with its options, variants, prices, tags and pictures, then related products and, without filters, the sort order of categories and collections. Without filters everything is written. Pictures are named by the SHA-256 of their file; --media writes the files themselves. Streams page by page, so any number is fine.',
    options: [...productFilters, media('folder to write the pictures to'), ...outOptions],
    runs: ['L', 'R'],
    examples: [
      'appctl store product export --out products.jsonl --media pictures',
      'appctl store product export --status active | jq -r .slug',
    ],
    stream: 'ndjson',
    exits: [3, 4, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.StoreExportOutput),
    load: () => import('./export.ts').then((actions) => actions.exportStoreProducts),
  },
  {
    path: 'store product import',
    summary: 'create and change products from a file',
    description:
      'Reads what the export writes. Products are matched by slug, or else by SKU. What a line leaves out stays as it is; a list in a line replaces that of the product. Related products that do not exist are skipped with a warning. Each line is its own transaction, and a line that changes nothing is skipped, so running it again is safe. Try --dry-run first.',
    args: [{ name: 'file', summary: 'file to read; - is stdin', complete: 'file' }],
    options: [
      media('folder with the pictures of the export'),
      {
        name: 'without-pictures',
        summary: 'do not change the pictures of products',
        conflicts: ['media'],
      },
      { name: 'strict', summary: 'stop at the first line that is refused' },
    ],
    runs: ['L', 'R'],
    examples: [
      'appctl store product import products.jsonl --media pictures --dry-run',
      'appctl store product import products.jsonl --media pictures',
    ],
    confirm: 'mild',
    exits: [4, 7],
    output: () => import('./schemas.ts').then((schemas) => schemas.StoreImportOutput),
    load: () => import('./import.ts').then((actions) => actions.importStoreProducts),
  },
];
