// A process that opens the installation which the environment names and fetches bought files beside other processes. Each
// line of stdin is a DownloadWork; each is answered with a tally of what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { openDownload } from '#storefront/buying/downloads/index.ts';
import { openInstance } from '../../src/app/instance.ts';

/** Links whose files are fetched whole, all at once. */
export interface DownloadWork {
  readonly tokens: readonly string[];
}

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

async function fetchWhole(token: string): Promise<string> {
  try {
    const content = await openDownload(ctx, token);
    try {
      let bytes = 0;
      for await (const chunk of content.read(0, Number(content.size) - 1)) bytes += chunk.length;
      return `${bytes}`;
    } finally {
      await content.close();
    }
  } catch (error) {
    if (!(error instanceof AppError)) return String(error);
    return String((error.details as { reason?: string }).reason ?? error.code);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { tokens } = JSON.parse(line) as DownloadWork;
  const tally: Record<string, number> = {};
  for (const outcome of await Promise.all(tokens.map(fetchWhole))) tally[outcome] = (tally[outcome] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
