/** Settings of one group as a form. */

import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { later } from '#kernel/sharing.ts';
import * as settings from '#platform/settings/index.ts';
import { type Group, labelOf } from './groups.ts';
import { change } from './settings.ts';

const MOST_CHARACTERS = 100_000;

/** Texts of several lines, and how many of them the field shows. */
const LINES: Readonly<Record<string, number>> = {
  custom_css: 16,
  footer_html: 6,
  home_hero_text: 3,
  offline_instructions: 5,
};

/** A setting as its form shows it. */
export interface SettingField {
  readonly key: string;
  readonly label: string;
  readonly help: string;
  readonly type: 'text' | 'textarea' | 'select' | 'password' | 'color';
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isChanged: boolean;
  /** Who changed it and when; null where nobody did. */
  readonly change: string | null;
  readonly pinnedBy: string | null;
  readonly value: string;
}

/** @throws AppError NOT_FOUND never: groups hold declared keys only */
export const viewsOf = (ctx: Ctx, { keys }: Group): settings.SettingView[] =>
  keys.map((key) => settings.get(ctx, key));

/** @param group read after `settings.refresh` */
export const fieldsOf = (ctx: Ctx, group: Group): SettingField[] =>
  viewsOf(ctx, group).map((one) => fieldOf(ctx, one));

function fieldOf(ctx: Ctx, one: settings.SettingView): SettingField {
  const { kind, options } = settings.inputOf(ctx, one);
  const lines = LINES[one.key] ?? (kind === 'lines' || kind === 'json' ? 4 : 0);
  const type = one.isSecret
    ? 'password'
    : one.key.endsWith('_color')
      ? 'color'
      : kind === 'select'
        ? 'select'
        : lines > 0
          ? 'textarea'
          : 'text';
  const initial = settings.written(one.default);
  return {
    key: one.key,
    label: labelOf(one.key),
    help: `${one.description}.${one.isSecret ? ' The stored value is not shown; leave it empty to keep it.' : ''} Default: ${initial}.`,
    type,
    options,
    attributes: {
      ...(kind === 'number' && { inputmode: 'numeric' }),
      ...(lines > 0 && { rows: lines, spellcheck: LINES[one.key] === 3 }),
      autocomplete: 'off',
    },
    isChanged: one.changed,
    change: settings.changeIn(one),
    pinnedBy: one.pinnedBy ?? null,
    value: settings.written(one.value),
  };
}

/** What the fields hold before somebody changes them. */
export const valuesOf = (ctx: Ctx, group: Group): Record<string, string> =>
  Object.fromEntries(viewsOf(ctx, group).map((one) => [one.key, settings.textOf(one)]));

/** What a browser sends: a field for each setting, or the name of the one that goes back to its default. */
export const formOf = ({ keys }: Group) =>
  later(() =>
    z.object({
      ...Object.fromEntries(
        keys.map((key) => [
          key,
          // An empty one is an answer, and names such as `currency_code` look like those of secrets.
          z
            .string()
            .max(MOST_CHARACTERS)
            .optional()
            .meta({ title: labelOf(key), secret: false, blank: true }),
        ]),
      ),
      reset: z.enum(keys as [string, ...string[]]).optional(),
    }),
  );

/**
 * Saves what was sent, all of it or none; fields that were not sent stay, and an empty secret does.
 *
 * @returns keys that have another value now
 * @throws AppError VALIDATION_ERROR with an issue for each field that is wrong; AUTH_FORBIDDEN
 */
export async function save(
  ctx: Ctx,
  group: Group,
  sent: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  requireWrite(ctx);
  await settings.refresh(ctx);
  const texts: [string, string][] = [];
  for (const one of viewsOf(ctx, group)) {
    const text = sent[one.key]?.replaceAll('\r\n', '\n');
    if (text === undefined || one.pinnedBy !== undefined || (one.isSecret && text === '')) continue;
    const isList = settings.inputOf(ctx, one).kind === 'lines';
    if (text !== settings.textOf(one))
      texts.push([one.key, isList ? JSON.stringify(settings.linesOf(text)) : text]);
  }
  return texts.length === 0 ? [] : await change(ctx, Object.fromEntries(texts));
}

/** Pages of settings are shown to whoever may read them; to send their forms takes more. */
export function requireWrite({ actor }: Ctx): void {
  if (!allows(actor, 'settings:write'))
    throw new AppError('AUTH_FORBIDDEN', 403, 'Your account lacks the permission settings:write');
}

export const mayWrite = ({ actor }: Ctx): boolean => allows(actor, 'settings:write');
