import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { AppError } from '#kernel/errors.ts';

/** What is wrong with one row; the others go on. */
export type RowCode =
  | 'KEY_FORMAT'
  | 'KEY_MISSING'
  | 'DUPLICATE_KEY'
  | 'EMAIL_INVALID'
  | 'PRODUCT_UNKNOWN'
  | 'POLICY_UNKNOWN'
  | 'DATE_INVALID'
  | 'LIMIT_RANGE'
  | 'VALUE_INVALID'
  | 'REFERENCE_UNKNOWN'
  | 'TENANT_FOREIGN'
  | 'CONFLICT'
  | 'ROW_INVALID';

/** Thrown inside the transaction of a row, which rolls it back. Never holds a license key. */
export class RowFault extends Error {
  readonly code: RowCode;

  constructor(code: RowCode, message: string) {
    super(message);
    this.name = 'RowFault';
    this.code = code;
  }
}

/** Result of an import (licensing 6.11). */
export interface ImportReport {
  rows: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  /** At most 1,000; `row` is the line of the file, or the number of the record in a JSON document. */
  warnings: { row: number; message: string }[];
  /** At most 1,000; `failed` counts them all. */
  errors: { row: number; code: string; message: string }[];
}

export type Outcome = 'created' | 'updated' | 'skipped';

const MOST_LISTED = 1000;

/** Collects what becomes of the rows of an import. */
export interface Ledger {
  readonly report: ImportReport;
  warn(row: number, message: string): void;
  fail(row: number, code: RowCode | AppError['code'], message: string): void;
  /**
   * Runs the work of one row and counts its outcome; a row's own fault is noted.
   * @throws what is no fault of the row: a database that went away, a defect
   */
  row(row: number, work: () => Promise<Outcome>): Promise<void>;
}

/** Begins an empty report. */
export function startLedger(): Ledger {
  const report: ImportReport = {
    rows: 0,
    created: 0,
    updated: 0,
    skipped: 0,
    failed: 0,
    warnings: [],
    errors: [],
  };
  const ledger: Ledger = {
    report,
    warn(row, message) {
      if (report.warnings.length < MOST_LISTED) report.warnings.push({ row, message });
    },
    fail(row, code, message) {
      report.failed += 1;
      if (report.errors.length < MOST_LISTED) report.errors.push({ row, code, message });
    },
    async row(row, work) {
      report.rows += 1;
      try {
        report[await work()] += 1;
      } catch (error) {
        const { code, message } = faultOf(error);
        ledger.fail(row, code, message);
      }
    },
  };
  return ledger;
}

/** The fault of a row; anything else is thrown on. */
function faultOf(error: unknown): { code: string; message: string } {
  if (error instanceof RowFault || error instanceof AppError) return error;
  // Only where somebody else writes the same at this moment: every look-up was made before.
  if (isUniqueViolation(error)) return { code: 'CONFLICT', message: 'it already exists' };
  if (isForeignKeyViolation(error)) {
    return { code: 'REFERENCE_UNKNOWN', message: 'it refers to something that no longer exists' };
  }
  throw error;
}
