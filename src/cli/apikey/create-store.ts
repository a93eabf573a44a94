import { rehearsing } from '#kernel/rehearse.ts';
import { apiKeyView } from '#platform/api-keys/view.ts';
import { storeScopes } from '../choices.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { expiryAsked } from '../time-asked.ts';
import { makeSecret } from './secret.ts';

/** What only a key of the license API can be bound to. */
const ofLicenses = ['product', 'limit'];

/** `appctl apikey create --service store`, on the machine of the installation. */
export async function createStoreKey(cli: Cli): Promise<void> {
  const foreign = ofLicenses.find((flag) => cli.given(flag));
  if (foreign)
    throw usageError(`--${foreign}: only a key of the license API has that; leave it out for the shop`);
  const scopes = storeScopes.filter((one) => cli.list('scope').includes(one));
  const wrong = cli.list('scope').find((one) => !scopes.some((scope) => scope === one));
  if (wrong !== undefined)
    throw usageError(
      `--scope: ${wrong} is for the license API; a key of the shop takes ${storeScopes.join(', ')}`,
    );
  const { create } = await import('#storefront/tools/api-keys/index.ts');
  await withLocal(cli, async ({ ctx }) => {
    const input = {
      name: cli.required('name'),
      scopes,
      ipAllowlist: cli.list('ip'),
      allowedOrigins: cli.list('origin'),
      expiresAt: expiryAsked(cli, ctx.now()),
    };
    await makeSecret(cli, async ({ secret: kept }) => {
      const keepSecret = (text: string): void => kept?.keep(text);
      const as = cli.dryRun ? rehearsing(ctx) : ctx.with({ origin: { ...ctx.origin, keepSecret } });
      const { apiKey, secret } = await create(as, input);
      return { apiKey: apiKeyView(apiKey, 0), rawKey: secret };
    });
  });
}
