import type { Page } from '#kernel/service/pagination.ts';
import type { RegisteredKeyView } from '#licensing/catalog/keys/view.ts';
import type { KeyShape } from '#signing/keys/key-shape.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { keyCard } from './key-card.ts';
import { keyOf, shapeOf, withKeys } from './twin.ts';

const columns: readonly Column<KeyShape>[] = [
  { key: 'keyId', title: 'KEY ID' },
  { key: 'product' },
  { key: 'status' },
  { key: 'serverHeld', title: 'SERVER-HELD' },
  { key: 'signatures', title: 'RELEASES', align: 'right' },
  { key: 'createdAt', title: 'CREATED', time: true },
];

/** `appctl keys list`. */
export function listKeys(cli: Cli): Promise<void> {
  const asked = {
    product: cli.option('product'),
    page: cli.integer('page') ?? 1,
    limit: cli.integer('limit') ?? 20,
  };
  return withKeys(cli, async (desk) => {
    const page = await desk.get<Page<RegisteredKeyView>>('signing-keys', asked);
    await cli.out.page({ ...page, items: page.items.map(shapeOf) }, columns);
  });
}

/** `appctl keys show KEYID`. */
export function showKey(cli: Cli): Promise<void> {
  return withKeys(cli, async (desk) => {
    const key = await keyOf(desk, cli.argument('keyid'));
    const shape = shapeOf(key);
    await cli.out.value(shape, keyCard(shape, key.activateAt));
  });
}
