import { change, defineEvents } from '#kernel/events.ts';

/** What staff does with backups; the name of the file is the target. */
export const backupEvents = defineEvents(
  'platform',
  {
    /** Somebody took a copy of it away. */
    BACKUP_DOWNLOADED: change<{ readonly sizeBytes: number; readonly encrypted: boolean }>(),
    /** The server stopped to restore it. */
    BACKUP_RESTORE_STARTED: change<{ readonly sizeBytes: number }>(),
  },
  { target: 'backups' },
);
