import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { type Action, type Form, type Level, perform, type View } from '../../admin/index.ts';
import { withChoices } from '../forms/choices.ts';
import { type FormField, fieldsOf } from '../forms/fields.ts';
import { lazily } from '../forms/lazily.ts';
import { formSections } from '../forms/sections.ts';
import { spelled } from '../forms/spelled.ts';
import { bodyOf, rawForm } from '../forms/values.ts';
import { withQuery } from './address.ts';
import { COMMAND_PART, commandText, isForCommand, withoutSecrets } from './command.ts';
import { onceOf } from './form-pages.ts';
import { isOnItem } from './item-actions.ts';
import { PANEL } from './list-page.ts';
import { addressOf, audienceOf, type Desk, itemAddress, itemPath, keyOf, type Named } from './registry.ts';
import { resultOf } from './result.ts';
import { sudoFirst } from './sudo.ts';
import { headingOf, titleOf } from './words.ts';

/** Something that is asked before it is done. */
interface Asking {
  readonly name: string;
  readonly label: string;
  readonly level: Level;
  readonly endpoint: Endpoint;
  readonly input: Form | undefined;
  /** Of the collection, and of no item. */
  readonly isOnPage: boolean;
  /** The body it sends beside the input. */
  readonly isConditional: boolean;
  /** What goes with it, in words. */
  readonly preview?: ((ctx: Ctx, id: string) => Promise<readonly string[]>) | undefined;
}

/** The pages that ask before something is done with an item or with the collection, and then do it. */
export function actionPages(desk: Desk): Page[] {
  const { ops, screen } = desk;
  const asked = Object.entries(ops.spec.actions ?? {})
    .filter(([name, one]) => isOnItem(desk, name, one) || isOnCollection(desk, name, one))
    .map(([name, { label, level, input, where, conditional, preview }]) => ({
      name,
      label: label.replace(/ (?:the|a|an|of)$/, ''),
      level,
      endpoint: ops.actions[name] as Endpoint,
      input,
      isOnPage: where === 'page',
      isConditional: conditional === true,
      preview,
    }));
  // Words in the place of an item's name come first.
  const sorted = [...asked].sort((one, other) => Number(other.isOnPage) - Number(one.isOnPage));
  return [...sorted, ...removal(desk)].map((one) =>
    askingPage(desk, one, one.isOnPage ? `${screen.path}/${one.name}` : itemPath(desk, `/${one.name}`)),
  );
}

const isOnCollection = (
  { screen, ops }: Desk,
  name: string,
  { where, method = 'post', upload, file }: Action<object>,
): boolean =>
  where === 'page' &&
  method !== 'get' &&
  !upload &&
  !file &&
  !screen.without?.includes(name) &&
  name in ops.actions;

function removal({ ops }: Desk): Asking[] {
  const { remove } = ops.spec;
  if (!ops.remove || !remove) return [];
  const { level, input, preview } = remove;
  const shared = { name: 'remove', label: 'Delete', isOnPage: false, isConditional: true };
  return [{ ...shared, level, input, endpoint: ops.remove, preview }];
}

const BESIDE = {
  _once: z.string().max(64).optional(),
  _at: z.string().max(40).optional(),
  _as: z.string().max(10).optional(),
  /** The name, typed, of what is severe. */
  typedName: z.string().max(300).optional(),
};

function askingPage(desk: Desk, asking: Asking, path: string): Page {
  const { endpoint, label, input } = asking;
  const { labels, screen, ops, listParams, itemParams } = desk;
  const fields = lazily(() => (input ? fieldsOf(input, screen) : []));
  const form = lazily(() => rawForm(fields(), BESIDE));
  return page({
    path,
    title: `${label}: ${labels.one}`,
    fragments: COMMAND_PART,
    audience: audienceOf(endpoint),
    layout: PANEL,
    help: screen.empty.docs,
    params: asking.isOnPage ? listParams : itemParams,
    get form() {
      return form();
    },
    formBytes: FORM_BYTES,
    async show(ctx, { params, visitor }) {
      const named = params as Named;
      const first = sudoFirst(ctx, visitor, endpoint.sudo === true, askingAddress(desk, asking, named));
      if (first) return first;
      const view = asking.isOnPage ? null : (await ops.find(ctx, named)).view;
      return askingShown(desk, asking, spelled(ctx, fields()), { ctx, named, view });
    },
    async submit(ctx, { params, form: filled, visitor }) {
      const named = params as Named;
      const first = sudoFirst(ctx, visitor, endpoint.sudo === true, askingAddress(desk, asking, named));
      if (first) return first;
      const sent = filled as Record<string, unknown>;
      if (!isForCommand(sent)) return doAsked(desk, asking, spelled(ctx, fields()), { ctx, named, sent });
      const view = asking.isOnPage ? null : (await ops.find(ctx, named)).view;
      return askingShown(desk, asking, spelled(ctx, fields()), { ctx, named, view, sent });
    },
  });
}

