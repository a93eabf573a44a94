import * as apiKeys from '#platform/api-keys/index.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { expiryAsked } from '../time-asked.ts';
import { limitsAsked } from './limits.ts';
import { makeSecret } from './secret.ts';
import { apiKeyFlags, productIdsAsked } from './write.ts';

/** `appctl apikey create`. */
export async function createApiKey(cli: Cli): Promise<void> {
  const scopes = cli.list('scope');
  const [scope] = scopes;
  if (scope === undefined || scopes.length > 1)
    throw usageError('--scope: a license API key has exactly one scope');
  await withLocal(cli, async ({ ctx }) => {
    const input: apiKeys.ApiKeyInput = {
      service: 'license',
      name: cli.required('name'),
      scope,
      scopes: [scope],
      productIds: (await productIdsAsked(cli, ctx)) ?? null,
      ipAllowlist: [...cli.list('ip')],
      allowedOrigins: [...cli.list('origin')],
      limits: (await limitsAsked(cli)) ?? null,
      expiresAt: expiryAsked(cli, ctx.now()) ?? null,
    };
    await makeSecret(cli, ctx, (ctx) => namingFlags(apiKeyFlags, () => apiKeys.create(ctx, input)));
  });
}
