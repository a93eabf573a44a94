/** An item as the admin API shows it. */
type View = Readonly<Record<string, unknown>>;

/** Something that a page is about to do, as a command is told of it. */
export interface CommandAsked {
  /** The JSON that the operation would get; a required field that is still empty holds an empty text. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What the path of the page names: what a list is in. */
  readonly named: Readonly<Record<string, string>>;
  /** The items that it is done with; none for what is made. */
  readonly items: readonly { readonly key: string; readonly view: View }[];
}

/** Words of the lines that do it; null where no command can do exactly that. */
type Lines = readonly (readonly string[])[] | null;

/** The command that does what a page does ("copy as command", admin.md 2.2). */
export interface Command {
  readonly lines: (asked: CommandAsked) => Lines;
  /** It names items by more than their keys. */
  readonly readsViews: boolean;
}

/** How a field becomes words: the name of its flag, null where the command lacks it, or its own way. */
export type FlagRule = string | null | ((value: unknown) => readonly string[] | null);

interface CommandSpec {
  /** By field; the name of a field as flags are written when absent. */
  readonly flags?: Readonly<Record<string, FlagRule>>;
  /** Of a command that changes: by field, its word behind `--clear`. What is emptied and has none cannot be said. */
  readonly clears?: Readonly<Record<string, string>>;
  /** What stands for an item; its key when absent. */
  readonly args?: (view: View) => readonly string[];
  /** Words of what the list is in. */
  readonly place?: (named: CommandAsked['named']) => readonly string[];
  /** Takes several items in one line. */
  readonly isForMany?: true;
  /** What a page asked already is not asked again; `key` where the command wants it typed. */
  readonly confirm?: 'yes' | 'key';
  /** Words behind all others: of the flags that the page has no field for. */
  readonly more?: readonly string[];
}

/** @param run its words: `license suspend`, or what chooses them by the input */
export function command(
  run: string | ((input: CommandAsked['input']) => string | null),
  spec: CommandSpec = {},
): Command {
  const { flags = {}, clears = null, args, place, isForMany, confirm, more = [] } = spec;
  const lines = ({ input, named, items }: CommandAsked): Lines => {
    const name = typeof run === 'string' ? run : run(input);
    const words = flagWords(input, flags, clears);
    if (name === null || words === null) return null;
    const line = (these: CommandAsked['items']): readonly string[] => [
      ...name.split(' '),
      ...(place?.(named) ?? []),
      ...these.flatMap(({ key, view }) => args?.(view) ?? [key]),
      ...words,
      ...more,
      ...(confirm === 'yes' ? ['--yes'] : []),
      ...(confirm === 'key' && these[0] ? ['--confirm', these[0].key] : []),
    ];
    return isForMany || items.length === 0 ? [line(items)] : items.map((one) => line([one]));
  };
  return { lines, readsViews: args !== undefined };
}

function flagWords(
  input: CommandAsked['input'],
  flags: Readonly<Record<string, FlagRule>>,
  clears: Readonly<Record<string, string>> | null,
): readonly string[] | null {
  const words: string[] = [];
  for (const [field, value] of Object.entries(input)) {
    const { [field]: rule = kebab(field) } = flags;
    // A switch that is not said is off in what is made, and stays in what is changed.
    if (clears && value === false && typeof rule !== 'function') return null;
    const said =
      isEmpty(value) || (clears && value === '') ? clearing(field, clears) : saying(rule, field, value);
    if (said === null) return null;
    words.push(...said);
  }
  return words;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** What is made has no field that is empty; what is changed may lose its value. */
function clearing(field: string, clears: Readonly<Record<string, string>> | null): readonly string[] | null {
  if (clears === null) return [];
  const word = clears[field];
  return word === undefined ? null : ['--clear', word];
}

const saying = (rule: FlagRule, field: string, value: unknown): readonly string[] | null =>
  typeof rule === 'function' ? rule(value) : wordsOf(rule, field, value);

function wordsOf(flag: string | null, field: string, value: unknown): readonly string[] | null {
  if (value === false) return [];
  if (flag === null) return null;
  if (value === true) return [`--${flag}`];
  if (Array.isArray(value)) return value.flatMap((one) => given(flag, String(one)));
  // What is made and has to be filled in yet is named as help names it.
  if (value === '') return [`--${flag}`, kebab(field).toUpperCase().replaceAll('-', '_')];
  return given(flag, typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A value that looks like a flag is tied to its own. */
const given = (flag: string, value: string): readonly string[] =>
  value.startsWith('-') ? [`--${flag}=${value}`] : [`--${flag}`, value];

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Of texts by name: `--meta NAME=VALUE` for each; other values cannot be said. */
export const pairs =
  (flag: string): FlagRule =>
  (value) => {
    const entries = Object.entries(value as object);
    return entries.every(([, one]) => typeof one === 'string')
      ? entries.flatMap(([name, one]) => given(flag, `${name}=${one}`))
      : null;
  };

/** Of values by name, each as JSON: `--entitlement NAME=VALUE`. */
export const jsonPairs =
  (flag: string): FlagRule =>
  (value) =>
    Object.entries(value as object).flatMap(([name, one]) => given(flag, `${name}=${JSON.stringify(one)}`));

/** Of a switch that a command knows three answers of. */
export const yesOrNo =
  (flag: string): FlagRule =>
  (value) => [`--${flag}=${value === true ? 'yes' : 'no'}`];

/** Of what is no command's business to show: it is read from the input of the command. */
export const fromStdin =
  (flag: string): FlagRule =>
  () => [`--${flag}-stdin`];

/** A flag that stands for no: `--disabled`. */
export const unless =
  (flag: string): FlagRule =>
  (value) =>
    value === false ? [`--${flag}`] : [];