const FORM_BYTES = 512 * 1024;

const askingAddress = (desk: Desk, { isOnPage, name }: Asking, named: Named): string =>
  `${isOnPage ? addressOf(desk, named) : itemAddress(desk, named)}/${name}`;

async function askingShown(
  desk: Desk,
  asking: Asking,
  fields: readonly FormField[],
  {
    ctx,
    named,
    view,
    sent,
  }: { ctx: Ctx; named: Named; view: View | null; sent?: Readonly<Record<string, unknown>> },
): Promise<Shown> {
  const { labels, screen, ops } = desk;
  const { label, level, endpoint, isOnPage, preview } = asking;
  const name = view && screen.title(view);
  const goes = view && preview ? await preview(ctx, keyOf(desk, view)) : [];
  const first = {
    ...(typeof screen.initial === 'function' ? {} : screen.initial),
    _once: ctx.newId('frm'),
    _at: view ? desk.ops.at(view) : '',
  };
  const keys = view ? [keyOf(desk, view)] : [];
  const input = bodyOf(fields, sent ?? {});
  return show(
    'panel/action',
    {
      labels,
      heading: headingOf(label, labels, name),
      summary: endpoint.summary,
      goes,
      level,
      typedName: level === 'severe' ? name : null,
      sections: await withChoices(desk, ctx, formSections(fields)),
      action: askingAddress(desk, asking, named),
      submit: titleOf(label),
      cancel: isOnPage || !ops.get ? addressOf(desk, named) : itemAddress(desk, named),
      command: await commandText(desk, ctx, asking.name, { named, input, keys }),
      isCommandAsked: sent !== undefined,
    },
    { values: sent ? withoutSecrets(sent) : first },
  );
}

async function doAsked(
  desk: Desk,
  asking: Asking,
  fields: readonly FormField[],
  { ctx, named, sent }: { ctx: Ctx; named: Named; sent: Record<string, unknown> },
): Promise<Shown> {
  const { ops } = desk;
  const { level, endpoint, isOnPage, name } = asking;
  if (level === 'severe' && !isOnPage) {
    const { view } = await ops.find(ctx, named);
    requireName(desk.screen.title(view), sent.typedName);
  }
  const { body } = await perform(ctx, endpoint, {
    params: named,
    body: bodyOf(fields, sent),
    headers: { ...conditionOf(asking, sent), ...onceOf(sent) },
  });
  const list = addressOf(desk, named);
  if (name === 'remove') return goTo(withQuery(list, {}, removedIn(desk, named)));
  const { [ops.twin.item]: item, ...beside } = body as Record<string, unknown>;
  const next = isOnPage || !ops.get ? list : itemAddress(desk, named);
  const view = (item ?? null) as View | null;
  return (
    (await resultOf(ctx, desk, { done: name, view, shown: beside, next })) ?? goTo(`${next}?done=${name}`)
  );
}

/** What the list says of a removal; it names what was removed where that can be taken back. */
const removedIn = ({ screen, ops }: Desk, named: Named): Record<string, string> => ({
  done: 'remove',
  ...(screen.undo?.remove && { of: named[ops.params.key] ?? '' }),
});

/** What is severe is done to the thing whose name was typed, and to no other (admin.md 1). */
function requireName(name: string, typed: unknown): void {
  if (typeof typed === 'string' && typed.trim() === name) return;
  throw refuseForm('Type the name to confirm', { typedName: `Type ${name} to confirm` });
}

const conditionOf = (
  { isConditional, endpoint }: Asking,
  { _at: at }: Record<string, unknown>,
): Record<string, string> =>
  isConditional && endpoint.headers && typeof at === 'string' && at !== '' ? { 'if-match': `"${at}"` } : {};
