import type { Ctx } from '../context.ts';
import type { StaticFiles } from '../views/static-files.ts';
import type { Page } from './page.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Answerer } from './runtime.ts';
import type { Visitors } from './visitors.ts';

/** Renders a view, inside a layout unless that is null. */
export type Renderer = (view: string, data: Record<string, unknown>, layout?: string | null) => string;

/** The pages of a program and what they share. */
export interface Site {
  readonly pages: readonly Page[];
  readonly render: Renderer;
  /** What the pages load: stylesheets, scripts, pictures. */
  readonly files: StaticFiles;
  /** `nobody` where nobody can sign in, and no page has a form. */
  readonly visitors: Visitors;
  /** The rule in force for a limit of a page; null switches it off. */
  limit(ctx: Ctx, rule: RateLimit): RateLimit | null;
  /** Name and service under which answers of pages are reported to whoever watches answers. */
  readonly answerer: Answerer;
}
