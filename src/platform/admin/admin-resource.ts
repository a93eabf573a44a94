import type { Endpoint } from '#kernel/http/endpoint.ts';
import { licenseManner, type Manner } from './manner.ts';
import type { Form, Resource, ResourceSpec } from './resource.ts';
import { searchIn } from './search.ts';
import { storeManner } from './store/manner.ts';
import { bulkOf } from './twin/bulk.ts';
import { changingOf } from './twin/changing.ts';
import { exportOf } from './twin/export.ts';
import { type Frame, frameOf } from './twin/frame.ts';
import { readingOf } from './twin/reading.ts';

const manners: readonly Manner[] = [licenseManner, storeManner];

/**
 * Declares something that staff works with, once (admin.md 1): its lists, forms, bulk runs and exports, and the JSON
 * endpoints of the same on each staff surface that it stands on.
 *
 * @throws Error for a declaration that contradicts itself
 */
export function adminResource<Row extends object, C extends Form = Form, E extends Form = Form>(
  spec: ResourceSpec<Row, C, E>,
): Resource {
  // Made when somebody asks: a short command declares resources that it does not use.
  const made = new Map<string, readonly Endpoint[]>();
  const { name, labels, about } = spec;
  return {
    name,
    labels,
    spec: spec as unknown as Resource['spec'],
    tags: (surface) => {
      // What is below another thing belongs to that one's group.
      const places = spec.apis
        .filter((one) => one.surface === surface)
        .map(({ path, itemsAt = path }) => itemsAt);
      const tops = places.filter((place) => /^\/[\w-]+$/.test(place));
      return Object.fromEntries(tops.map((place) => [place.slice(1), about]));
    },
    search: (ctx, text, limit) => searchIn(spec as unknown as ResourceSpec<{ id: string }>, ctx, text, limit),
    endpoints(surface) {
      const endpoints = made.get(surface) ?? endpointsOn(spec as unknown as ResourceSpec<Row>, surface);
      made.set(surface, endpoints);
      return endpoints;
    },
  };
}

function endpointsOn<Row extends object>(spec: ResourceSpec<Row>, surface: string): readonly Endpoint[] {
  const manner = manners.find((one) => one.surface === surface);
  const twins = spec.apis.filter((one) => one.surface === surface);
  if (!manner || twins.length === 0) return [];
  return twins.flatMap((twin) => endpointsOf(frameOf(spec, twin, manner)));
}

/** The operations of a resource in one manner, those with words in their paths first. */
export function endpointsOf<Row extends object>(frame: Frame<Row>): readonly Endpoint[] {
  const all = [...exportOf(frame), ...bulkOf(frame), ...readingOf(frame), ...changingOf(frame)];
  return all.sort(({ path: one }, { path: other }) => byWords(one, other));
}

/** `/products/export` comes before `/products/{id}`, which would take the word for an id. */
function byWords(one: string, other: string): number {
  const others = other.split('/');
  for (const [place, word] of one.split('/').entries()) {
    const difference =
      Number(word.startsWith('{')) - Number(others[place]?.startsWith('{') ?? word.startsWith('{'));
    if (difference !== 0) return difference;
  }
  return 0;
}
