import { isOn, type SettingsReader, type Switched } from './settings-reader.ts';

declare const filledBy: unique symbol;

/** A place that one part of the program leaves open for parts above it, which it does not know. */
export interface Extension<T> {
  readonly name: string;
  readonly [filledBy]?: T;
}

/** Declares such a place. @param name unique in the program */
export const extension = <T>(name: string): Extension<T> => ({ name });

/** What stands in such a place; loaded when it is asked for the first time. */
export interface Filling extends Switched {
  readonly place: string;
  readonly load: () => Promise<unknown>;
}

/** Fills a place. @param load imports what stands there, so that a short command that asks for nothing loads nothing */
export const fill = <T>({ name }: Extension<T>, load: () => Promise<T>): Filling => ({ place: name, load });

/** All of a process, by the names of their places. */
export type Fillings = ReadonlyMap<string, readonly Filling[]>;

/** Collects fillings, in their order. */
export function fillingsOf(all: readonly Filling[]): Fillings {
  const byPlace = new Map<string, Filling[]>();
  for (const one of all) byPlace.set(one.place, [...(byPlace.get(one.place) ?? []), one]);
  return byPlace;
}

/** What stands in a place: nothing where nobody fills it, or the switch of who does is off. */
export async function filledIn<T>(
  fillings: Fillings,
  { name }: Extension<T>,
  ctx: { readonly settings: SettingsReader },
): Promise<readonly T[]> {
  const found = (fillings.get(name) ?? []).filter((one) => isOn(one, ctx));
  return Promise.all(found.map(({ load }) => load() as Promise<T>));
}
