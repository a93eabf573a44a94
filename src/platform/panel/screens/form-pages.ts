import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { perform, type View } from '../../admin/index.ts';
import { withChoices } from '../forms/choices.ts';
import { type FormField, fieldsOf } from '../forms/fields.ts';
import { lazily } from '../forms/lazily.ts';
import { formSections } from '../forms/sections.ts';
import { spelled } from '../forms/spelled.ts';
import { bodyOf, rawForm, textsIn, textsOf } from '../forms/values.ts';
import type { Query } from './address.ts';
import { COMMAND_PART, commandText, isForCommand, withoutSecrets } from './command.ts';
import { AnyQuery, PANEL } from './list-page.ts';
import { addressOf, audienceOf, type Desk, itemAddress, type Named, namedBy } from './registry.ts';
import { resultOf } from './result.ts';
import { sudoFirst } from './sudo.ts';
import { oneOf } from './words.ts';

/** What every form of the panel carries beside its own fields. */
export const BESIDE = {
  /** Of the first time that the form was shown: sent twice, it is done once. */
  _once: z.string().max(64).optional(),
  /** `updatedAt` of what was shown. */
  _at: z.string().max(40).optional(),
  /** `command`: nothing is done, and the page says which command would do it. */
  _as: z.string().max(10).optional(),
};

/** The page that makes an item. */
export function createPage(desk: Desk): Page[] {
  const { ops, screen, labels, listParams } = desk;
  const { create } = ops;
  const schema = ops.spec.create?.schema;
  if (!create || !schema) return [];
  const fields = lazily(() => fieldsOf(schema, screen));
  const form = lazily(() => rawForm(fields(), BESIDE));
  return [
    page({
      path: `${screen.path}/new`,
      title: `New ${labels.one}`,
      fragments: COMMAND_PART,
      audience: audienceOf(create),
      layout: PANEL,
      help: screen.empty.docs,
      params: listParams,
      query: AnyQuery,
      get form() {
        return form();
      },
      formBytes: FORM_BYTES,
      async show(ctx, { params, visitor, query }) {
        const named = params as Named;
        const path = addressOf(desk, named, '/new');
        const proof = sudoFirst(ctx, visitor, create.sudo === true, path);
        if (proof) return proof;
        const first = await initialOf(desk, ctx, named, query);
        const asked = spelled(ctx, fields());
        const values = { ...textsOf(asked, first), ...textsIn(asked, query), _once: ctx.newId('frm') };
        return createShown(desk, ctx, asked, named, values);
      },
      async submit(ctx, { params, form: filled, visitor }) {
        const named = params as Named;
        const sent = filled as Record<string, unknown>;
        const first = sudoFirst(ctx, visitor, create.sudo === true, addressOf(desk, named, '/new'));
        if (first) return first;
        const asked = spelled(ctx, fields());
        if (isForCommand(sent)) return createShown(desk, ctx, asked, named, sent);
        const making = { params: named, body: bodyOf(asked, sent), headers: onceOf(sent) };
        return afterMaking(ctx, desk, {
          named,
          body: (await perform(ctx, create, making)).body,
          done: 'create',
        });
      },
    }),
  ];
}

/** What the form of a new item begins with. */
async function initialOf(desk: Desk, ctx: Ctx, named: Named, query: Query): Promise<Record<string, unknown>> {
  const { initial } = desk.screen;
  return {
    ...(typeof initial === 'function' ? await initial(ctx, named) : initial),
    ...(await likeAnother(desk, ctx, named, query)),
  };
}

/** What the form of a new item takes from the one that the address names. @throws AppError NOT_FOUND */
async function likeAnother(
  { screen, ops }: Desk,
  ctx: Ctx,
  named: Named,
  { _from: key }: Query,
): Promise<Record<string, unknown>> {
  if (key === undefined || !screen.duplicate) return {};
  const { view } = await ops.find(ctx, { ...named, [ops.params.key]: key });
  const { without } = screen.duplicate;
  const values = screen.values?.(view) ?? view;
  return Object.fromEntries(Object.entries(values).filter(([name]) => !without.includes(name)));
}

/** The form of a new item, with the command that would make it. */
async function createShown(
  desk: Desk,
  ctx: Ctx,
  fields: readonly FormField[],
  named: Named,
  values: Readonly<Record<string, unknown>>,
): Promise<Shown> {
  const { labels, screen } = desk;
  return show(
    'panel/form',
    {
      ...(await formModel(desk, ctx, 'create', fields)),
      heading: `New ${labels.one}`,
      up: screen.home?.(named) ?? null,
      summary: screen.empty.text,
      action: addressOf(desk, named, '/new'),
      submit: `Create ${oneOf(labels.one)}`,
      cancel: addressOf(desk, named),
      command: await commandText(desk, ctx, 'create', { named, input: inputOf(fields, values) }),
      isCommandAsked: isForCommand(values),
    },
    { values: withoutSecrets(values) },
  );
}

/** An address may suggest what no field takes: the form shows it, and says so when it is sent. */
function inputOf(fields: readonly FormField[], values: Readonly<Record<string, unknown>>) {
  try {
    return bodyOf(fields, values);
  } catch (error) {
    if (error instanceof AppError && !isForCommand(values)) return {};
    throw error;
  }
}

/** Free objects and lists of rules are the largest that a form holds. */
export const FORM_BYTES = 512 * 1024;

/** The item that was made, or what is shown this once beside it. */
export async function afterMaking(
  ctx: Ctx,
  desk: Desk,
  { named, body, done }: { readonly named: Named; readonly body: unknown; readonly done: string },
): Promise<Shown> {
  const { ops } = desk;
  const { [ops.twin.item]: item, ...beside } = body as Record<string, unknown>;
  const view = item as View;
  const home = done === 'create' ? desk.screen.home?.(named) : undefined;
  if (home) return goTo(home.href);
  const address = ops.get ? itemAddress(desk, namedBy(desk, named, view)) : addressOf(desk, named);
  return (
    (await resultOf(ctx, desk, { done, view, shown: beside, next: address })) ??
    goTo(`${address}?done=${done}`)
  );
}

/** A form that is sent twice by a nervous hand does its work once. */
export const onceOf = ({ _once: once }: Record<string, unknown>): Record<string, string> =>
  typeof once === 'string' && once !== '' ? { 'idempotency-key': once } : {};

/** What every form shows. */
export const formModel = async (
  desk: Desk,
  ctx: Ctx,
  kind: 'create' | 'edit',
  fields: readonly FormField[],
) => ({
  labels: desk.labels,
  sections: await withChoices(desk, ctx, formSections(fields, desk.screen.sections?.[kind])),
});
