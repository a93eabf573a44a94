import { InvalidValue } from '#kernel/config/errors.ts';
import { kinds } from '#kernel/config/kinds.ts';
import { holdsPassword } from '#kernel/config/mask.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';

const FORMS = '--to URL, --to-file PATH or --to-env NAME';

/** The address of the target. @throws usage error (2) */
export async function targetUrl(cli: Cli): Promise<string> {
  const given = cli.option('to');
  const text = given ?? (await cli.secret('to', { label: 'target', optional: true }))?.value.trim();
  if (text === undefined) throw usageError('the target is missing', `name it with ${FORMS}`);
  if (given !== undefined && holdsPassword(given))
    cli.warn('other users of this machine can see the password in --to; use --to-file or --to-env');
  try {
    return kinds.databaseUrl.parse(text, process.cwd());
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    // The text stays out of it: what is wrong may be the password.
    throw usageError('the target is not a database address', `write ${error.hint}`);
  }
}
