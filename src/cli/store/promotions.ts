import type { PromotionShown } from '#storefront/pricing/promotions/view.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { type Answer, loadStoreApi, orListed, pageAt } from './twin.ts';

const twins = async () =>
  (await import('#storefront/pricing/promotions/resource.ts')).promotionResource.endpoints('store');

const withPromotions = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);

const columns: readonly Column<PromotionShown>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'type' },
  { key: 'code' },
  { key: 'display_status', title: 'status' },
  { key: 'used_count', title: 'uses', align: 'right' },
  { key: 'starts_at', title: 'starts', time: true },
  { key: 'ends_at', title: 'ends', time: true },
];

const promotionCard = (one: PromotionShown) =>
  card([
    ['id', one.id],
    ['name', one.name],
    ['type', one.type],
    ['lowers', one.class],
    ['effect', one.effect],
    ['code', one.code],
    ['status', one.display_status],
    ['uses', one.usage_limit === null ? one.used_count : `${one.used_count} of ${one.usage_limit}`],
    ['starts', one.starts_at],
    ['ends', one.ends_at],
  ]);

/** A promotion by its id or its code. */
async function read(desk: Desk, name: string): Promise<PromotionShown> {
  const { items } = await pageAt<PromotionShown>(desk, 'promotions', { q: name, page: 1, limit: 100 });
  const id = items.find(({ code }) => code?.toUpperCase() === name.toUpperCase())?.id ?? name;
  return (await orListed('store promotion', desk.get<Answer<PromotionShown>>(at`promotions/${id}`))).data;
}

/** `appctl store promotion list`. */
export function listPromotions(cli: Cli): Promise<void> {
  const asked = { ...pageAsked(cli), status: cli.option('status'), q: cli.option('q') || undefined };
  return withPromotions(cli, async (desk) =>
    cli.out.page(await pageAt<PromotionShown>(desk, 'promotions', asked), columns),
  );
}

/** `appctl store promotion show PROMOTION`. */
export function showPromotion(cli: Cli): Promise<void> {
  return withPromotions(cli, async (desk) => {
    const one = await read(desk, cli.argument('promotion'));
    await cli.out.value(one, promotionCard(one));
  });
}

async function changed(cli: Cli, verb: 'activate' | 'pause' | 'archive'): Promise<void> {
  return withPromotions(cli, async (desk) => {
    const before = await read(desk, cli.argument('promotion'));
    if (verb === 'archive')
      await cli.confirm({
        action: `archive the promotion ${before.name}`,
        more: [
          `It is ${before.display_status} now. An archived promotion cannot be offered again: duplicate it instead.`,
        ],
      });
    const { data } = await desk.post<Answer<PromotionShown>>(at`promotions/${before.id}/${verb}`, {});
    await cli.out.value(planned(cli, data), promotionCard(data));
    noteChange(cli, `${data.name}: ${before.display_status} before, ${data.display_status} now`);
  });
}

/** `appctl store promotion activate PROMOTION`. */
export const activatePromotion = (cli: Cli): Promise<void> => changed(cli, 'activate');
/** `appctl store promotion pause PROMOTION`. */
export const pausePromotion = (cli: Cli): Promise<void> => changed(cli, 'pause');
/** `appctl store promotion archive PROMOTION`. */
export const archivePromotion = (cli: Cli): Promise<void> => changed(cli, 'archive');
