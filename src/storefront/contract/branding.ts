import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';
import type { Labels } from '#platform/languages/index.ts';
import { cssFault } from './custom-css.ts';

const group = 'branding';

export const brandColor = setting({
  key: 'brand_color',
  group,
  description: 'Primary color of the shop, as #rrggbb',
  schema: z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #111827'),
  default: '#111827',
});

/** A picture of the library. One that is being rendered is shown when it is ready. */
const picture = (key: string, description: string): Setting<string | null> =>
  setting<string | null>({
    key,
    group,
    description,
    schema: maybe(30),
    default: null,
    async check(ctx: Ctx, id: string | null) {
      if (id === null) return;
      // A short command knows this setting too, and has no use for pictures.
      const { find } = await import('#platform/media/index.ts');
      const found = await find(ctx, id);
      if (!found) throw invalidField(key, `picture ${id.slice(0, 30)} does not exist; upload it first`);
      if (found.status === 'failed')
        throw invalidField(key, `picture ${found.fileName} could not be rendered; choose another one`);
    },
  });

export const logoMedia = picture(
  'logo_media_id',
  'Picture at the top of every page, instead of the name; the ID of a picture in the library',
);
export const faviconMedia = picture(
  'favicon_media_id',
  'Square picture for browser tabs and bookmarks; the ID of a picture in the library',
);

export const announcementText = setting<string | null>({
  key: 'announcement_text',
  group,
  description: 'A line at the top of every page, for example about shipping',
  schema: maybe(200),
  default: null,
});

export const heroTitle = setting<string | null>({
  key: 'home_hero_title',
  group,
  description: 'Headline at the top of the home page',
  schema: maybe(120),
  default: null,
});

export const heroText = setting<string | null>({
  key: 'home_hero_text',
  group,
  description: 'Text below the headline of the home page',
  schema: maybe(500),
  default: null,
});

export const heroMedia = picture(
  'home_hero_media_id',
  'Picture at the top of the home page; the ID of a picture in the library',
);

/** A page of this installation, or an address on the web. */
const isLink = (text: string): boolean =>
  /^\/(?![/\\])[^\s\\]*$/.test(text) || (/^https?:\/\/\S+$/.test(text) && URL.canParse(text));

export const heroLink = setting<string | null>({
  key: 'home_hero_link',
  group,
  description: 'Target of the button at the top of the home page, such as /shop/products',
  schema: maybe(500).refine(
    (text) => text === null || isLink(text),
    'must be a path such as /shop/products, or an address that starts with https://',
  ),
  default: null,
});

export const footerHtml = setting<string | null>({
  key: 'footer_html',
  group,
  description: 'HTML at the bottom of every page; scripts and styles are removed',
  schema: maybe(20_000),
  default: null,
  async tidy(html: string | null) {
    if (html === null) return null;
    const { cleanHtml } = await import('#platform/rich-text/index.ts');
    return (await cleanHtml(html)) || null;
  },
});

export const customCss = setting<string | null>({
  key: 'custom_css',
  group,
  description: "Your own style sheet, at most 50 KB, loaded after the shop's",
  schema: maybe(60_000).superRefine((css, ctx) => {
    const fault = css === null ? null : cssFault(css);
    if (fault !== null) ctx.addIssue({ code: 'custom', message: fault });
  }),
  default: null,
});

/** How the shop looks (storefront-domain 13). */
export const brandingSettings: readonly Setting[] = [
  brandColor,
  logoMedia,
  faviconMedia,
  announcementText,
  heroTitle,
  heroText,
  heroMedia,
  heroLink,
  footerHtml,
  customCss,
] as readonly Setting[];

/** Settings that name a picture. */
export const pictureSettings: readonly Setting<string | null>[] = [logoMedia, faviconMedia, heroMedia];

/** Largest text of a label, in characters. */
export const MOST_LABEL = 1000;

/** Languages and texts of them that may stand in the setting: more than there are. */
const MOST_LANGUAGES = 100;

const words = z.record(z.string().max(100), z.string().max(MOST_LABEL));

/** Texts of the shop in place of those of its catalogues, by language and key. */
export const labels = setting<Labels>({
  key: 'labels',
  group: 'labels',
  description: 'Your own texts for the shop: JSON with a language code, and texts by key in it',
  schema: () =>
    z
      .record(z.string().max(35), words)
      .refine(
        (all) => Object.keys(all).length <= MOST_LANGUAGES,
        `must have at most ${MOST_LANGUAGES} languages`,
      ),
  default: {},
  async check(_ctx: Ctx, all: Labels) {
    const faults = await labelFaults(all);
    if (faults.length === 0) return;
    const issues = faults.map(({ code, key, fault }) => ({
      path: 'labels',
      rule: 'invalid',
      message: `${[code, key].filter((part) => part !== '').join(': ')} ${fault}`,
    }));
    const text = issues.map(({ message }) => message).join('; ');
    throw fail('VALIDATION_ERROR', `labels: ${text}`, { details: { issues } });
  },
});

/** So many faults are told of. */
const MOST_TOLD = 20;

/** What is wrong with labels: languages and keys that there are not, and places that a text leaves out or makes up. */
export async function labelFaults(
  all: Labels,
): Promise<{ readonly code: string; readonly key: string; readonly fault: string }[]> {
  // A short command knows this setting too, and reads no catalogue.
  const { labelFault, languages, loadLanguages, textsOf } = await import('#platform/languages/index.ts');
  await loadLanguages();
  const known = new Set(languages().map(({ code }) => code));
  const faults = Object.entries(all).flatMap(([code, own]) => {
    if (!known.has(code)) return [{ code, key: '', fault: 'is not a language of the shop' }];
    const texts = textsOf(code);
    return Object.entries(own).flatMap(([key, text]) => {
      const fault = labelFault(texts, key, text);
      return fault === null ? [] : [{ code, key, fault }];
    });
  });
  return faults.slice(0, MOST_TOLD);
}
