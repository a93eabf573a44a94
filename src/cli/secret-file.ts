import type { Cli } from './frame/context.ts';
import { usageError } from './frame/errors.ts';
import type { Keep, OutputFile } from './frame/output-file.ts';

/** Makes one secret: `keep` writes it inside the transaction, so that one that cannot be kept is never made. */
export type Attempt = OutputFile['attempt'];

/**
 * Runs work that makes secrets one by one, with the file of --out (0600) open beforehand. Each is one line of it.
 *
 * @param options `ownForce`: the command has another use for --force, too; `cure`: what helps when the file exists
 * @throws usage error (2) for `--force` alone; CliError as withOutputFile
 */
export async function keepingSecrets<T>(
  cli: Cli,
  work: (attempt: Attempt) => Promise<T>,
  options: { ownForce?: boolean; cure?: string } = {},
): Promise<T> {
  const path = cli.option('out');
  if (path === undefined) {
    if (cli.flag('force') && !options.ownForce) throw usageError('--force only works with --out');
    return work(unkept);
  }
  const { cure } = options;
  const { tryOutputs, withOutputFile } = await import('./frame/output-file.ts');
  const asked = { path, force: cli.flag('force'), ...(cure !== undefined && { cure }) };
  if (cli.dryRun) {
    tryOutputs([asked]);
    return work(unkept);
  }
  let kept = 0;
  const result = await withOutputFile(asked, (file) =>
    work((one) =>
      file.attempt((keep) =>
        one((secret) => {
          keep(`${secret}\n`);
          kept += 1;
        }),
      ),
    ),
  );
  if (kept > 0) cli.note(`wrote ${path}`);
  return result;
}

/** As keepingSecrets, for a command that makes one. */
export const keepingSecret = <T>(
  cli: Cli,
  work: (keep: Keep) => Promise<T>,
  options: { ownForce?: boolean } = {},
): Promise<T> => keepingSecrets(cli, (attempt) => attempt(work), options);

const unkept: Attempt = (work) => work(() => {});

/** Whether the answer shows a secret that was just made (cli.md section 1.5): asked for, or made at a terminal. */
export function showsSecret(cli: Cli): boolean {
  if (cli.dryRun) return false;
  if (cli.flag('reveal')) return true;
  return !cli.given('out') && (cli.json || cli.io.stdout.isTTY === true);
}

/**
 * Refuses to make a secret that nobody would see and that cannot be read again; nothing was changed yet.
 *
 * @throws usage error (2)
 */
export function requireShownSecret(cli: Cli): void {
  if (cli.dryRun || cli.given('out') || showsSecret(cli)) return;
  throw usageError(
    'the secret is shown once, and standard output is not a terminal; nothing was changed',
    'add --reveal, --json or --out FILE',
  );
}

/** Says after the answer, on stderr, that the secret was shown once. */
export function noteSecret(cli: Cli): void {
  if (cli.json || cli.dryRun || cli.given('out')) return;
  cli.note('The secret is shown once. Store it now: it cannot be read again.');
}

/**
 * The same of a license key, which can be read again: `--json` alone masks it, because scripts print more than they
 * need.
 */
export const showsLicenseKey = (cli: Cli): boolean => showsSecret(cli) && (cli.flag('reveal') || !cli.json);

/** Tells after the answer how to read the key of a license. */
export function noteLicenseKey(cli: Cli, id: string, isShown: boolean): void {
  if (cli.json || cli.dryRun || cli.given('out')) return;
  const again = `appctl license reveal ${id} --reason TEXT`;
  if (isShown) cli.note(`The license key is shown once; to show it again: ${again}`);
  else cli.next(again);
}
