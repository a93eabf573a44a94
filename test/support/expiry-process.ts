// A second process beside a server, as a command is one: opens the installation that the environment names and runs the
// job that persists dates, again and again until nothing is due. Each line of stdin starts it; each is answered with
// how many licenses it wrote and how many it announced.

import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { logTo } from '#kernel/log.ts';
import { licenses as licensesCapability } from '#licensing/licenses/licenses/capability.ts';
import { openInstance } from '../../src/app/instance.ts';

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const instance = await openInstance({ config, log, mode: 'use' });
const job = licensesCapability.jobs?.find(({ name }) => name === 'license-expiry');

process.stdout.write('"ready"\n');
for await (const _ of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await job?.run(instance.ctx))}\n`);
await instance.close();
