import { storeScreen, type Tone } from '#platform/admin/index.ts';
import { fields, labels, sections } from './form.ts';
import { asCustomers, asTargets } from './spelled.ts';
import { PromotionView } from './view.ts';
import { effectWords, moneyOr, usesOf } from './words.ts';

type Targets = 'all' | Readonly<Record<string, string[] | undefined>>;
type Named = readonly { readonly id: string; readonly name: string; readonly title: string }[];

/** The ids in targets by what people call them. */
function namedTargets(targets: Targets | null, named: Named, by: 'name' | 'title'): Targets | null {
  if (targets === null || targets === 'all') return targets;
  const names = new Map(named.map((one) => [one.id, one[by]]));
  return Object.fromEntries(
    Object.entries(targets).map(([kind, ids = []]) => [kind, ids.map((id) => names.get(id) ?? id)]),
  );
}

const goodsWords = (targets: Targets | null, named: Named): string | null => {
  const shown = namedTargets(targets, named, 'title');
  return shown === null ? null : asTargets().text(shown).replaceAll('\n', ', ');
};

const tones: Readonly<Record<string, Tone>> = { active: 'ok', scheduled: 'info', exhausted: 'warn' };
const toneOf = ({ displayStatus }: { readonly displayStatus: string }): Tone =>
  tones[displayStatus] ?? 'muted';

const codesOf = ({ code, codeCount }: { readonly code: string | null; readonly codeCount: number }) =>
  code ?? (codeCount > 0 ? `${codeCount} codes` : null);

/** Promotions in the panel. */
export const promotionScreen = storeScreen(PromotionView, {
  path: '/store/promotions',
  words: 'coupon discount code sale',
  area: 'store',
  order: 60,
  title: ({ name }) => name,
  columns: {
    name: {},
    code: { label: 'Code', kind: 'code', value: codesOf },
    effect: { label: 'Effect', value: effectWords },
    displayStatus: { label: 'Status', kind: 'status', tone: toneOf },
    uses: { label: 'Uses', value: usesOf },
    startsAt: { label: 'From', kind: 'date' },
    endsAt: { label: 'Until', kind: 'date' },
    priority: { kind: 'number', hidden: true },
    updatedAt: { label: 'Changed', sort: 'updated', hidden: true },
  },
  facts: {
    effect: { label: 'Effect', value: effectWords },
    displayStatus: { label: 'Status', kind: 'status', tone: toneOf },
    code: { kind: 'code', value: codesOf },
    appliesTo: { label: 'Applies to', value: ({ appliesTo, named }) => goodsWords(appliesTo, named) },
    excludes: { label: 'Not for', value: ({ excludes, named }) => goodsWords(excludes, named) },
    buy: { label: 'Buy', value: ({ buy, named }) => goodsWords(buy, named) },
    get: { label: 'Get', value: ({ get, named }) => goodsWords(get, named) },
    minimum: {
      label: 'Minimum',
      value: ({ minSubtotalCents, currency }) => moneyOr(minSubtotalCents, currency),
    },
    minQuantity: { label: 'Minimum quantity' },
    most: {
      label: 'At most',
      value: ({ maxDiscountCents, currency }) => moneyOr(maxDiscountCents, currency),
    },
    customers: { label: 'For', value: ({ customerRule }) => asCustomers().text(customerRule) || 'everybody' },
    countries: { label: 'Countries', value: ({ shippingRule }) => shippingRule.countries.join(', ') || null },
    startsAt: { label: 'From', kind: 'date' },
    endsAt: { label: 'Until', kind: 'date' },
    uses: { label: 'Uses', value: usesOf },
    usageLimitPerCustomer: { label: 'Per customer' },
    saved: { label: 'Saved by shoppers', value: ({ savedCents, currency }) => moneyOr(savedCents, currency) },
    type: {},
    class: { label: 'Applies to' },
    priority: {},
    stackable: { label: 'Combines with others' },
    version: {},
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: { ...labels, displayStatus: 'Status' },
  fields,
  values: (view) => ({
    ...view,
    appliesTo: view.appliesTo === 'all' ? null : namedTargets(view.appliesTo, view.named, 'name'),
    excludes: namedTargets(view.excludes, view.named, 'name'),
    buy: namedTargets(view.buy, view.named, 'name'),
    get: namedTargets(view.get, view.named, 'name'),
  }),
  sections: { create: sections, edit: sections },
  tabs: {
    codes: {
      label: 'Codes',
      of: 'shop-promotion-codes',
      named: ({ id }) => ({ promotionId: id }),
      when: ({ type }) => type !== 'automatic',
      links: ({ id, status }) => [
        ...(status === 'archived'
          ? []
          : [
              {
                label: 'Add codes',
                href: `/store/promotions/${id}/codes/generate`,
                needs: 'promotions:write',
              } as const,
            ]),
        {
          label: 'All codes and CSV export',
          href: `/store/promotions/${id}/codes`,
          needs: 'promotions:read',
        },
      ],
    },
    uses: {
      label: 'Uses',
      of: 'shop-promotion-redemptions',
      named: ({ id }) => ({ promotionId: id }),
    },
  },
  links: [{ label: 'Try a cart', href: '/store/promotions/simulator', needs: 'promotions:read' }],
  empty: {
    text: 'A promotion lowers prices, with a code that shoppers enter or automatically.',
    docs: 'promotions',
    cli: null,
  },
});
