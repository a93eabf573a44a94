import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { goTo, page, type Shown, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { FALLBACK, type Labels, languages, loadLanguages, textsOf } from '#platform/languages/index.ts';
import * as settings from '#platform/settings/index.ts';
import { labelFaults, labels, MOST_LABEL } from '#storefront/contract/branding.ts';
import { mayWrite, requireWrite } from './form.ts';
import { shared } from './group-page.ts';
import { START } from './groups.ts';

const PATH = `${START}/labels`;
/** More than the catalogues have. */
const MOST_TEXTS = 1000;
/** A page stays small on a phone. */
const PER_PAGE = 300;

interface Asked {
  readonly lang?: string | undefined;
  readonly q?: string | undefined;
  readonly done?: string | undefined;
  readonly page?: number;
}

/** One of the languages that there are. */
const codeOf = (asked: string | undefined): string =>
  languages().find(({ code }) => code === asked)?.code ?? FALLBACK;

const matches = (q: string, ...texts: string[]): boolean =>
  texts.some((text) => text.toLowerCase().includes(q.toLowerCase()));

/** @param sent texts of the form that was not taken, and why, by key */
function labelsShown(
  ctx: Ctx,
  { lang, q = '', done, page = 1 }: Asked,
  sent: { readonly texts: ReadonlyMap<string, string>; readonly faults: ReadonlyMap<string, string> } | null,
): Shown {
  const code = codeOf(lang);
  const own = ctx.settings.get(labels)[code] ?? {};
  const found = [...textsOf(code)]
    .map(([key, initial]) => ({
      key,
      initial,
      text: sent?.texts.get(key) ?? own[key] ?? '',
      isOwn: Object.hasOwn(own, key),
      fault: sent?.faults.get(key) ?? null,
    }))
    .filter((row) => sent?.texts.has(row.key) || matches(q.trim(), row.key, row.initial, row.text));
  const first = sent ? 0 : (page - 1) * PER_PAGE;
  const at = (number: number): string =>
    `${PATH}?${new URLSearchParams({ lang: code, ...(q && { q }), page: String(number) })}`;
  return show(
    'store/labels',
    {
      path: PATH,
      lang: code,
      q,
      languages: languages().map((one) => ({ ...one, isChosen: one.code === code })),
      page,
      rows: sent ? found : found.slice(first, first + PER_PAGE),
      newer: !sent && page > 1 ? at(page - 1) : null,
      older: !sent && found.length > first + PER_PAGE ? at(page + 1) : null,
      most: MOST_LABEL,
      mayWrite: mayWrite(ctx),
      done: done === 'saved' ? 'The labels were saved. The shop now uses them.' : null,
    },
    { status: sent === null ? 200 : 400 },
  );
}

/** A field that comes once for each label. */
const each = (max: number) => z.array(z.string().max(max)).max(MOST_TEXTS);

/** With these texts in one language; an empty one is that of the catalogue again. */
export function relabelled(all: Labels, code: string, texts: ReadonlyMap<string, string>): Labels {
  const own = Object.fromEntries(
    [...Object.entries(all[code] ?? {}).filter(([key]) => !texts.has(key)), ...texts].filter(
      ([, text]) => text.trim() !== '',
    ),
  );
  const { [code]: _before, ...others } = all;
  return Object.keys(own).length === 0 ? others : { ...others, [code]: own };
}

/** Every text of the shop in words of the shop's own (shop-pages 9). */
export const labelsPage = page({
  ...shared,
  path: PATH,
  title: 'Labels',
  query: later(() =>
    z.object({
      lang: z.string().max(35).optional(),
      q: z.string().max(200).optional(),
      done: z.string().max(10).optional(),
      page: z.coerce.number().int().min(1).max(100).catch(1),
    }),
  ),
  form: later(() =>
    z.object({
      lang: z.string().max(35),
      q: z.string().max(200).optional(),
      page: z.coerce.number().int().min(1).max(100).catch(1),
      key: each(100),
      text: each(MOST_LABEL),
      reset: z.string().max(100).optional(),
    }),
  ),
  formBytes: 512 * 1024,
  async show(ctx, { query }) {
    await loadLanguages();
    await settings.refresh(ctx);
    return labelsShown(ctx, query, null);
  },
  async submit(ctx, { form }) {
    requireWrite(ctx);
    await loadLanguages();
    const { lang, q, page, reset } = form;
    const code = codeOf(lang);
    const initial = textsOf(code);
    const sent = form.key.map((key, at): [string, string] => [
      key,
      (form.text[at] ?? '').replaceAll('\r\n', '\n'),
    ]);
    // What is typed as it is in the catalogue is no label of its own.
    const texts = new Map(
      reset === undefined
        ? sent.map(([key, text]) => [key, initial.get(key) === text ? '' : text])
        : [[reset, '']],
    );
    const given = Object.fromEntries([...texts].filter(([, text]) => text.trim() !== ''));
    const faults = await labelFaults({ [code]: given });
    if (faults.length > 0)
      return labelsShown(
        ctx,
        { lang, q, page },
        { texts, faults: new Map(faults.map(({ key, fault }) => [key, fault])) },
      );
    await settings.revise(ctx, labels, (all) => relabelled(all, code, texts));
    return goTo(
      `${PATH}?${new URLSearchParams({
        lang: code,
        ...(q && { q }),
        ...(page > 1 && { page: String(page) }),
        done: 'saved',
      })}`,
    );
  },
});
