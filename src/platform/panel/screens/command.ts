import type { Ctx } from '#kernel/context.ts';
import { isSecretName } from '#kernel/http/form-input.ts';
import type { CommandAsked, View } from '../../admin/index.ts';
import * as tenants from '../../tenants/index.ts';
import type { Desk, Named } from './registry.ts';

/** More items would make a line that no shell takes in one piece, and nobody reads. */
const MOST_ITEMS = 200;

/** What is asked of a command, as pages know it. */
export interface CommandOf {
  readonly named: Named;
  readonly input: Readonly<Record<string, unknown>>;
  /** How the items are named in paths; none for what is made. */
  readonly keys?: readonly string[];
}

/**
 * The command line that does what a page does, as it is pasted into a shell.
 *
 * @param name of the action, `create` or `remove`
 * @returns null where no command does exactly that
 */
export async function commandText(
  desk: Desk,
  ctx: Ctx,
  name: string,
  { named, input, keys = [] }: CommandOf,
): Promise<string | null> {
  const command = desk.screen.commands?.[name];
  if (!command || keys.length > MOST_ITEMS) return null;
  const items: { key: string; view: View }[] = [];
  for (const key of keys)
    items.push({ key, view: command.readsViews ? await viewOf(desk, ctx, named, key) : {} });
  const asked: CommandAsked = { input, named, items };
  const lines = command.lines(asked);
  if (lines === null) return null;
  const place = await tenantWords(ctx);
  const all = lines.map((words) => ['appctl', ...words, ...place]);
  return all.flat().every(isPasted) ? all.map((words) => words.map(shellWord).join(' ')).join('\n') : null;
}

const viewOf = async (desk: Desk, ctx: Ctx, named: Named, key: string): Promise<View> =>
  (await desk.ops.find(ctx, { ...named, [desk.ops.params.key]: key })).view;

/** Commands work on the tenant named default unless they are told another. */
async function tenantWords(ctx: Ctx): Promise<readonly string[]> {
  if (ctx.tenantId === tenants.DEFAULT_TENANT_ID) return [];
  return ['--tenant', (await tenants.get(ctx, ctx.tenantId)).slug];
}

/**
 * Whether a terminal takes a word as it is when it is pasted. Other control characters it obeys, within quotes too: one
 * ends the line that was begun, another one the pasting.
 */
export const isPasted = (word: string): boolean => !/(?![\t\n])\p{Cc}/u.test(word);

/** A word as shells read it, whatever is in it. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** The part of a page that says the command, which a script asks for alone. */
export const COMMAND_PART = { command: 'panel/command-line' } as const;

/** Whether a form was sent to learn its command, and not to be done. */
export const isForCommand = ({ _as: as }: Readonly<Record<string, unknown>>): boolean => as === 'command';

/** What a form shows again of what was sent. */
export const withoutSecrets = (sent: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => !isSecretName(name)));
