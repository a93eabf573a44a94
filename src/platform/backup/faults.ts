import { AppError } from '#kernel/errors.ts';

const ANOTHER = 'choose another backup: appctl backup list';

/** What an archive holds is not what it says, or was altered (exit 6). */
export const damaged = (message: string, hint = ANOTHER): AppError =>
  new AppError('VERIFICATION_FAILED', 422, message, { details: { hint, reason: 'BACKUP_DAMAGED' } });

/** A file that is no backup of this program (exit 6). */
export const foreign = (message: string): AppError =>
  new AppError('VERIFICATION_FAILED', 422, message, {
    details: { hint: 'choose a file that appctl backup create made', reason: 'NOT_A_BACKUP' },
  });

/** The state does not allow it (exit 5). */
export const conflict = (message: string, hint: string): AppError =>
  new AppError('CONFLICT', 409, message, { details: { hint } });

/** A key or passphrase that does not open it (exit 4). */
export const locked = (message: string, hint: string): AppError =>
  new AppError('UNAUTHORIZED', 401, message, { details: { hint } });

/** A backup of a later program (exit 5). */
export const newerProgram = (version: string): AppError =>
  conflict(
    `the backup was made by a newer appctl (${version})`,
    `install appctl ${version} or newer, then run the restore again`,
  );
