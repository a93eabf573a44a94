import type { ChangeOptions } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { makeSecretAt } from '../made-secret.ts';
import { limitsText } from './limits.ts';
import type { OneApiKey } from './twin.ts';

/**
 * Makes the secret of an API key and shows it once (cli.md section 1.5).
 *
 * @param make calls the operation with the options that it gets
 */
export const makeSecret = (
  cli: Cli,
  make: (options: ChangeOptions) => Promise<OneApiKey & { rawKey: string }>,
): Promise<void> =>
  makeSecretAt(cli, make, {
    name: 'rawKey',
    view: ({ apiKey }) => apiKey,
    words: ({ apiKey }) => ({ limits: limitsText(apiKey.limits) }),
  });
