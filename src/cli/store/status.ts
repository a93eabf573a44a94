import { workOnEach, writeBatch } from '../batch.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { type Answer, storeProductOf, withStoreProducts } from './twin.ts';
import { productCard, productColumns, type StoreProduct } from './view.ts';

/** `appctl store product set-status STATUS PRODUCT…`: one gives the product, several a batch. */
export function setProductStatus(cli: Cli): Promise<number> {
  const status = cli.argument('status');
  const names = cli.argumentList('product');
  return withStoreProducts(cli, async (desk) => {
    if (status === 'archived') await confirmArchiving(cli, desk, names);
    const work = (name: string) => change(desk, name, status);
    if (names.length > 1) return writeBatch(cli, await workOnEach(cli, names, work), names, productColumns);
    const product = await work(names[0] ?? '');
    await cli.out.value(planned(cli, product), productCard(product));
    noteChange(cli, `${product.slug} is ${product.status}`);
    return 0;
  });
}

/** What does not exist cannot be agreed to: one alone is looked for before the question. */
async function confirmArchiving(cli: Cli, desk: Desk, names: readonly string[]): Promise<void> {
  const [first = ''] = names;
  if (names.length === 1) await storeProductOf(desk, first);
  const what = names.length === 1 ? `product ${first}` : `${names.length} products: ${names.join(', ')}`;
  await cli.confirm({
    action: `archive ${what}`,
    more: ['The shop no longer shows what is archived; set-status active shows it again.'],
  });
}

/** A product that another one changes meanwhile is refused, and not overwritten. */
async function change(desk: Desk, name: string, status: string): Promise<StoreProduct> {
  const { id, version } = await storeProductOf(desk, name);
  const { data } = await desk.patch<Answer<StoreProduct>>(at`products/${id}`, { status, version });
  return data;
}
