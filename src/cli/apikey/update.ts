import { noteChange, planned } from '../change.ts';
import { at, timeAt } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { expiryAsked } from '../time-asked.ts';
import { limitsAsked } from './limits.ts';
import { apiKeyOf, type OneApiKey, withApiKey } from './twin.ts';
import { apiKeyFlags, writeApiKey } from './write.ts';

/** `appctl apikey update ID`. */
export function updateApiKey(cli: Cli): Promise<void> {
  return withApiKey(cli, async (desk) => {
    const changes = await changesAsked(cli, timeAt(desk));
    const { apiKey } = await namingFlags(apiKeyFlags, () =>
      desk.patch<OneApiKey>(at`api-keys/${cli.argument('id')}`, changes),
    );
    await writeApiKey(cli, planned(cli, apiKey));
    noteChange(cli, `changed ${Object.keys(changes).join(', ')} of ${apiKey.name}`);
  });
}

async function changesAsked(cli: Cli, now: string): Promise<object> {
  const cleared = new Set(cli.list('clear'));
  for (const field of cleared) {
    if (cli.given(field)) throw usageError(`--clear ${field} and --${field} cannot be used together`);
  }
  const name = cli.option('name');
  const products = cli.given('product') ? cli.list('product') : undefined;
  const productIds = cleared.has('product') ? null : products;
  const expiresAt = cleared.has('expires') ? null : expiryAsked(cli, now);
  const ipAllowlist = cleared.has('ip') || cli.given('ip') ? [...cli.list('ip')] : undefined;
  const allowedOrigins = cleared.has('origin') || cli.given('origin') ? [...cli.list('origin')] : undefined;
  const limits = cleared.has('limit') ? null : await limitsAsked(cli);
  const changes = {
    ...(name !== undefined && { name }),
    ...(productIds !== undefined && { productIds }),
    ...(ipAllowlist !== undefined && { ipAllowlist }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
    ...(limits !== undefined && { limits }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  if (Object.keys(changes).length > 0) return changes;
  throw usageError(
    'nothing to change',
    'give --name, --product, --ip, --origin, --limit, --expires or --clear',
  );
}

/** `appctl apikey revoke ID`. */
export function revokeApiKey(cli: Cli): Promise<void> {
  return withApiKey(cli, async (desk) => {
    const key = await apiKeyOf(desk, cli.argument('id'));
    await cli.confirm({ action: `revoke the API key ${key.name} (${key.id})` });
    const { apiKey } = await desk.post<OneApiKey>(at`api-keys/${key.id}/revoke`);
    await writeApiKey(cli, planned(cli, apiKey));
    noteChange(cli, `revoked ${apiKey.name}`);
  });
}
