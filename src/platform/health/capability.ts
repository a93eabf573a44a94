import { capability } from '#kernel/capability.ts';
import { configChecks } from './config-checks.ts';
import { databaseChecks } from './database-checks.ts';
import { machineChecks } from './machine-checks.ts';
import { serviceChecks } from './service-checks.ts';

/** What `appctl doctor` asks about the machine, the configuration, the database and the platform's own parts. */
export const health = capability({
  name: 'health',
  checks: [...machineChecks, ...configChecks, ...databaseChecks, ...serviceChecks],
});
