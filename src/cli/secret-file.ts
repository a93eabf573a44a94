import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createPrivateFile, writePrivateFile } from '#kernel/private-files.ts';
import type { Cli } from './frame/context.ts';
import { conflictError, usageError } from './frame/errors.ts';

/**
 * Refuses a file that exists before anything is made that could only be shown once.
 *
 * @returns path of --out, or undefined
 * @throws CliError 5 without --force; usage error (2) for `--force` alone
 */
export function secretFileAsked(cli: Cli): string | undefined {
  const out = cli.option('out');
  if (out === undefined) {
    if (cli.flag('force')) throw usageError('--force belongs to --out');
    return undefined;
  }
  const path = resolve(out);
  if (existsSync(path) && !cli.flag('force')) throw fileExists(path);
  return path;
}

/**
 * Writes a secret to its file (0600), a line feed after it.
 *
 * @throws CliError 5 when the file appeared meanwhile
 */
export function writeSecretFile(cli: Cli, path: string, secret: string): void {
  const text = `${secret}\n`;
  if (cli.flag('force')) writePrivateFile(path, text);
  else if (!createPrivateFile(path, text)) throw fileExists(path);
  cli.note(`wrote ${path}`);
}

const fileExists = (path: string) =>
  conflictError(`${path} exists`, 'choose another file, or replace it with --force');
