import type { Desk } from '../desk/desk.ts';
import { csvPages, fileAsked, formatAsked, writeExport } from '../export/stream.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { type Row, selectFields } from '../frame/rows.ts';
import { filterAsked, filterFlags } from './filter.ts';
import { type DeskLicense, withLicenses } from './twin.ts';

type Format = 'csv' | 'jsonl' | 'json';

const LICENSES_PER_PAGE = 500;

const csvFields = [
  'id',
  'keyMasked',
  'productId',
  'productSlug',
  'productName',
  'type',
  'tier',
  'status',
  'maxActivations',
  'activationsUsed',
  'validUntil',
  'graceExpiresAt',
  'maxVersion',
  'maxUses',
  'currentUses',
  'features',
  'policyId',
  'customer.id',
  'customer.email',
  'customer.name',
  'orderId',
  'metadata',
  'createdAt',
  'updatedAt',
];

/** `appctl license export`: page by page, to a file (0600) or to stdout. */
export async function exportLicenses(cli: Cli): Promise<void> {
  const format = formatAsked<Format>(cli);
  const file = fileAsked(cli);
  await withLicenses(cli, async (desk) => {
    const query = { ...filterAsked(cli, desk), format: 'jsonl', sort: 'id' };
    const counted = { licenses: 0 };
    await namingFlags(filterFlags, () =>
      desk.download('licenses/export', query, async ({ chunks }) => {
        const texts = render(cli, format, readPages(cli, desk, chunks, counted));
        await writeExport(cli, file, texts, () => ({
          value: { file, format, ...counted },
          human: `wrote ${counted.licenses} licenses to ${file}`,
        }));
      }),
    );
  });
}

type Exported = DeskLicense & { key?: string };

async function* readPages(
  cli: Cli,
  desk: Desk,
  chunks: AsyncIterable<Uint8Array>,
  counted: { licenses: number },
): AsyncGenerator<Exported[]> {
  for await (const page of inPages(linesOf(chunks), LICENSES_PER_PAGE)) {
    counted.licenses += page.length;
    yield cli.flag('reveal') ? await withKeys(desk, page) : page;
  }
}

async function* inPages(lines: AsyncIterable<string>, size: number): AsyncGenerator<DeskLicense[]> {
  let page: DeskLicense[] = [];
  for await (const line of lines) {
    page.push(JSON.parse(line));
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Lines of a text that comes in pieces. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The same licenses with their whole keys; the timeline of each tells it. */
async function withKeys(desk: Desk, page: readonly DeskLicense[]): Promise<Exported[]> {
  const ids = page.map(({ id }) => id);
  const { keys } = await desk.post<{ keys: { id: string; key: string }[] }>('licenses/reveal-keys', {
    ids,
    reason: 'EXPORT',
  });
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return page.map((license) => ({ ...license, key: byId.get(license.id) as string }));
}

/** The text of each page; together they are one CSV file, one JSON array, or one object per line. */
async function* render(cli: Cli, format: Format, pages: AsyncIterable<Exported[]>): AsyncGenerator<string> {
  const fields = cli
    .option('fields')
    ?.split(',')
    .map((field) => field.trim());
  const pick = (view: Row): Row => (fields === undefined ? view : selectFields(view, fields));
  if (format === 'csv') return yield* csvPages(fields ?? fieldsFor(cli), pages);
  let separator = format === 'json' ? '[' : '';
  for await (const page of pages) {
    const lines = page.map((view) => JSON.stringify(pick(view)));
    yield format === 'json' ? `${separator}\n${lines.join(',\n')}` : `${lines.join('\n')}\n`;
    separator = ',';
  }
  if (format === 'json') yield separator === '[' ? '[]\n' : '\n]\n';
}

const fieldsFor = (cli: Cli): string[] =>
  csvFields.map((field) => (field === 'keyMasked' && cli.flag('reveal') ? 'key' : field));
