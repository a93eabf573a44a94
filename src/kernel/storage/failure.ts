import { AppError } from '../errors.ts';

/** The storage could not be asked: a bucket that is not there, credentials that are refused, a folder without rights. */
export class StorageFailure extends Error {
  /** What an operator does about it. */
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StorageFailure';
    this.hint = hint;
  }
}

/** The disk has no room, or none beside what sales need. */
export class DiskFull extends StorageFailure {}

/** The code that a full disk is answered with, and what is said of it to whoever may not see the disks of the server. */
export const DISK_FULL = {
  status: 507,
  message: 'The disk of the server is nearly full: nothing was stored',
} as const;

/** As a caller is told of a full disk. @param message for staff, who may know the folder */
export const diskFull = (message: string = DISK_FULL.message): AppError =>
  new AppError('SERVER_ERROR', DISK_FULL.status, message, {
    details: { reason: 'DISK_FULL', hint: 'free up space on the server: appctl doctor env.disk-space' },
  });
