import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { SentFiles } from '#kernel/http/form-files.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { type Media, mediaRows, upload } from '#platform/media/index.ts';
import * as settings from '#platform/settings/index.ts';
import { brandColor, pictureSettings } from '#storefront/contract/branding.ts';
import { contrast, GROUNDS, READABLE, readableOn, textOn } from '#storefront/contract/colors.ts';
import { pictureOf } from '#storefront/contract/picture.ts';
import { formOf, requireWrite, valuesOf } from './form.ts';
import { act, groupModel, shared } from './group-page.ts';
import { type Group, labelOf } from './groups.ts';

/** Newest pictures that can be chosen; others are named by the address of their page. */
const MOST_OFFERED = 18;

const fileField = (key: string): string => `${key}_file`;
const pictureKeys = pictureSettings.map(({ key }) => key);

/** A picture to choose. */
const choiceOf = (media: Media) => ({
  id: media.id,
  label: media.alt ?? media.fileName,
  isReady: media.status === 'ready',
  thumbnail: pictureOf(media).variants?.thumbnail ?? null,
});

/** Pictures to choose from, by setting: the newest ones, and the one that is in use. */
async function pickersOf(ctx: Ctx) {
  const asked = { filters: { status: ['ready'] }, offset: 0, limit: MOST_OFFERED };
  const { items } = await mediaRows.page(ctx, asked);
  const used = pictureKeys.map((key) => settings.get(ctx, key).value).filter((id) => id !== null);
  const known = new Set(items.map(({ id }) => id));
  const others = await mediaRows.of(
    ctx,
    used.map(String).filter((id) => !known.has(id)),
  );
  const all = new Map([...others, ...items].map((one) => [one.id, one]));
  return Object.fromEntries(
    pictureKeys.map((key) => {
      const { value } = settings.get(ctx, key);
      const own = all.get(String(value));
      const choices = [...(own ? [own] : []), ...items.filter(({ id }) => id !== value)];
      return [key, { file: fileField(key), label: labelOf(key), choices: choices.map(choiceOf) }];
    }),
  );
}

/** How well the color is read on the pages of each theme, and the shade that is used there (shop-pages 4). */
function contrastsOf(color: string) {
  return Object.entries(GROUNDS).map(([theme, ground]) => {
    const shade = readableOn(color, ground);
    const ratio = contrast(color, ground);
    return {
      theme,
      ground,
      color,
      shade,
      onShade: textOn(shade),
      ratio: (Math.floor(ratio * 10) / 10).toFixed(1),
      isLow: ratio < READABLE,
    };
  });
}

/** Uploads the pictures of the form. @returns ids by setting. @throws FormRefusal for a file that is no picture */
async function takeFiles(ctx: Ctx, files: SentFiles): Promise<Record<string, string>> {
  const taken: Record<string, string> = {};
  for (const key of pictureKeys) {
    const sent = files[fileField(key)]?.[0];
    if (!sent) continue;
    if (!allows(ctx.actor, 'media:write'))
      throw new AppError('AUTH_FORBIDDEN', 403, 'Your account lacks the permission media:write');
    try {
      const source = createReadStream(sent.object.path);
      taken[key] = (await upload(ctx, { source, fileName: sent.filename })).id;
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const text = `${sent.filename}: ${error.message}`;
      throw refuseForm(text, { [key]: text });
    }
  }
  return taken;
}

/** Logo, colors, start page, footer and style sheet: a form with pictures to choose or to send. */
export const brandingPage = (group: Group): Page =>
  page({
    ...shared,
    path: group.path,
    title: group.label,
    query: later(() => z.object({ done: z.string().max(10).optional() })),
    form: formOf(group),
    formBytes: 256 * 1024,
    files: Object.fromEntries(
      pictureKeys.map((key) => [
        fileField(key),
        { maxCount: 1, maxBytes: (ctx: Ctx) => ctx.imageLimitBytes },
      ]),
    ),
    async show(ctx, { query }) {
      await settings.refresh(ctx);
      const color = ctx.settings.get(brandColor);
      return show(
        'store/settings-branding',
        {
          ...groupModel(ctx, group, query.done),
          colorKey: brandColor.key,
          contrasts: contrastsOf(color),
          pickers: await pickersOf(ctx),
          mayUpload: allows(ctx.actor, 'media:write'),
        },
        { values: valuesOf(ctx, group) },
      );
    },
    async submit(ctx, { form, files }) {
      requireWrite(ctx);
      const sent = form.reset === undefined ? await takeFiles(ctx, files) : {};
      return goTo(`${group.path}?done=${await act(ctx, group, { ...form, ...sent })}`);
    },
  });
