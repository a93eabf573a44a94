import type { Ctx } from '#kernel/context.ts';
import { chooseLanguage, FALLBACK, loadLanguages, translator } from '#platform/languages/index.ts';
import { labels } from './branding.ts';

/** The texts of the shop in the language of an order, with those that the owner wrote, for what its mails say. */
export async function mailWords(ctx: Ctx, locale: string): Promise<ReturnType<typeof translator>> {
  await loadLanguages();
  return translator(chooseLanguage([locale], FALLBACK).code, ctx.settings.get(labels));
}
