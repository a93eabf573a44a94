import { AppError } from '#kernel/errors.ts';
import type { ImportView } from '#licensing/moving/transfers/view.ts';
import { at, type Desk, type Query } from '../desk/desk.ts';
import { untilEnded } from '../export/wait.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { ImportFile } from './file.ts';
import { writeReport } from './report.ts';

type Refuse = (message: string) => CliError;

/**
 * Sends a file to a server, waits for the end of its import, and writes the report.
 *
 * @param query options as `POST /imports` takes them
 * @param refuse makes the error of a file that cannot be read
 * @returns exit code, as of an import on this machine
 */
export async function sendImport(
  cli: Cli,
  desk: Desk,
  file: ImportFile,
  query: Query,
  refuse: Refuse,
): Promise<number> {
  if (file.size === 0) throw refuse(`${file.name}: the file is empty`);
  const begun = await upload(cli, desk, file, query).catch((error: unknown) => {
    throw unreadable(file, error, refuse) ?? error;
  });
  const look = async () => (await desk.get<{ import: ImportView }>(at`imports/${begun.id}`)).import;
  const { id, report, error } = await untilEnded(cli, begun, look);
  if (report !== null) return writeReport(cli, report);
  if (error?.code === 'FILE_INVALID') throw refuse(placed(file, error.line, error.message));
  const reason = error?.code ?? 'FAILED';
  const hint = 'finished rows stay; run the command again to continue';
  if (reason === 'CANCELLED')
    throw new AppError('CONFLICT', 409, error?.message ?? `import ${id} was canceled`, {
      details: { reason, hint },
    });
  const message = `the server could not finish the import: ${error?.message ?? 'no reason given'}`;
  throw new CliError(exits.unexpected, 'IMPORT_FAILED', message, { hint });
}

async function upload(cli: Cli, desk: Desk, file: ImportFile, query: Query): Promise<ImportView> {
  const progress = await cli.byteProgress(`send ${file.filename}`, file.size);
  try {
    const how = { method: 'post', query: { ...query, ...(cli.dryRun && { dryRun: true }) } } as const;
    return (await desk.upload<{ import: ImportView }>('imports', file, progress.update, how)).import;
  } finally {
    progress.stop();
  }
}

/** What the server says of the file itself is said as here, by the name of the file. */
function unreadable(file: ImportFile, error: unknown, refuse: Refuse): CliError | null {
  if (!(error instanceof AppError)) return null;
  if (error.status === 413)
    return usageError(
      `${file.name}: ${error.message}`,
      'raise http.upload_limit on the server, or split the file',
    );
  const { reason, line, fault } = error.details;
  if (reason !== 'FILE_INVALID') return null;
  return refuse(placed(file, typeof line === 'number' ? line : null, String(fault)));
}

const placed = ({ name }: ImportFile, line: number | null, message: string): string =>
  `${name}${line === null ? '' : `, line ${line}`}: ${message}`;
