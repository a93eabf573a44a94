import type { Ctx } from '#kernel/context.ts';
import { heroLink, heroMedia, heroText, heroTitle } from '#storefront/contract/branding.ts';
import { brandPicture } from './brand.ts';
import { type ImageShown, imageShown } from './images.ts';

/** What stands at the top of the start page. */
export interface Hero {
  readonly title: string | null;
  readonly text: string | null;
  readonly href: string | null;
  readonly image: ImageShown | null;
}

/** Null while nothing of it is set. */
export async function heroOf(ctx: Ctx): Promise<Hero | null> {
  const [title, text, href] = [heroTitle, heroText, heroLink].map((one) => ctx.settings.get(one)) as [
    string | null,
    string | null,
    string | null,
  ];
  const found = await brandPicture(ctx, heroMedia);
  if (title === null && text === null && found === null) return null;
  return { title, text, href, image: found && imageShown(found, 0) };
}
