import type { z } from 'zod';
import { type Actor, allows } from '#kernel/actor.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Audience } from '#kernel/http/visitor.ts';
import type { Switched } from '#kernel/settings-reader.ts';
import {
  ANY_STAFF,
  namesIn,
  type Operations,
  operationsOf,
  paramsOf,
  type Resource,
  type Screen,
  type View,
} from '../../admin/index.ts';

/** A resource that has pages, with its operations; while its capability is switched off, it has none. */
export interface Desk extends Switched {
  readonly name: string;
  readonly labels: Resource['labels'];
  readonly screen: Screen;
  readonly ops: Operations;
  /** What the path of the list names, and what that of an item does. */
  readonly listParams: z.ZodObject;
  readonly itemParams: z.ZodObject;
  /** Finds the desk of another resource by its name. */
  readonly others: (name: string) => Desk | undefined;
}

/** Those resources that have pages, in their order. */
export function desksOf(resources: readonly Resource[]): readonly Desk[] {
  const byName = new Map<string, Desk>();
  const others = (name: string) => byName.get(name);
  for (const desk of resources.flatMap((one) => deskOf(one, others))) byName.set(desk.name, desk);
  return [...byName.values()];
}

function deskOf(resource: Resource, others: Desk['others']): readonly Desk[] {
  const { name, labels, spec, enabledBy } = resource;
  const { screen } = spec as unknown as { screen?: Screen };
  const ops = screen ? operationsOf(resource) : null;
  if (!screen || !ops) return [];
  return [
    {
      name,
      labels,
      screen,
      ops,
      others,
      ...(enabledBy && { enabledBy }),
      listParams: paramsOf(namesIn(screen.path)),
      itemParams: paramsOf([...namesIn(itemsAt(screen)), ops.params.key]),
    },
  ];
}

/** The path of the pages of items, without the item. */
const itemsAt = ({ path, itemsAt = path }: Screen): string => itemsAt;

/** The path of the page of an item, as routes are written. @param rest below it: `/edit` */
export const itemPath = ({ screen, ops }: Pick<Desk, 'screen' | 'ops'>, rest = ''): string =>
  `${itemsAt(screen)}/{${ops.params.key}}${rest}`;

/** What the path of a page names. */
export type Named = Readonly<Record<string, string>>;

/** The address of the list of a resource. @param rest below it: `/new` */
export const addressOf = ({ screen }: Pick<Desk, 'screen'>, named: Named, rest = ''): string =>
  filled(screen.path + rest, named);

/** The address of an item. @param named it, and what it is in */
export const itemAddress = (desk: Pick<Desk, 'screen' | 'ops'>, named: Named, rest = ''): string =>
  filled(itemPath(desk, rest), named);

const filled = (path: string, named: Named): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''));

/** What the path of an item names: the item of a view, and what its list is in. */
export const namedBy = (desk: Pick<Desk, 'screen' | 'ops'>, named: Named, view: View): Named => ({
  ...named,
  [desk.ops.params.key]: keyOf(desk, view),
});

/** How an item is named in paths. */
export const keyOf = ({ screen, ops }: Pick<Desk, 'screen' | 'ops'>, view: View): string =>
  String(view[screen.key ?? ops.params.key] ?? '');

/** Whom a page is for that does what an operation does. */
export const audienceOf = ({ scope, orScope }: Pick<Endpoint, 'scope' | 'orScope'>): Audience =>
  scope === null || scope === ANY_STAFF
    ? 'staff'
    : { staff: scope, ...(orScope !== undefined && { or: orScope }) };

/** Whether somebody may do what an operation does. */
export const mayDo = (actor: Actor, endpoint: Pick<Endpoint, 'scope' | 'orScope'> | undefined): boolean => {
  if (!endpoint) return false;
  const { scope, orScope } = endpoint;
  if (scope === null || scope === ANY_STAFF) return true;
  return allows(actor, scope) || (orScope !== undefined && allows(actor, orScope));
};
