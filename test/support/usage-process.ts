// A second process beside a server, as a command is one: opens the installation that the environment names and
// records usage. Each line of stdin is `{licenseKey, calls}`; it is answered with the outcomes of that many calls.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import { openInstance } from '../../src/app/instance.ts';

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const instance = await openInstance({ config, log, mode: 'use' });

async function outcomeOf(licenseKey: string): Promise<string> {
  try {
    await usage.recordUsage(instance.ctx, { licenseKey, feature: 'command' });
    return 'recorded';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { licenseKey, calls } = JSON.parse(line) as { licenseKey: string; calls: number };
  const outcomes = await Promise.all(Array.from({ length: calls }, () => outcomeOf(licenseKey)));
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
}
await instance.close();
