import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RecordFault } from '#kernel/records/fault.ts';
import type { Cli } from './frame/context.ts';
import { type CliError, usageError } from './frame/errors.ts';

/** Records that a command reads. */
export interface InputFile {
  /** As it was typed, for messages. */
  readonly name: string;
  /** Can be read again from its start. stdin and pipes cannot. */
  readonly isSeekable: boolean;
  /** Reads it from the start; only once when it is not seekable. */
  open(): AsyncIterable<Uint8Array>;
}

/**
 * The file that an argument or an option names.
 *
 * @param flag how errors call it
 * @param path `-` is stdin
 * @throws usage error (2) when there is no such file, or it is a folder
 */
export function inputFile(cli: Cli, flag: string, path: string): InputFile {
  if (path === '-') return { name: 'stdin', isSeekable: false, open: () => cli.io.stdin };
  const absolute = resolve(path);
  const found = statSync(absolute, { throwIfNoEntry: false });
  if (!found) throw usageError(`${flag}: the file ${path} does not exist`, 'check the path; - reads stdin');
  if (found.isDirectory()) throw usageError(`${flag}: ${path} is a folder`);
  return { name: path, isSeekable: found.isFile(), open: () => createReadStream(absolute) };
}

/**
 * Runs work that reads a file, and lets a file that cannot be read end the command with a sentence that says where.
 *
 * @param refuse makes the error: of usage, or of verification
 */
export async function readingFile<T>(
  file: InputFile,
  work: () => Promise<T>,
  refuse: (message: string) => CliError = usageError,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    throw refuse(`${file.name}${error.line === null ? '' : `, line ${error.line}`}: ${error.message}`);
  }
}
