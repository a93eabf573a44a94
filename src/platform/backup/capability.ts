import { capability } from '#kernel/capability.ts';
import { backupJob } from './scheduled.ts';

/** Backups by themselves. Making and reading them is loaded when it is asked for. */
export const backup = capability({ name: 'backup', jobs: [backupJob] });
