import { licenseScopes } from '../choices.ts';
import { timeAt } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { expiryAsked } from '../time-asked.ts';
import { limitsAsked } from './limits.ts';
import { makeSecret } from './secret.ts';
import { withApiKeys } from './twin.ts';
import { apiKeyFlags } from './write.ts';

/** `appctl apikey create`. */
export async function createApiKey(cli: Cli): Promise<void> {
  if (cli.required('service') === 'store') {
    const { createStoreKey } = await import('./create-store.ts');
    return createStoreKey(cli);
  }
  const scopes = cli.list('scope');
  const [scope] = scopes;
  if (scope === undefined || scopes.length > 1)
    throw usageError('--scope: a license API key has exactly one scope');
  if (!licenseScopes.some((one) => one === scope))
    throw usageError(
      `--scope: ${scope} is for keys of the shop; a license API key takes ${licenseScopes.join(', ')}`,
    );
  const limits = await limitsAsked(cli);
  await withApiKeys(cli, async (desk) => {
    const input = {
      name: cli.required('name'),
      scope,
      ...(cli.given('product') && { productIds: cli.list('product') }),
      ipAllowlist: cli.list('ip'),
      allowedOrigins: cli.list('origin'),
      limits,
      expiresAt: expiryAsked(cli, timeAt(desk)),
    };
    await makeSecret(cli, (options) => namingFlags(apiKeyFlags, () => desk.post('api-keys', input, options)));
  });
}
