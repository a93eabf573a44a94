// The answers of commands, made from the views of capabilities: zod and the views are loaded when a schema is asked for.
import type { z } from 'zod';

type Loaded<M> = () => Promise<M>;
type Output = () => Promise<z.ZodType>;
/** Names of the views of a module that are objects. */
type Named<M> = { [K in keyof M]: M[K] extends z.ZodObject ? K : never }[keyof M];

const wrapped =
  (wrap: (shapes: typeof import('./shapes.ts'), view: z.ZodObject) => z.ZodType) =>
  <M>(views: Loaded<M>, name: Named<M>): Output =>
  async () => {
    const [shapes, module] = await Promise.all([import('./shapes.ts'), views()]);
    return wrap(shapes, module[name] as z.ZodObject);
  };

/** The view itself. */
export const one = wrapped((_, view) => view);

/** `Page<T>`: what a list prints. */
export const page = wrapped(({ pageShape }, view) => pageShape(view));

/** What a change prints, and with --dry-run its plan. */
export const change = wrapped(({ dryRun }, view) => view.extend({ dryRun }));

/** What makes a secret prints: it is there once, on a terminal, with --json or --reveal, unless --out took it. */
export const withSecret = wrapped(({ dryRun, madeSecret }, view) =>
  view.extend({ dryRun, secret: madeSecret }),
);

/** `Result` of cli.md section 2. */
export const result =
  (...actions: [string, ...string[]]): Output =>
  async () =>
    (await import('./shapes.ts')).resultShape(actions);

/** What a command for several prints. */
export const batch = wrapped(({ batchShape }, view) => batchShape(view));
