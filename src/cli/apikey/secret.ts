import type { Ctx } from '#kernel/context.ts';
import type { ApiKey } from '#platform/api-keys/index.ts';
import { apiKeyView } from '#platform/api-keys/view.ts';
import type { Cli } from '../frame/context.ts';
import * as madeSecret from '../made-secret.ts';
import { limitsText } from './limits.ts';

/**
 * Makes the secret of an API key and shows it once (cli.md section 1.5).
 *
 * @param work makes the secret
 */
export const makeSecret = (
  cli: Cli,
  ctx: Ctx,
  work: (ctx: Ctx) => Promise<{ apiKey: ApiKey; secret: string }>,
): Promise<void> =>
  madeSecret.makeSecret(
    cli,
    ctx,
    async (ctx) => {
      const { apiKey, secret } = await work(ctx);
      return { thing: apiKey, secret };
    },
    apiKeyView,
    ({ id }) => [`appctl apikey rotate ${id} --reveal`],
    ({ limits }) => ({ limits: limitsText(limits) }),
  );
