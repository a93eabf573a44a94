// A second process beside a server, as a command is one: opens the installation that the environment names and takes
// the role of owner from the account that each line of stdin names; each is answered with what came of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import { setRoles } from '#platform/accounts/index.ts';
import { openInstance } from '../../src/app/instance.ts';

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const instance = await openInstance({ config, log, mode: 'use' });

async function demote(id: string): Promise<string> {
  try {
    await setRoles(instance.ctx, id, ['viewer']);
    return 'done';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await demote(JSON.parse(line)))}\n`);
await instance.close();
