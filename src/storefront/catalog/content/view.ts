import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { type ContentPage, PAGE_STATUSES } from './record.ts';

const Shown = {
  slug: z.string(),
  title: z.string(),
  body_html: z.string(),
  seo: z.object({
    title: z.string().nullable(),
    description: z.string().nullable(),
  }),
  updated_at: instant(),
};

/** A page as the shop shows it. */
export const PageView = z.object(Shown).meta({ id: 'Page' });

export const pageView = ({
  slug,
  title,
  bodyHtml,
  seoTitle,
  seoDescription,
  updatedAt,
}: ContentPage): z.output<typeof PageView> => ({
  slug,
  title,
  body_html: bodyHtml,
  seo: { title: seoTitle, description: seoDescription },
  updated_at: updatedAt,
});

/** A page as staff see it. */
export const StorePageView = later(() =>
  z
    .object({
      id: z.string(),
      ...Shown,
      body_markdown: z.string().nullable(),
      status: z.enum(PAGE_STATUSES),
      created_at: instant(),
    })
    .meta({ id: 'StorePage' }),
);

export const storePageView = (page: ContentPage): z.output<typeof StorePageView> => ({
  id: page.id,
  ...pageView(page),
  body_markdown: page.bodyMarkdown,
  status: page.status,
  created_at: page.createdAt,
});
