import type { ListOf, ShownView } from '../../saved-views/index.ts';
import { type Query, SHOWN_BY, withQuery } from './address.ts';
import type { Desk } from './registry.ts';

/** A view of a list, as the list leads to it. */
export interface ViewLink {
  readonly name: string;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly isDefault: boolean;
  /** Email address of whoever shares it; null for an own one and for those of the screen. */
  readonly sharedBy: string | null;
}

/** What a list says of its views. */
export interface ViewsModel {
  /** The list as it is without any; it says so where it would open with one otherwise. */
  readonly allHref: string;
  readonly isAll: boolean;
  readonly links: readonly ViewLink[];
  /** Of the view that is looked at, where the list differs from it. */
  readonly resetHref: string | null;
  readonly manageHref: string;
  /** What would be saved of the list as it is shown. */
  readonly query: string;
  /** Columns that were picked and are not those that the list opens with; null when there is nothing to keep. */
  readonly columns: string | null;
  readonly keepsColumns: boolean;
}

/** Parameters that say where in a list somebody is, and not how it is narrowed and laid out. */
const ELSEWHERE: ReadonlySet<string> = new Set(['page', 'cursor', 'done', 'of', 'view', 'tab']);

/** What of an address a view keeps, in the order of the names, so that equal ones are equal. */
export const keptQuery = (query: Query): string =>
  new URLSearchParams(
    Object.entries(query)
      .filter(([name, value]) => !ELSEWHERE.has(name) && value !== '')
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  ).toString();

/** The address of a list as a view shows it. */
export const viewAddress = (path: string, { id, query }: Pick<ShownView, 'id' | 'query'>): string =>
  withQuery(path, Object.fromEntries(new URLSearchParams(query)), { view: id });

/** Where a list leads whoever asked for nothing in particular: to the view that they open it with, if any. */
export const defaultAddress = (path: string, query: Query, { views }: ListOf): string | null => {
  const chosen = Object.keys(query).length === 0 && views.find(({ isDefault }) => isDefault);
  return chosen ? viewAddress(path, chosen) : null;
};

/** @param saved of whoever looks */
export function viewsModel({ screen }: Desk, path: string, query: Query, saved: ListOf): ViewsModel {
  const { views, columns } = saved;
  const current = views.find(({ id }) => id === query.view);
  const now = keptQuery(query);
  const own = (screen.views ?? []).map(({ name, query: of }) => ({
    name,
    href: `${path}?${of}`,
    isCurrent: !current && now === keptQuery(Object.fromEntries(new URLSearchParams(of))),
    isDefault: false,
    sharedBy: null,
  }));
  const links = views.map((view) => ({
    name: view.name,
    href: viewAddress(path, view),
    isCurrent: view === current,
    isDefault: view.isDefault,
    sharedBy: view.isOwn ? null : view.owner,
  }));
  const picked = query.columns ?? '';
  return {
    allHref: views.some(({ isDefault }) => isDefault) ? `${path}?view=all` : path,
    isAll: !current && now === '',
    links: [...own, ...links],
    resetHref: current && current.query !== now ? viewAddress(path, current) : null,
    manageHref: `${path}/views${now === '' ? '' : `?${now}`}`,
    query: now,
    columns: picked !== '' && picked !== columns ? picked : null,
    keepsColumns: columns !== null,
  };
}

/** Parameters of an address that the list knows nothing of: of a filter that there was once, for example. */
export function unknownIn({ ops }: Desk, query: Query): readonly string[] {
  const shape = (ops.list?.query as unknown as { shape?: object } | undefined)?.shape ?? {};
  return Object.keys(query).filter((name) => !Object.hasOwn(shape, name) && !SHOWN_BY.has(name));
}
