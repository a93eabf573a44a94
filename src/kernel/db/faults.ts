import { DatabaseUnavailable } from './database.ts';

/** Why a database takes no write although the statement is right. */
export type FaultKind = 'busy' | 'full' | 'read-only' | 'damaged' | 'disk' | 'away';

/** A fault of the database or its disk, in words for the person who runs it. */
export interface DatabaseFault {
  readonly kind: FaultKind;
  /** What is wrong, without the driver's own text. */
  readonly message: string;
  /** What cures it. */
  readonly hint: string;
}

interface Known extends DatabaseFault {
  readonly codes: RegExp;
}

const RESTORE = 'stop the server and restore a backup; appctl doctor --category db shows what is damaged';

/** Codes of SQLite by name, of Postgres as SQLSTATE. */
const known: readonly Known[] = [
  {
    kind: 'busy',
    codes: /^(SQLITE_(BUSY|LOCKED)|55P03|57014)/,
    message: 'the database is locked: another program is writing to it',
    hint: 'run the command again; if the database stays locked, stop the program that uses it',
  },
  {
    kind: 'full',
    codes: /^(SQLITE_FULL|53100)/,
    message: 'the disk of the database is full',
    hint: 'free up space on the disk of the database; df -h shows how full it is',
  },
  {
    kind: 'read-only',
    codes: /^(SQLITE_READONLY|SQLITE_PERM|25006)/,
    message: 'the database cannot be written: it is read-only',
    hint: 'make the database file and its folder writable for this user, or connect to the primary server',
  },
  {
    kind: 'damaged',
    codes: /^(SQLITE_CORRUPT|SQLITE_NOTADB|XX00[12])/,
    message: 'the database is damaged',
    hint: RESTORE,
  },
  {
    kind: 'disk',
    codes: /^(SQLITE_IOERR|58030)/,
    message: 'the disk of the database reported an error',
    hint: 'check the disk and its free space: df -h, dmesg',
  },
  {
    kind: 'away',
    codes: /^(SQLITE_CANTOPEN|53[23]00|08|57P)/,
    message: 'the database cannot be reached',
    hint: 'appctl config check --connect tests the address',
  },
];

/**
 * Says what an error of a driver means for an operator.
 *
 * @param error of better-sqlite3 or pg
 * @returns null for anything that is not the fault of the database or its disk
 */
export function faultOf(error: unknown): DatabaseFault | null {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  if (typeof code !== 'string') return null;
  // A SQLSTATE is five characters, as some codes of other programs are: Postgres sends a severity with it.
  if (!code.startsWith('SQLITE_') && severity === undefined) return null;
  return known.find(({ codes }) => codes.test(code)) ?? null;
}

/** As faultOf, as the error that ends a command with 9; null when the database is not at fault. */
export function asUnavailable(error: unknown): DatabaseUnavailable | null {
  const fault = faultOf(error);
  if (fault === null) return null;
  const { code, message } = error as { code: string; message: string };
  return new DatabaseUnavailable(`${fault.message} (${code}: ${message})`, {
    cause: error,
    hint: fault.hint,
  });
}
