import type { Endpoint } from '#kernel/http/endpoint.ts';
import { licenseManner } from './manner.ts';
import type { Form, ResourceSpec } from './resource.ts';
import { creating } from './twin/creating.ts';
import { frameOf } from './twin/frame.ts';

/**
 * What makes an item of a resource by the admin API, and none of its other operations: a command that makes one starts
 * the faster for it.
 *
 * @throws Error for a resource that is not made there
 */
export function creationOf<Row extends object, C extends Form>(spec: ResourceSpec<Row, C>): Endpoint {
  const twin = spec.apis.find(({ surface }) => surface === licenseManner.surface);
  if (!twin) throw new Error(`${spec.name} is not part of the admin API`);
  return creating(frameOf(spec as unknown as ResourceSpec<Row>, twin, licenseManner));
}
