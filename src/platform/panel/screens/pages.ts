import type { Page } from '#kernel/http/page.ts';
import { actionPages } from './action-pages.ts';
import { bulkPage } from './bulk-page.ts';
import { chartsPage } from './charts-page.ts';
import { editPage } from './edit-page.ts';
import { createPage } from './form-pages.ts';
import { itemPage } from './item-page.ts';
import { listPage } from './list-page.ts';
import { presencePage } from './presence-page.ts';
import type { Desk } from './registry.ts';
import { viewsPage } from './views-page.ts';

/** All pages of all resources that have a screen. Words in the place of an item's name come before its page. */
export function screenPages(desks: readonly Desk[]): readonly Page[] {
  const all = desks.flatMap((desk) => pagesOf(desk).map((one) => switched(desk, one)));
  return all.sort((one, other) => named(one) - named(other));
}

const pagesOf = (desk: Desk): Page[] => [
  ...listPage(desk),
  ...viewsPage(desk),
  ...createPage(desk),
  ...chartsPage(desk),
  ...bulkPage(desk),
  ...actionPages(desk),
  ...editPage(desk),
  ...presencePage(desk),
  ...itemPage(desk),
];

/** Pages make their forms when they are first asked for: a copy would ask for them. */
const switched = ({ enabledBy }: Desk, page: Page): Page =>
  enabledBy ? Object.assign(page, { enabledBy }) : page;

const named = ({ path }: Page): number => path.split('{').length;
