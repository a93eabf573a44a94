import type { AuditEntry } from '#platform/audit/view.ts';
import { timeAt } from '../desk/desk.ts';
import { csvPages, fileAsked, formatAsked, writeExport } from '../export/stream.ts';
import type { Cli } from '../frame/context.ts';
import { type Row, selectFields } from '../frame/rows.ts';
import { requireAction } from './action.ts';
import { filterAsked } from './filter.ts';
import { withAudit } from './twin.ts';

const csvFields = [
  'seq',
  'id',
  'at',
  'actor.kind',
  'actor.id',
  'actor.label',
  'via',
  'ip',
  'userAgent',
  'requestId',
  'tenantId',
  'action',
  'target.type',
  'target.id',
  'before',
  'after',
  'details',
  'note',
];

/** `appctl audit export`: while it arrives, to a file (0600) or to stdout. */
export async function exportAudit(cli: Cli): Promise<void> {
  const format = formatAsked<'csv' | 'jsonl'>(cli);
  const file = fileAsked(cli);
  await withAudit(cli, async (desk) => {
    const filters = filterAsked(cli, timeAt(desk));
    // Before a file is made.
    if (filters.action !== undefined) {
      const { total } = await desk.get<{ total: number }>('audit-log/count', filters);
      if (total === 0) await requireAction(cli);
    }
    const asked = { ...filters, format: 'jsonl' };
    await desk.download('audit-log/export', asked, async ({ chunks }) => {
      const counted = { entries: 0 };
      const pages = counting(entriesIn(chunks), counted);
      const texts = format === 'csv' ? csvPages(csvFields, flat(pages)) : lines(pages);
      await writeExport(cli, file, texts, () => ({
        value: { file, format, ...counted },
        human: `wrote ${counted.entries} entries to ${file}`,
      }));
    });
  });
}

/** The entries of each chunk that are whole; what is left of one begins the next. */
async function* entriesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<AuditEntry[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const whole = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = whole.pop() ?? '';
    if (whole.length > 0) yield whole.map((line) => JSON.parse(line) as AuditEntry);
  }
}

async function* counting(pages: AsyncIterable<AuditEntry[]>, counted: { entries: number }) {
  for await (const page of pages) {
    counted.entries += page.length;
    yield page;
  }
}

async function* flat(pages: AsyncIterable<AuditEntry[]>): AsyncGenerator<Row[]> {
  for await (const page of pages) yield page.map((entry) => selectFields(entry, csvFields));
}

async function* lines(pages: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
