import type { Ctx } from '../context.ts';
import type { StaticFiles } from '../views/static-files.ts';
import type { Page } from './page.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Answerer } from './runtime.ts';
import type { Visitor } from './visitor.ts';
import type { Visitors } from './visitors.ts';

/** Renders a view, inside a layout unless that is null. */
export type Renderer = (view: string, data: Record<string, unknown>, layout?: string | null) => string;

/**
 * What a layout shows around a page: its navigation, for example.
 *
 * @param path of the request
 * @param pages of the site, of which the navigation shows those that have a place in it
 * @param page that is asked for
 */
export type Around = (
  ctx: Ctx,
  visitor: Visitor,
  path: string,
  pages: readonly Page[],
  page: Page,
) => Promise<Record<string, unknown>>;

/** The pages of a program and what they share. */
export interface Site {
  readonly pages: readonly Page[];
  readonly render: Renderer;
  /** What the pages load: stylesheets, scripts, pictures. */
  readonly files: StaticFiles;
  /** `nobody` where nobody can sign in, and no page has a form. */
  readonly visitors: Visitors;
  /** What layouts show around their pages, by their names; one that is absent shows nothing of its own. */
  readonly around: Readonly<Record<string, Around>>;
  /** The tenant that staff works for on a page. @throws AppError 403 where it may not work for any, or not there */
  tenantOf(ctx: Ctx, visitor: Visitor, page: Page): Promise<string>;
  /** The rule in force for a limit of a page; null switches it off. */
  limit(ctx: Ctx, rule: RateLimit): RateLimit | null;
  /** Name and service under which answers of pages are reported to whoever watches answers. */
  readonly answerer: Answerer;
}
