import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import type { Surface } from './surface.ts';

/** They say who asks and how the body is to be read, on every surface. */
const EVERYWHERE = ['authorization', 'content-type', 'content-encoding'] as const;

/**
 * The headers of an endpoint that may come once: those of every surface, and what surface and endpoint declare to read.
 * Of two, Node takes the first or joins them; which one counts would differ between servers and proxies, as with a
 * repeated parameter (D4). A credential in a header of its own is not among them: joined, it is an unknown one (M10).
 *
 * @returns names in lower case; none for an endpoint that takes signed bytes, where the signature is what counts and
 *   the specification wants one status for every answer
 */
export function singleHeaders({ contract }: Surface, endpoint: Endpoint): ReadonlySet<string> {
  if (endpoint.rawBody) return new Set();
  return new Set([...EVERYWHERE, ...namesOf(contract.headers), ...namesOf(endpoint.headers)]);
}

const namesOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/**
 * The first of these headers that came more than once, or null.
 *
 * @param rawHeaders names and values by turns, as Node received them
 * @param names in lower case
 */
export function repeatedHeader(rawHeaders: readonly string[], names: ReadonlySet<string>): string | null {
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    if (!names.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return null;
}
