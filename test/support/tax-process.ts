// A process that opens the installation which the environment names and sets up tax beside others. Each line of stdin is
// a TaxWork; each is answered with a tally of what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { addRate, createClass } from '#storefront/pricing/tax/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** Classes of these codes, and compound rates of one class in one zone. */
export interface TaxWork {
  readonly codes: readonly string[];
  readonly zoneId: string;
  readonly taxClassId: string;
  readonly rates: number;
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

async function outcome(name: string, made: Promise<unknown>): Promise<string> {
  try {
    await made;
    return name;
  } catch (error) {
    if (!(error instanceof AppError)) return String(error);
    return String((error.details as { reason?: string }).reason ?? error.code);
  }
}

process.stdout.write('{}\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { codes, zoneId, taxClassId, rates } = JSON.parse(line) as TaxWork;
  const rate = { name: 'QST', taxClassId, ratePpm: 99_750, compound: true };
  const outcomes = await Promise.all([
    ...codes.map((code) => outcome('class', createClass(ctx, { name: code, code }))),
    ...Array.from({ length: rates }, () => outcome('rate', addRate(ctx, zoneId, rate))),
  ]);
  const tally: Record<string, number> = {};
  for (const one of outcomes) tally[one] = (tally[one] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
