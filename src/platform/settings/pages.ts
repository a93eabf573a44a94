import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { noting, requireWholeInstallation } from '../admin/index.ts';
import * as settings from './settings.ts';
import { changeIn, inputOf, linesOf, textOf, written } from './shown.ts';
import type { SettingView } from './view.ts';

const LIST = '/admin/settings';
const LAYOUT = 'layouts/panel';
/** Whose settings may be changed by whoever manages licenses. */
const LICENSING = 'licensing';

const KeyParams = z.strictObject({ key: text({ min: 1, max: 100 }) });
/** Changes are for whoever manages the system, and those of the license service for who manages that. */
const CHANGING = { staff: 'system:write', or: 'licensing:write' } as const;

/** Settings as every server has them. @throws AppError INSUFFICIENT_SCOPE for who does not see all tenants */
async function current(ctx: Ctx): Promise<Ctx> {
  requireWholeInstallation(ctx);
  await settings.refresh(ctx);
  return ctx;
}

const mayChange = ({ actor }: Ctx, { group }: SettingView): boolean =>
  allows(actor, 'system:write') || (group === LICENSING && allows(actor, 'licensing:write'));

/** @throws AppError NOT_FOUND also for a setting that is not theirs to change */
async function changeable(ctx: Ctx, key: string): Promise<SettingView> {
  const one = settings.get(await current(ctx), key);
  if (mayChange(ctx, one)) return one;
  throw fail('NOT_FOUND', `setting ${key} was not found, or you may not change it`);
}

const addressOf = ({ key }: SettingView): string => `${LIST}/${encodeURIComponent(key)}`;

const modelOf = (ctx: Ctx, one: SettingView) => ({
  key: one.key,
  description: one.description,
  value: written(one.value),
  default: written(one.default),
  isChanged: one.changed,
  change: changeIn(one),
  pinnedBy: one.pinnedBy ?? null,
  href: mayChange(ctx, one) ? addressOf(one) : null,
});

const matches = ({ key, description }: SettingView, q: string): boolean =>
  `${key} ${description}`.toLowerCase().includes(q.toLowerCase());

/** Every setting by group (admin.md 5.6). */
const listPage: Page = page({
  path: LIST,
  title: 'Settings',
  audience: { staff: 'system:read' },
  layout: LAYOUT,
  help: 'configure',
  nav: { area: 'system', label: 'Settings', words: 'configuration options limits', goKey: 's', order: 20 },
  query: later(() =>
    z.object({
      q: z.string().max(200).optional(),
      group: z.string().max(50).optional(),
      changed: z.string().max(5).optional(),
      done: z.string().max(10).optional(),
    }),
  ),
  async show(ctx, { query }) {
    const all = settings.list(await current(ctx));
    const groups = [...new Set(all.map(({ group }) => group))];
    const q = (query.q ?? '').trim();
    const found = all
      .filter(({ group }) => !query.group || group === query.group)
      .filter(({ changed }) => query.changed !== 'true' || changed)
      .filter((one) => matches(one, q));
    return show('platform/settings', {
      q,
      group: query.group ?? '',
      changed: query.changed === 'true',
      groups,
      sections: groups
        .map((name) => ({
          name,
          items: found.filter(({ group }) => group === name).map((one) => modelOf(ctx, one)),
        }))
        .filter(({ items }) => items.length > 0),
      done: DONE[query.done ?? ''] ?? null,
    });
  },
});

const DONE: Readonly<Record<string, string>> = {
  saved: 'The setting was saved.',
  reset: 'The setting was reset to its default.',
};

const SettingForm = later(() =>
  z.object({
    value: z.string().max(100_000).optional(),
    /** In place of the value, for what never comes back to the page. */
    secret: z.string().max(100_000).optional().meta({ secret: true }),
    note: z.string().max(500).optional(),
    /** Sent by the button that puts the default back. */
    reset: z.literal('true').optional(),
  }),
);

/** One setting, to change it or to put it back to its default. */
const settingPage: Page = page({
  path: `${LIST}/{key}`,
  title: 'Change a setting',
  audience: CHANGING,
  layout: LAYOUT,
  help: 'configure',
  params: KeyParams,
  form: SettingForm,
  formBytes: 256 * 1024,
  async show(ctx, { params }) {
    const one = await changeable(ctx, params.key);
    const { kind, options } = inputOf(ctx, one);
    return show(
      'platform/setting',
      {
        title: one.key,
        setting: modelOf(ctx, one),
        kind,
        isSecret: one.isSecret,
        options,
        path: addressOf(one),
        history: allows(ctx.actor, 'audit:read')
          ? `/admin/audit-log?${new URLSearchParams({ targetType: 'settings', targetId: one.key })}`
          : null,
      },
      { values: { value: textOf(one) } },
    );
  },
  async submit(ctx, { params: { key }, form }) {
    const one = await changeable(ctx, key);
    if (one.pinnedBy !== undefined) throw refuseForm(`This setting is locked by ${one.pinnedBy}`, {}, 409);
    if (form.reset) {
      await settings.unset(ctx, key);
      return goTo(`${LIST}?done=reset`);
    }
    const isLines = inputOf(ctx, one).kind === 'lines';
    const sent = (one.isSecret ? form.secret : form.value) ?? '';
    const field = one.isSecret ? 'secret' : 'value';
    if (one.isSecret && sent === '')
      throw refuseForm('Enter the new value', { [field]: 'Enter the new value' });
    const given = isLines ? { key, value: linesOf(sent) } : { key, text: sent.replaceAll('\r\n', '\n') };
    await atField(key, field, () => settings.set(noting(ctx, noteOf(form)), given));
    return goTo(`${LIST}?done=saved`);
  },
});

/** What is wrong with the value is said beside its field. */
async function atField(key: string, field: string, change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
    const text = error.message.replace(`${key}: `, '');
    throw refuseForm(`The value ${text}`, { [field]: `The value ${text}` });
  }
}

const noteOf = ({ note = '' }: { readonly note?: string | undefined }): { note?: string } =>
  note.trim() === '' ? {} : { note: note.trim() };

export const settingPages: readonly Page[] = [listPage, settingPage];
