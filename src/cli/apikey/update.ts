import type { Ctx } from '#kernel/context.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { apiKeyView } from '#platform/api-keys/view.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { expiryAsked } from '../time-asked.ts';
import { limitsAsked } from './limits.ts';
import { apiKeyFlags, productIdsAsked, writeApiKey } from './write.ts';

type Changes = Parameters<typeof apiKeys.update>[2];

/** `appctl apikey update ID`. */
export function updateApiKey(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const changes = await changesAsked(cli, ctx);
    const work = (ctx: Ctx) =>
      namingFlags(apiKeyFlags, () => apiKeys.update(ctx, cli.argument('id'), changes));
    const after = await changeOrPlan(cli, ctx, work);
    await writeApiKey(cli, planned(cli, apiKeyView(after)));
    noteChange(cli, `changed ${Object.keys(changes).join(', ')} of ${after.name}`);
  });
}

async function changesAsked(cli: Cli, ctx: Ctx): Promise<Changes> {
  const cleared = new Set(cli.list('clear'));
  for (const field of cleared) {
    if (cli.given(field)) throw usageError(`--clear ${field} and --${field} exclude each other`);
  }
  const name = cli.option('name');
  const productIds = cleared.has('product') ? null : await productIdsAsked(cli, ctx);
  const expiresAt = cleared.has('expires') ? null : expiryAsked(cli, ctx.now());
  const ipAllowlist = cleared.has('ip') || cli.given('ip') ? [...cli.list('ip')] : undefined;
  const allowedOrigins = cleared.has('origin') || cli.given('origin') ? [...cli.list('origin')] : undefined;
  const limits = cleared.has('limit') ? null : await limitsAsked(cli);
  const changes: Changes = {
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
  return withLocal(cli, async ({ ctx }) => {
    const key = await apiKeys.get(ctx, cli.argument('id'));
    await cli.confirm({ action: `revoke the API key ${key.name} (${key.id})` });
    const after = await changeOrPlan(cli, ctx, (ctx) => apiKeys.revoke(ctx, key.id));
    await writeApiKey(cli, planned(cli, apiKeyView(after)));
    noteChange(cli, `revoked ${after.name}`);
  });
}
