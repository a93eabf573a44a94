import type { Ctx } from '#kernel/context.ts';
import { auditEvents } from './events.ts';
import { MASK } from './sides.ts';

/** What somebody takes away in a file. */
export interface Export {
  /** Name of the resource. */
  readonly what: string;
  readonly format: string;
  /** What narrowed it; what is looked for may be about a person, and is not kept. */
  readonly filter: Readonly<Record<string, unknown>>;
}

/** Notes that somebody exported rows. @param rows how many were written, also when the reader left before the end */
export const noteExport = (ctx: Ctx, { what, format, filter }: Export, rows: number): Promise<void> =>
  ctx.tx((ctx) => {
    const kept = Object.fromEntries(Object.entries(filter).flatMap(shown));
    return auditEvents.tell(ctx, 'EXPORTED', 'export', { format, filter: kept, rows }, { target: what });
  });

/** Passes pages on and notes in the end how many rows they had. */
export async function* notingExport<Page extends readonly unknown[]>(
  ctx: Ctx,
  about: Export,
  pages: AsyncIterable<Page>,
): AsyncGenerator<Page> {
  let rows = 0;
  try {
    for await (const page of pages) {
      rows += page.length;
      yield page;
    }
  } finally {
    await noteExport(ctx, about, rows);
  }
}

const PERSONAL = ['q', 'email', 'customer', 'customerEmail', 'ip'];

function shown([name, value]: [string, unknown]): [string, unknown][] {
  if (value === undefined || value === null) return [];
  return [[name, PERSONAL.includes(name) || String(value).includes('@') ? MASK : value]];
}
