import { change, one, page } from '../answers.ts';
import { promotionStatuses } from '../choices.ts';
import type { ArgSpec, CommandSpec, GroupSpec } from '../frame/spec.ts';
import { storePageOptions } from '../paging.ts';

const views = () => import('#storefront/pricing/promotions/view.ts');

export const promotionGroup: GroupSpec = { path: 'store promotion', summary: 'promotions of the shop' };

const promotionArgument: ArgSpec = { name: 'promotion', summary: 'id or code of the promotion' };
const shared = {
  args: [promotionArgument],
  runs: ['L', 'R'],
  exits: [3, 4, 5],
  output: change(views, 'PromotionView'),
} as const satisfies Partial<CommandSpec>;

export const promotionCommands: readonly CommandSpec[] = [
  {
    path: 'store promotion list',
    summary: 'list the promotions of the shop',
    options: [
      { name: 'status', value: 'STATUS', summary: 'only those in this status', choices: promotionStatuses },
      { name: 'q', value: 'TEXT', summary: 'only those with TEXT in name or code' },
      ...storePageOptions,
    ],
    runs: ['L', 'R'],
    examples: ['appctl store promotion list --status active'],
    exits: [4],
    output: page(views, 'PromotionView'),
    load: () => import('./promotions.ts').then((actions) => actions.listPromotions),
  },
  {
    path: 'store promotion show',
    summary: 'show one promotion with its rules and its uses',
    ...shared,
    examples: ['appctl store promotion list --json | jq -r ".items[].id"'],
    exits: [3, 4],
    output: one(views, 'PromotionView'),
    load: () => import('./promotions.ts').then((actions) => actions.showPromotion),
  },
  {
    path: 'store promotion activate',
    summary: 'offer a promotion to shoppers',
    ...shared,
    examples: ['appctl store promotion activate pro_01J0000000000000000000000'],
    confirm: 'mild',
    load: () => import('./promotions.ts').then((actions) => actions.activatePromotion),
  },
  {
    path: 'store promotion pause',
    summary: 'stop offering a promotion until it is activated again',
    ...shared,
    examples: ['appctl store promotion pause pro_01J0000000000000000000000'],
    confirm: 'mild',
    load: () => import('./promotions.ts').then((actions) => actions.pausePromotion),
  },
  {
    path: 'store promotion archive',
    summary: 'end a promotion for good; its uses stay',
    ...shared,
    examples: ['appctl store promotion archive pro_01J0000000000000000000000 --yes'],
    confirm: 'moderate',
    exits: [3, 4, 5, 10],
    load: () => import('./promotions.ts').then((actions) => actions.archivePromotion),
  },
];
