/** How often something was seen on a day and from when to when, in milliseconds of that day. */
export interface Seen {
  readonly name: string;
  count: number;
  /** How many of them are in the database; 0 while it does not know of this thing. */
  written: number;
  firstMs: number;
  lastMs: number;
}

/**
 * Things of one kind by name. Most licenses see one machine and one address a day, for which a map would take ten times
 * the memory.
 */
export type Sightings = Map<string, Seen> | Seen | null;

export function findSeen(sightings: Sightings, name: string): Seen | undefined {
  if (sightings instanceof Map) return sightings.get(name);
  return sightings?.name === name ? sightings : undefined;
}

export const sizeOfSightings = (sightings: Sightings): number =>
  sightings instanceof Map ? sightings.size : Number(sightings !== null);

export const listSeen = (sightings: Sightings): readonly Seen[] =>
  sightings instanceof Map ? [...sightings.values()] : sightings ? [sightings] : [];

/** The same things and one more, seen once. */
export function withSeen(sightings: Sightings, name: string, atMs: number): Sightings {
  const seen: Seen = { name, count: 1, written: 0, firstMs: atMs, lastMs: atMs };
  if (sightings === null) return seen;
  if (sightings instanceof Map) return sightings.set(name, seen);
  return new Map([
    [sightings.name, sightings],
    [name, seen],
  ]);
}

/** Counts what is known already. */
export function seeAgain(seen: Seen, atMs: number): void {
  seen.count += 1;
  seen.lastMs = atMs;
}
