import type { KindName } from './kinds.ts';

/** A flag that sets a key. `value` is what a flag without a value stands for. */
export interface FlagForm {
  /** As typed, for example `--no-jobs`. */
  readonly name: string;
  readonly value?: string;
  /** The flag names a file that holds the value. */
  readonly readsFile?: true;
}

/** One row of the configuration table (cli.md section 5). */
export interface ConfigKey {
  /** Dotted TOML key; a key with `toml: false` exists only as variable and flag. */
  readonly key: string;
  readonly env: string;
  /** Another name of the variable, without a `_FILE` form. */
  readonly alias?: string;
  readonly kind: KindName;
  /** Text as it could be written in the file; `{data_dir}` and `{origin}` are filled in. Null: not set. */
  readonly default: string | null;
  readonly flags?: readonly FlagForm[];
  readonly toml?: false;
  /** `value`: the whole value is a secret. `url`: the password inside the URL is one. */
  readonly secret?: 'value' | 'url';
  /**
   * The runtime setting that this key fixes when it is set, or those with their texts: a value lives in one of the two
   * layers (cli.md section 5).
   */
  readonly pins?: string | ((value: string) => Readonly<Record<string, string>>);
  /** Written by `config init` without --full. */
  readonly common?: true;
  readonly note: string;
}
