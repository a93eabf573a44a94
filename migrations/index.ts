import type { Migration } from '../src/kernel/db/migrate.ts';
import { m0001Platform } from './0001-platform.ts';
import { m0002LicensingCatalog } from './0002-licensing-catalog.ts';
import { m0003Licenses } from './0003-licenses.ts';
import { m0004LicenseOperations } from './0004-license-operations.ts';
import { m0005Webhooks } from './0005-webhooks.ts';
import { m0006Inbound } from './0006-inbound.ts';
import { m0007Releases } from './0007-releases.ts';
import { m0008LimitRefusals } from './0008-limit-refusals.ts';
import { m0009DailyObservations } from './0009-daily-observations.ts';
import { m0010TasksAndSchedules } from './0010-tasks-and-schedules.ts';
import { m0011Sessions } from './0011-sessions.ts';
import { m0012SubscriptionsCounter } from './0012-subscriptions-counter.ts';

/** In order. An imported list instead of a scanned folder, so that it travels inside the executable. */
export const migrations: readonly Migration[] = [
  m0001Platform,
  m0002LicensingCatalog,
  m0003Licenses,
  m0004LicenseOperations,
  m0005Webhooks,
  m0006Inbound,
  m0007Releases,
  m0008LimitRefusals,
  m0009DailyObservations,
  m0010TasksAndSchedules,
  m0011Sessions,
  m0012SubscriptionsCounter,
];
