import { capability } from '#kernel/capability.ts';
import { backupEndpoints } from './endpoints.ts';
import { backupEvents } from './events.ts';
import { backupPages } from './pages.ts';
import { backupJob } from './scheduled.ts';

/** Backups by themselves. Making and reading them is loaded when it is asked for. */
export const backup = capability({
  name: 'backup',
  events: [backupEvents],
  jobs: [backupJob],
  adminEndpoints: backupEndpoints,
  pages: backupPages,
});
