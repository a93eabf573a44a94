import { z } from 'zod';
import { type Actor, allows } from '#kernel/actor.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import type { Audience } from '#kernel/http/visitor.ts';
import { ANY_STAFF, type Operations, operationsOf, type Resource, type Screen } from '../../admin/index.ts';

/** A resource that has pages, with its operations. */
export interface Desk {
  readonly name: string;
  readonly labels: Resource['labels'];
  readonly screen: Screen;
  readonly ops: Operations;
  /** What the path of the list names, and what that of an item does. */
  readonly listParams: z.ZodObject;
  readonly itemParams: z.ZodObject;
}

/** Those resources that have pages, in their order. */
export const desksOf = (resources: readonly Resource[]): readonly Desk[] =>
  resources.flatMap((resource) => {
    const { name, labels, spec } = resource;
    const { screen } = spec as unknown as { screen?: Screen };
    const ops = screen ? operationsOf(resource) : null;
    if (!screen || !ops) return [];
    const above = [...screen.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param as string);
    return [
      {
        name,
        labels,
        screen,
        ops,
        listParams: paramsOf(above),
        itemParams: paramsOf([...above, ops.params.key]),
      },
    ];
  });

const paramsOf = (names: readonly string[]): z.ZodObject =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, text({ min: 1, max: 255 })])));

/** What the path of a page names. */
export type Named = Readonly<Record<string, string>>;

/** The address of a page of a resource. @param rest below the list: `/new`, `/{id}/edit` */
export const addressOf = ({ screen }: Pick<Desk, 'screen'>, named: Named, rest = ''): string =>
  (screen.path + rest).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''));

/** The address of an item. */
export const itemAddress = (desk: Desk, named: Named, id: string, rest = ''): string =>
  `${addressOf(desk, named)}/${encodeURIComponent(id)}${rest}`;

/** How an item is named in paths. */
export const keyOf = ({ ops }: Pick<Desk, 'ops'>, view: Readonly<Record<string, unknown>>): string =>
  String(view[ops.params.key] ?? view.id ?? '');

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
