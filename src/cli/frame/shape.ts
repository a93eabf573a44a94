// The form of a command's declaration, for whatever handle `C` its action is given: the frame reads it without knowing
// that handle, commands are declared by the types of spec.ts.
import type { ZodType } from 'zod';
import type { ConfigKeyName } from '#kernel/config/table.ts';

/** Where a command runs (cli.md section 1.7): offline, on the local database, remote, over the admin socket. */
export type RunMark = 'O' | 'L' | 'R' | 'S';

/**
 * How much asking a change needs (cli.md section 1.3). Naming a level says that the command changes something;
 * it then takes --dry-run unless `dryRun` is false.
 */
export type ConfirmLevel = 'mild' | 'moderate' | 'severe';

/** Offers completions that only the running installation knows, for example product slugs. */
export type Completer<C = never> = (cli: C) => Promise<readonly string[]>;

export interface ArgSpec<C = never> {
  /** Name in usage lines and for `cli.argument(name)`. */
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  /** Takes every further word; only the last argument may. */
  readonly variadic?: true;
  readonly choices?: readonly string[];
  readonly complete?: 'file' | (() => Promise<Completer<C>>);
}

export interface OptionSpec<C = never> {
  /** Long name without dashes. A name that starts with `no-` is a switch of its own, not a negation. */
  readonly name: string;
  readonly short?: string;
  /** Other long names without dashes, for lines that were written before it was renamed. */
  readonly aliases?: readonly string[];
  /** Long names without dashes that people try, and that are told the right one. */
  readonly mistaken?: readonly string[];
  /** Placeholder of the value, for example `N`. Absent: a switch. */
  readonly value?: string;
  readonly summary: string;
  /** `integer` and `duration` (30d, 12h, 90s) are checked before the command runs. */
  readonly type?: 'text' | 'integer' | 'duration';
  /** Smallest and largest integer. */
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  /** Of all choices, those that fit the value of another option: offered once that one is given. */
  readonly choicesBy?: {
    readonly option: string;
    readonly of: Readonly<Record<string, readonly string[]>>;
  };
  /** May be given several times. */
  readonly repeat?: true;
  /** What holds when the option is absent; `cli.option` returns it. */
  readonly default?: string;
  /** Asked for on a terminal, else code 2 that names the option. */
  readonly required?: true;
  /** The option sets this configuration key; help shows its variable and default. */
  readonly config?: ConfigKeyName;
  /** Long names of options that exclude this one. */
  readonly conflicts?: readonly string[];
  /** The value may be left out: `--map` and `--map=json`. `cli.flag` is then true. */
  readonly optionalValue?: true;
  readonly complete?: 'file' | (() => Promise<Completer<C>>);
}

/** Codes that an action may end with beside 0; see `exits` in exits.ts. */
export type ExitCode = number;

/** What a command does. A returned number is the exit code of an answer that was printed, for example 8. */
export type Action<C = never> = (cli: C) => Promise<ExitCode | void>;

/** One command, declared once: help, --map, completion, schema and parsing are made from it. */
export interface CommandSpec<C = never> {
  /** Words as typed: `config show`. */
  readonly path: string;
  /** Other last words: `license mint` with alias `create` is also `license create`. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly args?: readonly ArgSpec<C>[];
  readonly options?: readonly OptionSpec<C>[];
  readonly runs: readonly RunMark[];
  /** Whole command lines, shown first in help. */
  readonly examples: readonly string[];
  readonly confirm?: ConfirmLevel;
  /** False: this change has no plan to show, and -n is refused. */
  readonly dryRun?: false;
  /** `ndjson`: one object per line with --json. `raw`: stdout is no JSON at all (a script, an archive). */
  readonly stream?: 'ndjson' | 'raw';
  /** Schema of stdout with --json, or of one line of it. Lazy, because zod costs start-up time. */
  readonly output?: () => Promise<ZodType>;
  /** Exit codes beside 0, 1, 2, 78 and, for L and R, 9. */
  readonly exits?: readonly ExitCode[];
  /** A closed pipe on stdout does not end the command (serve). */
  readonly survivesClosedPipe?: true;
  /** Left out of help, completion and the map. */
  readonly hidden?: true;
  /** Imports the action with everything it needs, only when the command runs. */
  readonly load: () => Promise<Action<C>>;
}

/** A group of commands has no action of its own; this is its line in help. */
export interface GroupSpec {
  readonly path: string;
  readonly summary: string;
  /** Other paths, in full, that lead to the group and to everything in it; its help names them. */
  readonly aliases?: readonly string[];
}

/** Returns whether the command changes something and can show its plan instead (-n). */
export function takesDryRun(spec: CommandSpec): boolean {
  return spec.confirm !== undefined && spec.dryRun !== false;
}
