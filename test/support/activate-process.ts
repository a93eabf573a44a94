// A second process beside a server, as a command is one: opens the installation that the environment names and
// activates what it is told. Each line of stdin is `{licenseKey, machineIds}`; each is answered with the outcomes.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { openInstance } from '../../src/app/instance.ts';

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const instance = await openInstance({ config, log, mode: 'use' });

async function outcomeOf(licenseKey: string, machineId: string): Promise<string> {
  try {
    await machines.activate(instance.ctx, { licenseKey, machineId });
    return 'activated';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { licenseKey, machineIds } = JSON.parse(line) as { licenseKey: string; machineIds: string[] };
  const outcomes = await Promise.all(machineIds.map((machineId) => outcomeOf(licenseKey, machineId)));
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
}
await instance.close();
