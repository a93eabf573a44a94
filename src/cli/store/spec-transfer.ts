import { outOptions } from '../export/stream-options.ts';
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';
import { productFilters } from './spec-product.ts';

const media = (summary: string): OptionSpec => ({ name: 'media', value: 'DIR', summary, complete: 'file' });

export const transferCommands: readonly CommandSpec[] = [
  {
    path: 'store product export',
    summary: 'write whole products to a file that an import reads back',
    description:
      'JSON Lines: categories and collections first, then each product with its options, variants, prices, tags and pictures, then what is shown beside each and, without filters, the orders that you gave categories and collections. Without filters everything is written. Pictures are named by the SHA-256 of their file; --media writes the files themselves. Reads page by page, so any number fits.',
    options: [...productFilters, media('folder that the pictures are written to'), ...outOptions],
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
    summary: 'create and change products by the lines of a file',
    description:
      'Reads what the export writes. A product is found by its slug, or else by an SKU; what a line leaves out stays as it is, lists that it has replace those of the product. A product that a line names and that does not exist is left out with a warning. Each line is a transaction of its own, and a line that changes nothing is skipped: running it again is safe. Try --dry-run first.',
    args: [{ name: 'file', summary: 'file to read; - is stdin', complete: 'file' }],
    options: [
      media('folder with the pictures of the export'),
      {
        name: 'without-pictures',
        summary: 'leave the pictures of products as they are',
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
