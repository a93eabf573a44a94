import { type Check, type Finding, fail, ok, onConfig, warn } from '#kernel/check.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Ctx } from '#kernel/context.ts';
import { gauges } from '#kernel/metric.ts';
import { spoolOf } from '#kernel/spool.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type ProcessorEvent, processorEventRecord } from './record.ts';

/** Where reports of processors wait that came while the database was away (storefront-domain 11). */
export const paymentSpool = spoolOf('payments', ids.processorEvent);

/** Keeps a report, whose signature held, on the disk. @throws SpoolFull; what the file system throws */
export const spoolReport = (ctx: Ctx, row: ProcessorEvent): Promise<void> =>
  paymentSpool.write(ctx, JSON.stringify(processorEventRecord.write(row)));

/** The report of a file; null for one that is none. */
export function readReport(text: string): ProcessorEvent | null {
  try {
    const row = processorEventRecord.read(JSON.parse(text) as object);
    const isWhole = [row.id, row.processor, row.processorEventId, row.type, row.bodySha256].every(
      (one) => typeof one === 'string' && one !== '',
    );
    return isWhole && typeof row.body === 'object' ? row : null;
  } catch {
    return null;
  }
}

/** The database is not asked: reports wait here because it could not be. */
function checkSpool(config: Config): Finding {
  const { files, bad } = paymentSpool.state(config);
  const folder = paymentSpool.folderOf(config);
  if (bad > 0)
    return fail(
      `${bad} files of ${folder} cannot be read (*.bad): each may be a payment missing from its order`,
      'read them, and run: appctl jobs run sync-payments --wait',
    );
  if (files === 0) return ok('no payment notification is waiting on disk');
  return warn(
    `${files} notifications of payments wait in ${folder} since the database was unavailable`,
    'appctl jobs run ingest-payment-spool --wait',
  );
}

export const spoolChecks: readonly Check[] = [
  { id: 'store.payment-spool', title: 'payment notifications on disk', run: onConfig(checkSpool) },
];

/** A group of its own: it is told when the database cannot be asked, which is when it fills. */
export const paymentSpoolMetrics = gauges(
  { appctl_store_spool_depth: { help: 'Payment notifications waiting on disk for the database' } },
  async (ctx) => ({ appctl_store_spool_depth: [{ value: paymentSpool.depth(ctx) }] }),
);
