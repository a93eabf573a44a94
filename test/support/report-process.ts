// A process that opens the installation which the environment names and counts orders for reports, beside others that do the
// same. Each line of stdin is a ReportWork; each is answered with how many orders it counted.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { logTo } from '#kernel/log.ts';
import { begin, countChanges } from '#storefront/tools/reports/fold.ts';
import { openInstance } from '../../src/app/instance.ts';

export interface ReportWork {
  readonly runs: number;
  /** Begins to count all orders again in each of these runs. */
  readonly again: readonly number[];
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { runs, again } = JSON.parse(line) as ReportWork;
  let counted = 0;
  for (let run = 0; run < runs; run++) {
    if (again.includes(run)) await begin(ctx, true);
    counted += (await countChanges(ctx)).orders;
  }
  process.stdout.write(`${JSON.stringify({ counted })}\n`);
}
await instance.close();
