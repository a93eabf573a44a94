import * as audit from '#platform/audit/index.ts';
import type { AuditEntry } from '#platform/audit/view.ts';
import { csvPages, fileAsked, formatAsked, writeExport } from '../export/stream.ts';
import type { Cli } from '../frame/context.ts';
import { type Row, selectFields } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { filterAsked } from './filter.ts';

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

/** `appctl audit export`: page by page, to a file (0600) or to stdout. */
export async function exportAudit(cli: Cli): Promise<void> {
  const format = formatAsked<'csv' | 'jsonl'>(cli);
  const file = fileAsked(cli);
  await withLocal(cli, async ({ ctx }) => {
    const counted = { entries: 0 };
    const filter = filterAsked(cli, ctx.now());
    const about = { what: 'audit', format, filter: { ...filter } };
    const pages = counting(audit.notingExport(ctx, about, audit.stream(ctx, filter)), counted);
    const texts = format === 'csv' ? csvPages(csvFields, flat(pages)) : lines(pages);
    await writeExport(cli, file, texts, () => ({
      value: { file, format, ...counted },
      human: `wrote ${counted.entries} entries to ${file}`,
    }));
  });
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
