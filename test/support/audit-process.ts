// A process beside others, as a command is one: opens the installation that the environment names and makes as many
// changes as its argument says, each in a transaction of its own, several under way at once.
import { loadConfig } from '#kernel/config/load.ts';
import { logTo } from '#kernel/log.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import { openInstance } from '../../src/app/instance.ts';

const { config } = await loadConfig();
const log = logTo({ write: () => undefined }, 'silent');
const actor = { kind: 'cli', id: null, label: `process ${process.pid}` } as const;
const instance = await openInstance({ config, log, mode: 'use', actor });
const changes = Number(process.argv[2]);
await Promise.all(
  Array.from({ length: changes }, (_, n) =>
    policies.create(instance.ctx, { name: `${process.pid} ${n}`, gracePeriodSeconds: n }),
  ),
);
await instance.close();
