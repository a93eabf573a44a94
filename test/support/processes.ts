// More than one process on the database of an application: each with a memory of its own.

import { createContext } from '#kernel/bound-context.ts';
import type { Ctx } from '#kernel/context.ts';
import { fillingsIn, subscriptionsOf } from '#kernel/gather.ts';
import { NO_HOOKS } from '#kernel/hooks/hooks.ts';
import { type Log, logTo } from '#kernel/log.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { auditor } from '#platform/audit/local.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import type { TestApp } from './app.ts';

const silent = logTo({ write: () => undefined }, 'silent');

/**
 * Makes contexts as other processes of the same installation have them: they share its database, key and clock, and
 * no memory.
 */
export function processesOf(app: TestApp, count: number, log: Log = silent): Ctx[] {
  const { database, clock, ctx } = app.instance;
  const { keyring, settings, serviceName, baseUrl, dataDir, storage, uploadLimitBytes } = ctx;
  const { media, imageLimitBytes, mode, processorUrls } = ctx;
  const same = {
    serviceName,
    baseUrl,
    dataDir,
    database,
    clock,
    keyring,
    settings,
    storage,
    uploadLimitBytes,
    media,
    imageLimitBytes,
    mode,
    processorUrls,
  };
  const shared = {
    ...same,
    outboxSources: [],
    subscriptions: subscriptionsOf(capabilities),
    fillings: fillingsIn(capabilities),
    auditor,
    hooks: NO_HOOKS,
  };
  return Array.from({ length: count }, () =>
    createContext({ ...shared, log, memory: new ProcessMemory() }, ctx.tenantId),
  );
}
