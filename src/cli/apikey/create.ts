import { licenseScopes, storeScopes } from '../choices.ts';
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
  const scopes = cli.required('service') === 'store' ? storeKeyScopes(cli) : licenseKeyScope(cli);
  const limits = await limitsAsked(cli);
  await withApiKeys(cli, async (desk) => {
    const input = {
      name: cli.required('name'),
      ...scopes,
      ...(cli.given('product') && { productIds: cli.list('product') }),
      ipAllowlist: cli.list('ip'),
      allowedOrigins: cli.list('origin'),
      limits,
      expiresAt: expiryAsked(cli, timeAt(desk)),
    };
    await makeSecret(cli, (options) => namingFlags(apiKeyFlags, () => desk.post('api-keys', input, options)));
  });
}

function licenseKeyScope(cli: Cli): { scope: string } {
  const [scope, ...more] = cli.list('scope');
  if (scope === undefined || more.length > 0)
    throw usageError('--scope: a license API key has exactly one scope');
  if (!licenseScopes.some((one) => one === scope))
    throw usageError(
      `--scope: ${scope} is for shop API keys; a license API key takes ${licenseScopes.join(', ')}`,
    );
  return { scope };
}

function storeKeyScopes(cli: Cli): { scopes: readonly string[] } {
  const foreign = ['product', 'limit'].find((flag) => cli.given(flag));
  if (foreign) throw usageError(`--${foreign}: only license API keys have that; leave it out for the shop`);
  const scopes = cli.list('scope');
  const wrong = scopes.find((one) => !storeScopes.some((scope) => scope === one));
  if (wrong !== undefined)
    throw usageError(
      `--scope: ${wrong} is for the license API; a shop API key takes ${storeScopes.join(', ')}`,
    );
  return { scopes };
}
