import type { KeyShape } from '#signing/keys/key-shape.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { keyCard } from './key-card.ts';
import { withSigningKeys } from './registry.ts';

const columns: readonly Column<KeyShape>[] = [
  { key: 'keyId', title: 'KEY ID' },
  { key: 'product' },
  { key: 'status' },
  { key: 'serverHeld', title: 'SERVER-HELD' },
  { key: 'createdAt', title: 'CREATED', time: true },
];

/** `appctl keys list`. */
export function listKeys(cli: Cli): Promise<void> {
  return withSigningKeys(cli, async (signingKeys, ctx) => {
    const filter = {
      product: cli.option('product') ?? null,
      page: cli.integer('page') ?? 1,
      limit: cli.integer('limit') ?? 20,
    };
    await cli.out.page(await signingKeys.list(ctx, filter), columns);
  });
}

/** `appctl keys show KEYID`. */
export function showKey(cli: Cli): Promise<void> {
  return withSigningKeys(cli, async (signingKeys, ctx) => {
    const key = await signingKeys.get(ctx, cli.argument('keyid'));
    const { activateAt } = await signingKeys.moreOf(ctx, key.keyId);
    await cli.out.value(key, keyCard(key, activateAt));
  });
}
