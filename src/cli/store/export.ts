import { fileAsked, requireFit, writeExport } from '../export/stream.ts';
import type { Cli } from '../frame/context.ts';
import { categoryAsked } from './categories.ts';
import { type LineSent, picturesIn } from './line-pictures.ts';
import { fetchPictures, folderAsked } from './picture-files.ts';
import { plainFilters } from './read.ts';
import { textLines } from './text-lines.ts';
import { withTransfer } from './transfer-twin.ts';

/** What a file holds. */
interface Counted {
  products: number;
  categories: number;
  collections: number;
  /** Of the originals of its pictures. */
  readonly digests: Set<string>;
}

const FIELDS = { product: 'products', category: 'categories', collection: 'collections' } as const;
const LONGEST = 16_000_000;

/** `appctl store product export`. */
export async function exportStoreProducts(cli: Cli): Promise<void> {
  requireFit(cli, 'jsonl');
  const file = fileAsked(cli);
  const folder = folderAsked(cli, true);
  await withTransfer(cli, async (desk) => {
    const query = { ...plainFilters(cli), category_id: await categoryAsked(cli, desk) };
    const counted: Counted = { products: 0, categories: 0, collections: 0, digests: new Set() };
    const fetchAll = async () => (folder ? fetchPictures(cli, desk, folder, counted.digests) : 0);
    await desk.download('products/export.jsonl', query, async ({ chunks }) => {
      const lines = counting(chunks, counted);
      // The pictures are there before the file gets its name: who finds it finds them.
      const texts = file === undefined ? lines : followedBy(lines, fetchAll);
      await writeExport(cli, file, texts, () => toldOf(file ?? '', folder?.path ?? null, counted));
    });
    if (file === undefined) await fetchAll();
  });
}

async function* counting(chunks: AsyncIterable<Uint8Array>, counted: Counted): AsyncGenerator<string> {
  for await (const { text } of textLines(chunks, LONGEST)) {
    const line = JSON.parse(text ?? 'null') as LineSent & {
      kind: keyof typeof FIELDS | 'relations' | 'order';
    };
    if (line.kind in FIELDS) counted[FIELDS[line.kind as keyof typeof FIELDS]] += 1;
    for (const { sha256 } of picturesIn(line)) counted.digests.add(sha256);
    yield `${text}\n`;
  }
}

async function* followedBy(
  lines: AsyncIterable<string>,
  last: () => Promise<unknown>,
): AsyncGenerator<string> {
  yield* lines;
  await last();
}

function toldOf(file: string, media: string | null, { digests, ...rows }: Counted) {
  const pictures = digests.size;
  const { products, categories, collections } = rows;
  const places = `${categories} categories and ${collections} collections`;
  const more = media === null ? '' : `, and ${pictures} pictures to ${media}`;
  return {
    value: { file, rows, pictures, media },
    human: `wrote ${products} products, ${places} to ${file}${more}`,
  };
}
