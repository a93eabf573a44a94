import type { Failed } from '../batch.ts';
import { planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import type { Column } from '../frame/rows.ts';
import { showsLicenseKey } from '../secret-file.ts';
import { resumeCommand } from './bulk-file.ts';
import type { Minted as Made } from './twin.ts';

/** A license that a row made, or made before. */
export type Minted = Made & { idempotentMismatch?: true };

/** What became of a row: where it begins in the file, the address that it names, its license or why it has none. */
export type BulkResult = { line: number; email: string | null } & (
  | ({ index: number; success: true } & Minted)
  | Failed
);

/** The answer of `license mint-bulk`. */
export interface BulkReport {
  results: BulkResult[];
  summary: { total: number; succeeded: number; failed: number };
  /** Commands that follow from it. */
  next: string[];
}

/**
 * Writes the report: each row with its e-mail, its license and key or its error, then what to run next.
 *
 * @param results keys included; they are shown at a terminal and with --reveal
 * @returns 7 when a row failed (cli.md section 1.8), else 0
 */
export async function writeReport(cli: Cli, results: readonly BulkResult[]): Promise<number> {
  const shown = showsLicenseKey(cli) ? [...results] : results.map(withoutKey);
  const wrong = shown.filter(({ success }) => !success);
  const succeeded = shown.length - wrong.length;
  const summary = { total: shown.length, succeeded, failed: wrong.length };
  const next = nextCommands(cli, summary);
  const report: BulkReport = { results: shown, summary, next };
  await cli.out.rows(
    planned(cli, report),
    shown.map((result) => ({ ...result, result: outcomeOf(cli, result) })),
    columnsOf(cli),
  );
  if (!cli.json) {
    const plan = cli.dryRun ? ' would succeed (dry run, nothing was changed)' : ' succeeded';
    cli.note(`${succeeded} of ${shown.length}${plan}`);
    if (next.length > 0 && wrong.length > 0) cli.note(repairOf(cli, wrong));
  }
  cli.next(...next);
  return wrong.length > 0 ? exits.partial : exits.done;
}

/** After failures the repaired file; without keys the same file once more, which brings them. */
function nextCommands(cli: Cli, { succeeded, failed }: BulkReport['summary']): string[] {
  if (cli.dryRun) return [];
  if (failed > 0) return [resumeCommand(cli)];
  const hasKeys = showsLicenseKey(cli) || cli.given('out');
  return hasKeys || succeeded === 0 ? [] : [resumeCommand(cli, { out: 'keys.txt' })];
}

const LINES_NAMED = 10;

function repairOf(cli: Cli, wrong: readonly BulkResult[]): string {
  const lines = wrong.slice(0, LINES_NAMED).map(({ line }) => line);
  const more = wrong.length > LINES_NAMED ? ` and ${wrong.length - LINES_NAMED} more` : '';
  const file = cli.argument('file') === '-' ? 'the input' : cli.argument('file');
  return `Repair ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more} of ${file}. Only rows without a license will be minted.`;
}

function outcomeOf(cli: Cli, result: BulkResult): string {
  if (!result.success) {
    const { message, details } = result.error;
    return `failed: ${message}${typeof details.hint === 'string' ? ` (${details.hint})` : ''}`;
  }
  if (result.idempotentMismatch) return 'already there, with the values of the first run';
  if (result.idempotent) return 'already there';
  const expired = result.status === 'EXPIRED' ? ', already expired' : '';
  return (cli.dryRun ? 'would be minted' : 'minted') + expired;
}

function withoutKey(result: BulkResult): BulkResult {
  if (!result.success) return result;
  const { key, ...rest } = result;
  return rest;
}

type Line = BulkResult & { result: string };

function columnsOf(cli: Cli): readonly Column<Line>[] {
  return [
    { key: 'line', align: 'right' },
    { key: 'email', title: 'e-mail' },
    { key: 'id', title: 'license' },
    showsLicenseKey(cli) ? { key: 'key' } : { key: 'keyMasked', title: 'key' },
    { key: 'result' },
  ];
}
