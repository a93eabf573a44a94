import type { InventoryLevel } from '#storefront/catalog/inventory/view.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { type Answer, loadStoreApi, pageAt } from './twin.ts';

const twins = async () =>
  (await import('#storefront/catalog/inventory/resource.ts')).inventoryResource.endpoints('store');

const withInventory = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);

/** Of a SKU: others that hold it come first only where their case is another one. */
const LOOKED_AT = 100;

/** The stock of the variant with an SKU or an id. @throws NOT_FOUND (3) */
async function levelOf(desk: Desk, name: string): Promise<InventoryLevel> {
  if (/^var_[0-9A-Z]{26}$/.test(name))
    return (await desk.get<Answer<InventoryLevel>>(at`inventory/${name}`)).data;
  const asked = { q: name, page: 1, limit: LOOKED_AT, sort: 'sku' };
  const { items } = await pageAt<InventoryLevel>(desk, 'inventory', asked);
  const found = items.find(({ variant }) => variant.sku.trim().toUpperCase() === name.trim().toUpperCase());
  if (found) return found;
  throw notFoundError(
    `variant with the SKU ${name} does not exist`,
    'appctl store product list --q TEXT finds products',
  );
}

/** `appctl store inventory show SKU`. */
export function showInventory(cli: Cli): Promise<void> {
  return withInventory(cli, async (desk) => {
    const level = await levelOf(desk, cli.argument('sku'));
    await cli.out.value(shownOf(level), levelCard(level));
  });
}

/** `appctl store inventory set SKU N`. */
export const setInventory = (cli: Cli): Promise<void> => change(cli, 'set_to', 'count');

/** `appctl store inventory adjust SKU N`. */
export const adjustInventory = (cli: Cli): Promise<void> => change(cli, 'delta', 'correction');

interface Adjusted {
  readonly level: InventoryLevel;
}

async function change(cli: Cli, field: 'set_to' | 'delta', standing: string): Promise<void> {
  const units = unitsAsked(cli);
  return withInventory(cli, async (desk) => {
    const before = await levelOf(desk, cli.argument('sku'));
    const body = { [field]: units, reason: cli.option('reason') ?? standing, note: cli.option('note') };
    const { level } = (await desk.post<Answer<Adjusted>>(at`inventory/${before.variant_id}/adjust`, body))
      .data;
    await cli.out.value(planned(cli, shownOf(level)), levelCard(level));
    noteChange(cli, `${level.variant.sku}: ${before.on_hand} before, ${level.on_hand} now`);
    if (!level.track_inventory && !cli.json)
      cli.warn(
        `the stock of ${level.variant.sku} is not tracked: the shop sells it regardless of the number`,
      );
  });
}

/** A whole number, also with a sign. @throws usage error (2) */
function unitsAsked(cli: Cli): number {
  const text = cli.argument('units');
  if (/^[+-]?\d{1,10}$/.test(text)) return Number(text);
  throw usageError(`${text} is not a whole number`, 'write a number such as 12 or -3');
}

const shownOf = ({ variant, ...level }: InventoryLevel) => ({ sku: variant.sku, ...level });

const levelCard = ({ variant, ...level }: InventoryLevel) =>
  card([
    ['SKU', variant.sku],
    ['product', `${variant.product_title} (${variant.title})`],
    ['on hand', level.on_hand],
    ['reserved', level.reserved],
    ['available', level.available],
    ['state', level.state],
    ['tracked', level.track_inventory],
    ['backorders', level.allow_backorder],
    ['low at', level.threshold],
    ['updated', level.updated_at],
  ]);
