import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { sharing } from '#kernel/sharing.ts';

/** The names in a path, `{id}`, in their order. */
export const namesIn = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** What reads those names of a request: any text that a name can be. */
export const paramsOf = (names: readonly string[]): z.ZodObject =>
  params(names.join(' '), () =>
    z.strictObject(Object.fromEntries(names.map((name) => [name, text({ min: 1, max: 255 })]))),
  );

const params = sharing<string, z.ZodObject>(new Map());
